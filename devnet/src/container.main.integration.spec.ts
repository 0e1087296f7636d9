import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadChainsFile } from '@paymaster/chain';
import { ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { connectDevChain } from './chain/dev-chain';
import { DEV_KEYS } from './chain/dev-keys';
import { startAnvil, type Anvil } from './processes/anvil';

const OF_AN_EARLIER_START = 'of an earlier start';

let anvil: Anvil;
let folder: string;
beforeAll(async () => {
  anvil = await startAnvil();
  folder = mkdtempSync(join(tmpdir(), 'paymaster-container-'));
});
afterAll(async () => {
  await anvil.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(part: string, env: NodeJS.ProcessEnv) {
  return spawn(process.execPath, ['-r', './devnet/load-typescript.cjs', join(__dirname, 'container.main.ts'), part], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 300_000,
  });
}

describe('the container of the contracts', () => {
  it('writes a chains.json of contracts that are there, not before they are, and ends on SIGTERM', async () => {
    const chainsFile = join(folder, 'chains.json');
    writeFileSync(chainsFile, OF_AN_EARLIER_START);
    const child = start('contracts', {
      DATA_FOLDER: folder,
      CHAIN_RPC_URL: anvil.url,
      BUNDLER_URL: 'http://bundler:4337',
    });
    const isWritten = (): boolean =>
      existsSync(chainsFile) && readFileSync(chainsFile, 'utf8').replace(OF_AN_EARLIER_START, '').endsWith('}\n');
    await until(isWritten);
    const [chain] = loadChainsFile(chainsFile);
    expect(chain).toMatchObject({ chainId: anvil.chainId, bundlerUrl: 'http://bundler:4337' });
    const node = await connectDevChain({ rpcUrl: anvil.url, privateKey: DEV_KEYS.owner.privateKey });
    const paymasters = Object.values(chain?.entryPoints ?? {}).map((entryPoint) => entryPoint?.paymaster);
    expect(paymasters).toHaveLength(ENTRY_POINT_VERSIONS.length);
    for (const paymaster of paymasters) expect(await node.hasCode(paymaster ?? '0x')).toBe(true);
    for await (const line of createInterface({ input: child.stdout })) if (line === 'ready') break;
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('says which variable is missing', async () => {
    const child = start('contracts', { DATA_FOLDER: folder });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
    expect(await once(child, 'exit')).toEqual([1, null]);
    expect(said).toContain('CHAIN_RPC_URL is not set');
  });
});
