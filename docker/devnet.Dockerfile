# The local chain, its contracts and a bundler, for the profile `devnet` of compose.yaml. Never for production.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS packages
WORKDIR /workspace
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts

FROM packages AS bundler
COPY devnet/bundler/package.json devnet/bundler/package-lock.json devnet/bundler/
RUN npm ci --ignore-scripts --prefix devnet/bundler

FROM bundler
# Volumes begin as this folder is: writable for whoever runs in the image.
RUN mkdir -m 1777 data
COPY tsconfig.base.json .swcrc.jest.json ./
COPY libs libs
COPY devnet devnet
USER 10001:10001
EXPOSE 8545 4337
CMD ["node", "-r", "./devnet/load-typescript.cjs", "devnet/src/container.main.ts", "--help"]
