import { parseChains } from '@paymaster/chain';
import { FakeRpcError, FakeRpcServer, wireBlock } from '@paymaster/chain/testing';
import type { Address } from '@paymaster/domain';
import { randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import { ServedChain } from './served-chain';

const CHAIN_ID = 1;
const ETHER_WEI = 10n ** 18n;
const nowSeconds = () => Math.floor(Date.now() / 1_000);

describe('ServedChain, on a node that breaks down over the code of strangers', () => {
  let node: FakeRpcServer;
  let chain: ServedChain;
  let entryPoint: Address;
  const ledger = {
    assertBrakeLeaves: async () => undefined,
    spendableWei: async () => 0n,
    availableWei: async () => ETHER_WEI,
  };
  const faults: unknown[] = [];

  beforeEach(async () => {
    node = await FakeRpcServer.start({
      eth_chainId: () => '0x1',
      eth_getBlockByNumber: () => wireBlock({ number: 7, timestampSeconds: nowSeconds() }),
      eth_call: () => {
        throw new FakeRpcError(-32000, 'execution aborted (timeout = 5s)');
      },
    });
    entryPoint = randomAddress();
    const feed = { address: randomAddress(), heartbeatSeconds: 3_600 };
    const [config] = parseChains({
      chains: [
        {
          ...{ chainId: CHAIN_ID, name: 'Chain', nativeSymbol: 'ETH', rpcUrls: [node.url], bundlerUrl: node.url },
          entryPoints: { '0.7': { entryPoint, paymaster: randomAddress() } },
          pricing: { native: { feed } },
        },
      ],
    });
    const listeners = { onFault: (error: unknown) => faults.push(error) };
    const addresses = [randomAddress()];
    const signers = { addresses: () => addresses, isUp: () => true };
    chain = new ServedChain(config!, { signers, ledger, apis: [], listeners, trialMs: 1_500 });
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

  it.each(Object.entries(strangersCode))('%s that fail open no breaker of head or funding', async (_title, run) => {
    for (let round = 0; round < 10; round++) await Promise.resolve(run()).catch(() => undefined);
    expect(faults.length).toBeGreaterThan(0);

    await chain.head.refresh();
    expect(chain.head.latest().number).toBe(7n);
    node.methods['eth_call'] = () => `0x${ETHER_WEI.toString(16).padStart(64, '0')}`;
    const operation = { paymasterId: 'p', sender: randomAddress(), nonce: 0n };
    const wallet = { entryPoint, paymaster: randomAddress(), wallet: randomAddress() };
    await expect(chain.funding.assertCovers({ ...wallet, neededWei: 1n, operation })).resolves.not.toThrow();
  });

  it('failing simulations open no breaker of feeds, nor failing feeds that of simulations', async () => {
    const calls = () => node.callsOf('eth_call');
    for (let round = 0; round < 10; round++) await strangersCode.simulations().catch(() => undefined);
    const afterSimulations = calls();
    await strangersCode.simulations().catch(() => undefined);
    expect(calls()).toBe(afterSimulations);
    await strangersCode.feeds();
    expect(calls()).toBeGreaterThan(afterSimulations);
  });

  it('reports providers by use: failing code of strangers affects no other use', async () => {
    for (let round = 0; round < 10; round++) await strangersCode.simulations().catch(() => undefined);
    await chain.head.refresh();
    const states = chain.providers().map(({ use, statuses }) => [use, statuses[0]?.state, statuses[0]?.calls.failed]);
    expect(states).toEqual([
      ...[['chain', 'usable', 0], ['validations', 'usable', 0]], // prettier-ignore
      ['simulations', 'open', expect.any(Number)],
      ['feeds', 'usable', 0],
    ]);
  });
});
