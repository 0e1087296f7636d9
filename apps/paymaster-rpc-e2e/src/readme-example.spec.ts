import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stackFile } from '@paymaster/devnet';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');

describe("the README's first sponsored operation", () => {
  it('lands for an account that owns no coin', async () => {
    const { stdout } = await run('node', ['docs/examples/first-sponsored-operation.mjs', stackFile()], { cwd: ROOT });
    expect(stdout).toMatch(/called the demo contract: success true, transaction 0x[0-9a-f]{64},/);
    expect(stdout).toMatch(/own balance 0 wei\n$/);
  });
});

describe("the README's first operation paid in a token", () => {
  it('lands for an account that owns no coin, and costs it some tokens', async () => {
    const { stdout } = await run('node', ['docs/examples/first-token-payment.mjs', stackFile()], { cwd: ROOT });
    expect(stdout).toMatch(/called the demo contract: success true, transaction 0x[0-9a-f]{64},/);
    const [, paid] = /paid ([0-9.]+) USDx, own balance 0 wei\n$/.exec(stdout) ?? [];
    expect(Number(paid)).toBeGreaterThan(0);
    expect(Number(paid)).toBeLessThan(20);
  });
});
