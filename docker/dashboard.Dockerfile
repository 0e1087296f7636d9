# Every package of the workspace; made again only when the lock changes. No package runs a script of its own.
FROM node:24.21.0-bookworm@sha256:64af3819f9275802414d7cdc38c27e9d82bd564dec4d4da87d008255d36c63b4 AS packages
WORKDIR /workspace
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts

# The app's bundle and the web page, beside a package.json and a lock of exactly what it needs at run time. What only who has the sources
# needs goes: maps, which hold them, and the command that writes the API document.
FROM packages AS build
ENV NX_DAEMON=false NX_NO_CLOUD=true NX_TUI=false
COPY nx.json tsconfig.base.json ./
COPY libs libs
COPY docs/api/dashboard.openapi.json docs/api/dashboard.openapi.json
COPY docs/errors docs/errors
COPY apps/dashboard apps/dashboard
COPY apps/dashboard-web apps/dashboard-web
RUN npx --no-install nx run-many -t build -p dashboard dashboard-web \
  && rm dist/apps/dashboard/*.map dist/apps/dashboard/openapi.js dist/apps/dashboard-web/build-manifest.json

# Its packages.
FROM node:24.21.0-bookworm@sha256:64af3819f9275802414d7cdc38c27e9d82bd564dec4d4da87d008255d36c63b4 AS modules
WORKDIR /app
COPY --from=build /workspace/dist/apps/dashboard/package.json /workspace/dist/apps/dashboard/package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts

# What runs: no sources, no package manager, not root, and nothing that it would have to write.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg /opt/yarn-v*
WORKDIR /app
COPY --from=modules /app/node_modules node_modules
COPY docker/healthcheck.mjs ./
COPY --from=build /workspace/dist/apps/dashboard ./
COPY --from=build /workspace/dist/apps/dashboard-web web
ENV NODE_ENV=production WEB_PAGE_DIR=/app/web HOST=0.0.0.0 PORT=3001 MONITOR_PORT=9001
USER 10001:10001
EXPOSE 3001
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["node", "healthcheck.mjs", "live"]
CMD ["node", "main.js"]
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Paymaster platform: dashboard" \
  org.opencontainers.image.description="The page and REST for the owners of paymasters, and the answers to policy questions on NATS." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION" \
  org.opencontainers.image.revision="$REVISION"
