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
