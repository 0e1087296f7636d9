import { parseChains } from '@paymaster/chain';
import { FakeRpcError, FakeRpcServer, wireBlock } from '@paymaster/chain/testing';
import { randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import { ServedChain } from './served-chain';

const CHAIN_ID = 1;
const BALANCE_OF = '0x70a08231';
const ETHER_WORD = (10n ** 18n).toString(16).padStart(64, '0');
const nowSeconds = () => Math.floor(Date.now() / 1_000);

describe('ServedChain, on a node that breaks down over the code of strangers', () => {
  let node: FakeRpcServer;
  let chain: ServedChain;
  const faults: unknown[] = [];

  beforeEach(async () => {
    node = await FakeRpcServer.start({
      eth_chainId: () => '0x1',
      eth_getBlockByNumber: () => wireBlock({ number: 7, timestampSeconds: nowSeconds() }),
      eth_call: () => {
        throw new FakeRpcError(-32000, 'execution aborted (timeout = 5s)');
      },
    });
    const feed = { address: randomAddress(), heartbeatSeconds: 3_600 };
    const [config] = parseChains({
      chains: [
        {
          ...{ chainId: CHAIN_ID, name: 'Chain', nativeSymbol: 'ETH', rpcUrls: [node.url], bundlerUrl: node.url },
          entryPoints: { '0.7': { entryPoint: randomAddress(), paymaster: randomAddress() } },
          pricing: { native: { feed } },
        },
      ],
    });
    const listeners = { onFault: (error: unknown) => faults.push(error), onDue: () => undefined };
    chain = new ServedChain(config!, { signer: randomAddress(), apis: [], listeners });
  });
  afterEach(() => node.stop());

  const strangersCode = {
    simulations: () =>
      chain.tokens!.simulator.simulate({
        operation: userOperationV07Builder('0.7').build(),
        ...{ entryPoint: randomAddress(), paymaster: randomAddress(), token: randomAddress() },
        ...{ receiver: randomAddress(), fundingWallet: randomAddress(), way: 'allowance', amountBaseUnits: 1n },
      }),
    'token reads': () => chain.tokens!.reader.balanceOf({ token: randomAddress(), account: randomAddress() }),
    feeds: () => chain.tokens!.prices.refresh(),
  };

  it.each(Object.entries(strangersCode))('%s that fail close neither the head nor funding', async (_title, run) => {
    for (let round = 0; round < 10; round++) await Promise.resolve(run()).catch(() => undefined);
    expect(faults.length).toBeGreaterThan(0);

    await chain.head.refresh();
    expect(chain.head.latest().number).toBe(7n);
    node.methods['eth_call'] = ([call]) =>
      (call as { data: string }).data.startsWith(BALANCE_OF) ? `0x${ETHER_WORD}` : `0x${'00'.repeat(64)}`;
    const wallet = { entryPoint: randomAddress(), paymaster: randomAddress(), wallet: randomAddress() };
    await expect(chain.funding.assertCovers({ ...wallet, neededWei: 1n })).resolves.not.toThrow();
  });

  it('simulations that fail close no feed, and feeds no simulation', async () => {
    const calls = () => node.callsOf('eth_call');
    for (let round = 0; round < 10; round++) await strangersCode.simulations().catch(() => undefined);
    const afterSimulations = calls();
    await strangersCode.simulations().catch(() => undefined);
    expect(calls()).toBe(afterSimulations);
    await strangersCode.feeds();
    expect(calls()).toBeGreaterThan(afterSimulations);
  });
});
