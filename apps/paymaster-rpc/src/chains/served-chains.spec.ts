import { parseChains } from '@paymaster/chain';
import { FakeRpcServer, wireBlock } from '@paymaster/chain/testing';
import { randomAddress, until } from '@paymaster/domain/testing';
import type { Ledger } from '@paymaster/ledger';
import type { OpenedSigners } from '@paymaster/signers';
import type { Logger } from 'pino';
import { DEFAULT_DEADLINES } from '../platform/config/deadlines';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { ServedChains } from './served-chains';

const ORACLE = '0x420000000000000000000000000000000000000f';

describe('ServedChains, of which one is another kind of rollup than chains.json says', () => {
  const nodes: FakeRpcServer[] = [];
  const warned: Array<{ chainId: number; fault: string }> = [];
  let chains: ServedChains;

  beforeEach(async () => {
    const raw = await Promise.all([1, 10].map((chainId) => rawChain(chainId)));
    const set = { addresses: () => [], isUp: () => true, onChange: () => undefined } as unknown as OpenedSigners['set'];
    const logger = { warn: (line: (typeof warned)[number]) => warned.push(line) } as unknown as Logger;
    const signers = { set } as OpenedSigners;
    chains = new ServedChains(
      parseChains({ chains: raw }),
      signers,
      {} as Ledger,
      logger,
      {} as PaymasterRpcConfig,
      DEFAULT_DEADLINES,
    );
    chains.onApplicationBootstrap();
  });
  afterEach(async () => {
    chains.onApplicationShutdown();
    await Promise.all(nodes.splice(0).map((node) => node.stop()));
  });

  async function rawChain(chainId: number) {
    const node = await FakeRpcServer.start({
      eth_chainId: () => `0x${chainId.toString(16)}`,
      eth_getBlockByNumber: () => wireBlock({ number: 7, timestampSeconds: Math.floor(Date.now() / 1_000) }),
      eth_getCode: ([address]) => (chainId === 10 && address === ORACLE ? '0x60' : '0x'),
      eth_call: () => `0x${'0'.repeat(64)}`,
    });
    nodes.push(node);
    return {
      ...{ chainId, name: 'Chain', rpcUrls: [node.url], bundlerUrl: node.url },
      entryPoints: { '0.7': { entryPoint: randomAddress(), paymaster: randomAddress() } },
    };
  }

  it('boots, serves the other chains, and says which chain it refuses and why', async () => {
    const why = /chain 10 is "rollup": "none" in chains\.json but has GasPriceOracle .* it is "opStack"/;
    await until(() => [...chains.all()].every(({ head }) => head.ageSeconds() < Infinity), 'both chains are read');
    await until(() => chains.get(10).l1Fees.trouble() !== undefined, 'the oracle is found');
    expect(chains.check()).toEqual({ status: 'degraded', detail: expect.stringMatching(why) });
    expect(warned).toContainEqual({ chainId: 10, fault: expect.stringMatching(why) });
    expect(chains.get(1).l1Fees.trouble()).toBeUndefined();
  });
});
