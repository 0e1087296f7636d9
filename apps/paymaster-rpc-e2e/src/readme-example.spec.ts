import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stackFile } from '@paymaster/devnet';

const run = promisify(execFile);
const ROOT = join(__dirname, '../../..');

describe("the README's first sponsored operation", () => {
  it('lands for an account that owns no coin', async () => {
    const { stdout } = await run(process.execPath, ['docs/examples/first-sponsored-operation.mjs', stackFile()], {
      cwd: ROOT,
    });
    expect(stdout).toMatch(/called 0x[0-9a-fA-F]{40}: success true, transaction 0x[0-9a-f]{64},/);
    expect(stdout).toMatch(/own balance 0 wei\n$/);
  });
});

describe("the README's first operation paid in a token", () => {
  it('lands for an account that owns no coin, and costs it some tokens', async () => {
    const { stdout } = await run(process.execPath, ['docs/examples/first-token-payment.mjs', stackFile()], {
      cwd: ROOT,
    });
    expect(stdout).toMatch(/called the demo contract: success true, transaction 0x[0-9a-f]{64},/);
    const [, paid] = /paid ([0-9.]+) USDx, own balance 0 wei\n$/.exec(stdout) ?? [];
    expect(Number(paid)).toBeGreaterThan(0);
    expect(Number(paid)).toBeLessThan(100);
  });
});

describe("the README's way to one's own contract", () => {
  it('lands its operation, paid by the wallet that was made, with commands that are only copied', async () => {
    const walk = ['-r', './devnet/load-typescript.cjs', 'tools/walk/run.ts', '--readme'];
    const { stdout } = await run(process.execPath, walk, {
      cwd: ROOT,
      env: { ...process.env, STACK_FILE: stackFile() },
    });
    const [, wallet] = /^wallet (0x[0-9a-f]{40})$/m.exec(stdout) ?? [];
    const [, contract] = /^contract (0x[0-9a-fA-F]{40})$/m.exec(stdout) ?? [];
    const [, sender] =
      new RegExp(`^(0x\\w{40}) called ${contract}: success true,.* own balance 0 wei$`, 'm').exec(stdout) ?? [];
    expect(stdout).toMatch(
      new RegExp(`state: '(landed|settled)',\\s+sender: '${sender?.toLowerCase()}',\\s+fundingWallet: '${wallet}'`),
    );
    expect(stdout).toMatch(/== walked to the end\n$/);
  });
});
