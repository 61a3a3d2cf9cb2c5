# docker build -t marketplace .    (docs/deploy/containers.md)
ARG BASE=docker.io/library/python:3.11-slim-bookworm

FROM ${BASE} AS build
WORKDIR /srv/marketplace
RUN python -m venv /opt/venv
ENV PATH=/opt/venv/bin:$PATH
COPY requirements.txt .
# Every file must have the hash in requirements.txt, and nothing is compiled.
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements.txt
COPY . .
RUN python manage.py collectstatic --no-input && python -m compileall -q .

FROM ${BASE}
WORKDIR /srv/marketplace
ENV PATH=/opt/venv/bin:$PATH
COPY --from=build /opt/venv /opt/venv
COPY --from=build /srv/marketplace /srv/marketplace
# A number, so that Kubernetes can tell that it is not root.
USER 10001:10001
EXPOSE 8000
CMD ["gunicorn", "marketplace.wsgi"]
