#!/usr/bin/env node
// Compares the digests that images are pinned by with what their registry has, and moves them when asked to.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments } from '../tools/lib/arguments.mjs';

const HELP = `Usage: node docker/pin-base-image.mjs [options]

Reads every name:version@sha256:digest of the Dockerfiles and of compose.yaml, and asks the registry for each whether it
has that digest, and whether the version is still that digest. Exit code 0: each is there and newest. 1: not so.

  --write          moves each to the digest that its version has now
  --set OLD=NEW    looks for the digest of the version NEW (such as node:24.21.1-bookworm-slim) for images of version OLD
  --help           this text

REGISTRY names another registry with Docker's API than Docker Hub's, which needs no credentials to be read.
`;

const IMAGE = /([a-z0-9][a-z0-9./-]*):([\w.-]+)@(sha256:[0-9a-f]{64})/g;
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
].join(', ');
const HUB = 'https://registry-1.docker.io';
const REGISTRY = process.env.REGISTRY ?? HUB;

const values = readArguments(HELP, { write: { type: 'boolean' }, set: { type: 'string' } });
process.exitCode = await pin();

async function pin() {
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = process.env.DOCKER_FOLDER ?? here;
  const [setOld, setNew] = values.set?.split('=') ?? [];
  let outdated = 0;
  const known = new Map();
  for (const file of readdirSync(folder).filter((name) => /\.Dockerfile$|^compose\.yaml$/.test(name))) {
    const path = join(folder, file);
    let text = readFileSync(path, 'utf8');
    for (const [whole, name, version, digest] of new Set([...text.matchAll(IMAGE)])) {
      const wanted = `${name}:${version}` === setOld ? setNew : `${name}:${version}`;
      if (!known.has(whole)) known.set(whole, await lookUp(wanted, digest));
      const { newest, exists } = known.get(whole);
      if (!exists) process.stdout.write(`${file}: ${whole}: the registry has no such digest\n`);
      if (newest === digest && wanted === `${name}:${version}`) continue;
      outdated++;
      process.stdout.write(`${file}: ${wanted} is ${newest}\n`);
      text = text.replaceAll(whole, `${wanted}@${newest}`);
    }
    if (values.write) writeFileSync(path, text);
  }
  const missing = [...known.values()].some(({ exists }) => !exists);
  process.stdout.write(
    `${known.size} images looked up, ${outdated} lines outdated${values.write ? ' and moved' : ''}.\n`,
  );
  return (outdated > 0 || missing) && !values.write ? 1 : 0;
}

/** The digest of a version, and whether the registry has the other one. */
async function lookUp(image, digest) {
  const [name, version] = image.split(':');
  const repository = name.includes('/') ? name : `library/${name}`;
  const headers = { accept: MANIFESTS, ...(await authorization(repository)) };
  const ask = (reference) =>
    fetch(`${REGISTRY}/v2/${repository}/manifests/${reference}`, {
      method: 'HEAD',
      headers,
      signal: AbortSignal.timeout(30_000),
    });
  const newest = (await ask(version)).headers.get('docker-content-digest');
  if (!/^sha256:[0-9a-f]{64}$/.test(newest ?? '')) throw new Error(`the registry knows no ${image}`);
  return { newest, exists: (await ask(digest)).ok };
}

async function authorization(repository) {
  if (REGISTRY !== HUB) return {};
  const url = `https://auth.docker.io/token?service=registry.docker.io&scope=repository:${repository}:pull`;
  const { token } = await (await fetch(url, { signal: AbortSignal.timeout(30_000) })).json();
  return { authorization: `Bearer ${token}` };
}
