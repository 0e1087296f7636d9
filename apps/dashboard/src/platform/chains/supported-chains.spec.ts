import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomAddress } from '@paymaster/domain/testing';
import { SupportedChains } from './supported-chains';

describe('SupportedChains', () => {
  const folder = mkdtempSync(join(tmpdir(), 'paymaster-supported-chains-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('takes contracts that nothing is signed for yet, or any more, for a part of the platform too', () => {
    const [entryPoint, paymaster, next, draining] = Array.from({ length: 4 }, () => randomAddress());
    const contracts = { entryPoint, paymaster, nextPaymaster: next, drainingPaymasters: [draining] };
    const urls = { rpcUrls: ['http://127.0.0.1:1'], bundlerUrl: 'http://127.0.0.1:1' };
    const chainsFile = join(folder, 'chains.json');
    writeFileSync(
      chainsFile,
      JSON.stringify({ chains: [{ chainId: 1, name: 'a', ...urls, entryPoints: { '0.7': contracts } }] }),
    );
    const chains = new SupportedChains({ chainsFile });
    const ours = [entryPoint, paymaster, next, draining].map((address) => chains.isInfrastructure(1, address!));
    expect(ours).toEqual([true, true, true, true]);
    expect(chains.isInfrastructure(1, randomAddress())).toBe(false);
    expect(chains.isInfrastructure(2, paymaster!)).toBe(false);
  });
});
