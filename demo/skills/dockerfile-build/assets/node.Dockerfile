# syntax=docker/dockerfile:1
FROM node:22-slim AS build
WORKDIR /src
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build --chown=node:node /src/node_modules node_modules
COPY --from=build --chown=node:node /src/dist dist
USER node
EXPOSE 8000
CMD ["node", "dist/server.js"]
