import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'paymaster-lock-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function check(packages: object): { status: number | null; stdout: string } {
  const lock = join(folder, 'package-lock.json');
  writeFileSync(lock, JSON.stringify({ packages }));
  return spawnSync(process.execPath, [join(__dirname, 'check-lock.mjs'), '--lock', lock], { encoding: 'utf8' });
}

describe('check-lock', () => {
  it('accepts a lock where each dependency is beside its package or above it', () => {
    const result = check({
      '': { dependencies: { a: '1' } },
      'node_modules/a': { version: '1.0.0', dependencies: { b: '1', c: '1' } },
      'node_modules/a/node_modules/b': { version: '1.0.0', dependencies: { c: '1' } },
      'node_modules/c': { version: '1.0.0' },
    });
    expect(result).toMatchObject({ status: 0, stdout: '' });
  });

  it('names the package whose platform dependency is not in the lock', () => {
    const result = check({
      '': { dependencies: { a: '1' } },
      'node_modules/a': { version: '1.2.3', optionalDependencies: { 'a-darwin': '1.2.3' } },
    });
    expect(result.status).toBe(1);
    expect(result.stdout).toContain('node_modules/a 1.2.3 misses a-darwin');
  });
});
