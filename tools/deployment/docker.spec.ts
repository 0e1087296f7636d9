import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseDockerIgnore } from '../images/docker-ignore';
import { parseDockerfile, stepsOf } from '../images/dockerfile';
import { parseCompose } from './compose-schema';
import { dockerfileProblems } from './dockerfile-rules';
import { read, ROOT } from './environment';

const APPS = ['dashboard', 'paymaster-rpc', 'settlement'];

describe('docker', () => {
  it('has a Dockerfile for each app, and one for the local chain', () => {
    const files = readdirSync(join(ROOT, 'docker')).filter((file) => file.endsWith('.Dockerfile'));
    expect(files.sort()).toEqual([...APPS, 'devnet'].sort().map((name) => `${name}.Dockerfile`));
  });

  it.each(APPS)('%s.Dockerfile keeps the rules', (app) => {
    expect(dockerfileProblems(app, read(`docker/${app}.Dockerfile`))).toEqual([]);
  });

  it('has one base in all images, the local chain included', () => {
    const bases = [...APPS, 'devnet'].flatMap((name) =>
      parseDockerfile(read(`docker/${name}.Dockerfile`)).map(({ from }) => from),
    );
    expect([...new Set(bases.filter((from) => from.includes('/') || from.includes(':')))]).toEqual([
      expect.stringMatching(/^node:20\.[\w.-]+@sha256:[0-9a-f]{64}$/),
    ]);
  });

  it('gives the build all it copies and nothing else', () => {
    const isIgnored = parseDockerIgnore(read('.dockerignore'));
    const copied = [...APPS, 'devnet'].flatMap((name) =>
      parseDockerfile(read(`docker/${name}.Dockerfile`)).flatMap((stage) =>
        stepsOf(stage, 'COPY').flatMap(({ from, sources }) => (from === undefined ? sources : [])),
      ),
    );
    expect(copied.filter((path) => isIgnored(path) || !statSync(join(ROOT, path), { throwIfNoEntry: false }))).toEqual(
      [],
    );
    for (const secret of ['.env', 'docker/secrets/database_url', '.git/config', '.local/stack.json', 'apps/x/.env']) {
      expect([secret, isIgnored(secret)]).toEqual([secret, true]);
    }
  });

  it('builds each image of compose.yaml from a Dockerfile that is there', () => {
    const { compose } = parseCompose(read('docker/compose.yaml'));
    for (const { build, image } of Object.values(compose.services)) {
      if (!build) continue;
      expect(read(build.dockerfile)).not.toBe('');
      expect(image).toBe(`paymaster-platform/${/docker\/(.*)\.Dockerfile/.exec(build.dockerfile)?.[1]}:0.1.0`);
    }
  });
});
