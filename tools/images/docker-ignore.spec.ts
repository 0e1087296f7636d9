import { parseDockerIgnore } from './docker-ignore';

describe('parseDockerIgnore', () => {
  const isIgnored = parseDockerIgnore(
    '# all but\n*\n!apps\n!docker/healthcheck.mjs\napps/*-e2e\n**/*.spec.ts\n**/node_modules\n',
  );

  it.each([
    ['.env', true],
    ['docker/secrets/database_url', true],
    ['docker/healthcheck.mjs', false],
    ['apps/dashboard/src/main.ts', false],
    ['apps/dashboard/src/main.spec.ts', true],
    ['apps/dashboard-e2e/src/support.ts', true],
    ['apps/dashboard/node_modules/a/index.js', true],
    ['apps/dashboard/src/node_modules.ts', false],
  ])('%s: %s', (path, ignored) => {
    expect(isIgnored(path)).toBe(ignored);
  });

  it.each(['a/**/b', '[ab]', '!'])('refuses %s, which it would not read as Docker does', (line) => {
    expect(() => parseDockerIgnore(line)).toThrow('is not understood here');
  });
});
