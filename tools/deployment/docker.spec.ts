import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { environmentProblems, read, ROOT } from './environment';

interface Compose {
  services: Record<
    string,
    { environment?: Record<string, string>; secrets?: string[]; build?: { dockerfile: string } }
  >;
  secrets: Record<string, unknown>;
}

const dockerfiles = readdirSync(join(ROOT, 'docker')).filter((file) => file.endsWith('.Dockerfile'));
const compose = parse(read('docker/compose.yaml')) as Compose;

describe('Dockerfiles', () => {
  it('there is one per app', () => {
    expect(dockerfiles.sort()).toEqual(['dashboard.Dockerfile', 'paymaster-rpc.Dockerfile', 'settlement.Dockerfile']);
  });

  it.each(dockerfiles)('%s has no syntax problem and does not run as root', (file) => {
    const text = read(`docker/${file}`);
    expect(validate(text)).toEqual([]);
    expect(text).toMatch(/^USER 10001:10001$/m);
  });

  it('a wrong instruction would be reported', () => {
    expect(validate('FROM node:20\nRUNN npm ci\n')).not.toEqual([]);
  });
});

describe('compose', () => {
  it.each(['dashboard', 'paymaster-rpc', 'settlement'])(
    'gives %s exactly variables it knows, and all it needs',
    (app) => {
      expect(environmentProblems(app, Object.keys(compose.services[app]?.environment ?? {}))).toEqual([]);
    },
  );

  it('mounts every secret file that a variable names', () => {
    for (const service of Object.values(compose.services)) {
      const named = Object.values(service.environment ?? {}).flatMap(
        (value) => /^\/run\/secrets\/(.+)$/.exec(value)?.[1] ?? [],
      );
      expect(service.secrets ?? []).toEqual(expect.arrayContaining(named));
      for (const secret of service.secrets ?? []) expect(Object.keys(compose.secrets)).toContain(secret);
    }
  });
});
