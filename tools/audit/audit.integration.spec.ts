import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where an npm of our own stands, which says what the registry would. */
const folder = mkdtempSync(join(tmpdir(), 'audit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function audit(part: string, said?: object): { status: number | null; stdout: string } {
  if (said) {
    const text = JSON.stringify(said).replaceAll("'", "'\\''");
    writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho '${text}'\n`);
    chmodSync(join(folder, 'npm'), 0o755);
  }
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  return spawnSync(process.execPath, [join(__dirname, '../audit.mjs'), '--only', part], { env, encoding: 'utf8' });
}

const advisory = (severity: string) => ({
  vulnerabilities: {
    left: { via: [{ name: 'left', severity, title: 'pads', url: 'https://github.com/advisories/GHSA-1' }, 'right'] },
  },
});

describe('npm run audit', () => {
  it.each(['high', 'critical'])('fails on an advisory of severity %s and names it', (severity) => {
    const { status, stdout } = audit('advisories', advisory(severity));
    expect(status).toBe(1);
    expect(stdout).toContain(`FAIL  advisory GHSA-1, ${severity} in left: pads`);
  });

  it('lets a moderate one pass', () => {
    expect(audit('advisories', advisory('moderate'))).toMatchObject({ status: 0 });
  });

  it('ends with 2 when the registry does not answer, and never with 0', () => {
    const { status, stdout } = audit('advisories', { message: '405 Method Not Allowed' });
    expect(status).toBe(2);
    expect(stdout).toContain('the registry did not answer: 405');
  });

  // The part of the gate that needs no network, and so is a part of every run of the tests.
  it('finds an allowed licence for every package that production installs', () => {
    const { status, stdout } = audit('licences');
    expect(stdout).toMatch(/^ok {4}licences: \d{3} packages\n$/);
    expect(status).toBe(0);
  });
});
