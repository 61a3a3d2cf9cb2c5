# syntax=docker/dockerfile:1
FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /opt/venv
ENV PATH="/opt/venv/bin:$PATH"
COPY requirements.txt .
RUN --mount=type=cache,target=/root/.cache/pip pip install -r requirements.txt
COPY . .
RUN --mount=type=cache,target=/root/.cache/pip pip install --no-deps .

FROM python:3.12-slim
RUN useradd --system --uid 10001 --create-home app
COPY --from=build /opt/venv /opt/venv
ENV PATH="/opt/venv/bin:$PATH" PYTHONUNBUFFERED=1
USER 10001
WORKDIR /home/app
EXPOSE 8000
CMD ["gunicorn", "--bind", "0.0.0.0:8000", "shop.wsgi"]
