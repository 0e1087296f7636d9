# Build: the whole workspace, then one app's bundle with a package.json of exactly what it needs at run time.
FROM node:20-bookworm-slim AS build
WORKDIR /workspace
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
ENV NX_DAEMON=false NX_NO_CLOUD=true NX_TUI=false
RUN npx nx build settlement

# Run: no sources, no build tools, not root.
FROM node:20-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3002
WORKDIR /app
COPY --from=build /workspace/dist/apps/settlement/package.json /workspace/dist/apps/settlement/package-lock.json ./
RUN npm ci --omit=dev
COPY --from=build /workspace/dist/apps/settlement ./
USER 10001:10001
EXPOSE 3002
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:3002/health/ready').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "main.js"]
