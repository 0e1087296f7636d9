import { ChainHead, ChainProvider } from '@paymaster/chain';
import { Anvil, AutomineProvider, UNHURRIED } from '@paymaster/chain/testing';
import { randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import type { Address } from '@paymaster/domain';
import { TokenPathSimulator, type TokenPathRequest } from './token-path-simulator';

const CHAIN_ID = 31337;
/** JUMPDEST PUSH0 JUMP: loops until its gas is used up. */
const LOOP = '0x5b5f56';

describe('factories that never end, on a node that bounds no call', () => {
  let anvil: Anvil;
  let factory: Address;
  beforeAll(async () => {
    anvil = await Anvil.start({ chainId: CHAIN_ID, gasLimit: 10n ** 12n });
    factory = randomAddress();
    const rpc = new AutomineProvider(anvil.url, CHAIN_ID, { staticNetwork: true });
    await rpc.send('anvil_setCode', [factory, LOOP]);
    rpc.destroy();
  });
  afterAll(() => anvil?.stop());

  it('ten at once end soon, and other calls are not delayed', async () => {
    const chain = { chainId: CHAIN_ID, rpcUrls: [anvil.url] };
    const [signing, simulating] = [new ChainProvider(chain, UNHURRIED), new ChainProvider(chain, UNHURRIED)];
    const simulator = new TokenPathSimulator(simulating, { bounds: { maxVerificationGasLimit: 2_000_000n } });
    const head = new ChainHead({ chainId: CHAIN_ID, blockTimeSeconds: 12, maxHeadAgeSeconds: 120 }, signing);

    const startedAt = performance.now();
    const [outcomes, reads] = await Promise.all([
      Promise.all(Array.from({ length: 10 }, () => simulator.simulate(looping()))),
      Promise.all(Array.from({ length: 10 }, () => head.refresh().then(() => head.latest().number))),
    ]);
    // With all the gas that the operations ask for, each would take minutes.
    expect(performance.now() - startedAt).toBeLessThan(45_000);
    expect(outcomes.every(({ deployed }) => !deployed)).toBe(true);
    expect(reads).toHaveLength(10);
    expect([...signing.status(), ...simulating.status()].map(({ state }) => state)).toEqual(['usable', 'usable']);
  });

  /** An operation whose sender is not deployed and whose factory uses all gas it gets. */
  function looping(): TokenPathRequest {
    const limits = { callGasLimit: 5_000_000n, verificationGasLimit: 10n ** 11n };
    return {
      operation: { ...userOperationV07Builder('0.7').build(), ...limits, factory, factoryData: '0x' },
      ...{ entryPoint: randomAddress(), paymaster: randomAddress(), token: randomAddress() },
      ...{ receiver: randomAddress(), fundingWallet: randomAddress(), way: 'allowance', amountBaseUnits: 1n },
    };
  }
});
