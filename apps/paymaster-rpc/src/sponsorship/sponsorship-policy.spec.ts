import {
  DEPLOYMENT_GAS,
  maxPreVerificationGas,
  PAYMASTER_GAS_CONSTANTS,
  parseChains,
  type CallGasQuestion,
} from '@paymaster/chain';
import {
  DEFAULT_PAYMASTER_SETTINGS,
  SponsorshipRefusedError,
  type Address,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import type { Caller } from '../callers/caller';
import type { SponsorTerms } from './sponsor-terms';
import { assertGasWithinBounds, bundlersCosts, justifiedCallGas } from './sponsorship-policy';

const GWEI = 1_000_000_000n;
/** A client that follows the limits in refusals asks at most this often. */
const MOST_QUESTIONS = 4;

/** A chain with default bounds. */
function chain(): Caller['chain'] {
  const entryPoints = { '0.7': { entryPoint: randomAddress(), paymaster: randomAddress() } };
  const urls = { rpcUrls: ['http://127.0.0.1:1'], bundlerUrl: 'http://127.0.0.1:2' };
  const config = parseChains({ chains: [{ chainId: 1, name: 'a', ...urls, entryPoints }] })[0];
  return {
    config,
    head: { baseFeePerGasWei: () => 15n * GWEI },
    fees: { maxPriorityFeePerGasWei: () => 2n * GWEI },
    l1Fees: { preVerificationGas: () => ({ expected: 0n, highest: 0n }) },
  } as unknown as Caller['chain'];
}

const paymaster = { policy: { settings: DEFAULT_PAYMASTER_SETTINGS } };
const caller = { chain: chain(), paymaster } as unknown as Caller;

/** Checks the gas of an operation whose account is not known. */
function judge(operation: UserOperation, stubLimits: object = {}): void {
  const constants = PAYMASTER_GAS_CONSTANTS[operation.entryPointVersion];
  const paymasterAndData: Hex = `0x${'11'.repeat(158)}`;
  const paymasterGasLimits = { ...constants, ...stubLimits };
  const terms = { constants, stub: { paymasterAndData, paymasterGasLimits } } as unknown as SponsorTerms;
  const costs = bundlersCosts({ caller, operation }, terms);
  const facts = { decoded: { understood: false }, accountFacts: {} } as never as Parameters<typeof justifiedCallGas>[0];
  const justifiedCallGasLimit = justifiedCallGas({ ...facts, caller, operation }, terms, costs) as bigint;
  assertGasWithinBounds({ caller, operation, trace: [], justifiedCallGasLimit }, terms, costs);
}

/** Less gas than any call of a contract takes. */
const USELESS_GAS = 10_000n;

/** Asks, and asks again with each limit that a refusal names. */
function follow(asked: UserOperation): readonly string[] {
  const named: string[] = [];
  let operation = asked;
  while (named.length < MOST_QUESTIONS) {
    try {
      judge(operation);
      return named;
    } catch (error) {
      const { field, limit } = (error as SponsorshipRefusedError).details as { field: string; limit: string };
      if (BigInt(limit) < USELESS_GAS) throw new Error(`${field} is to be ${limit} at most`);
      named.push(field);
      operation = { ...operation, [field]: BigInt(limit) };
    }
  }
  throw new Error(`refused for ${named.join(', ')} and then again`);
}

describe.each(['0.7', '0.8', '0.9'] as const)('an account of unknown code on v%s', (version) => {
  const operation = (gas: Partial<UserOperation>): UserOperation => ({
    ...userOperationV07Builder(version)
      .with('callData', `0x${'22'.repeat(200)}`)
      .build(),
    ...{ nonce: 1n, maxFeePerGas: 30n * GWEI, maxPriorityFeePerGas: GWEI, verificationGasLimit: 100_000n },
    ...(gas as object),
  });

  it.each([
    ['both high', 500_000n, 500_000n, ['callGasLimit', 'preVerificationGas']],
    ['a high preVerificationGas beside small calls', 40_000n, 500_000n, ['preVerificationGas']],
    ['high call gas', 500_000n, 50_000n, ['callGasLimit', 'preVerificationGas']],
    ['high call gas beside a low preVerificationGas', 500_000n, 40_000n, ['callGasLimit']],
  ])('with %s is signed for what the refusals name', (_title, callGasLimit, preVerificationGas, fields) => {
    expect(follow(operation({ callGasLimit, preVerificationGas }))).toEqual(fields);
  });

  it.each([45_000n, 49_000n, 52_000n])(
    'is refused even if the computed limits are above the refused value, with %d',
    (preVerificationGas) => {
      const isSigned = (callGasLimit: bigint, stubLimits: object): boolean => {
        try {
          judge(operation({ callGasLimit, preVerificationGas }), stubLimits);
          return true;
        } catch {
          return false;
        }
      };
      const asked = Array.from({ length: 80 }, (_, at) => 10_000n + 2_000n * BigInt(at));
      const signed = asked.filter((callGasLimit) => isSigned(callGasLimit, {}));
      expect([signed[0], signed.at(-1) === asked.at(-1)]).toEqual([asked[0], false]);
      expect(asked.filter((callGasLimit) => isSigned(callGasLimit, { paymasterPostOpGasLimit: 0n }))).toEqual(signed);
    },
  );

  it('gets no limit that would be refused again', () => {
    for (let preVerificationGas = 50_000n; preVerificationGas < 70_000n; preVerificationGas += 500n) {
      expect(() => follow(operation({ callGasLimit: 60_000n, preVerificationGas }))).not.toThrow();
    }
  });
});

describe('the gas of deploying an account and of setting it up', () => {
  const SAFE_FACTORY: Address = '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67';
  const LAUNCHPAD: Address = '0x7579011ab74c46090561ea277ba79d510c6c00ff';
  const SAFE: Address = '0x41675c099f32341bf84bfc5382af534df5c7461a';
  const METAMASK_FACTORY: Address = '0x69aa2f9fe1572f1b640e1bbc512f5c3a734fc77c';
  const SETUP_GAS = 250_000n;
  const safeOf = (singleton: Address): Hex => `0x1688f0b9${singleton.slice(2).padStart(64, '0')}`;

  /** What counts when the calls are measured, in what the bundler spends, and in what the calls take of that. */
  async function counted(question: {
    version?: '0.7' | '0.9';
    factory?: Address;
    factoryData?: Hex;
    settings?: object;
    accountFacts?: object;
  }) {
    const { version = '0.7', factory, factoryData = safeOf(LAUNCHPAD), settings, accountFacts = {} } = question;
    let setupGas: bigint | undefined;
    const known = (asked: CallGasQuestion) => {
      setupGas = asked.setupGas;
      return 10n ** 9n;
    };
    const policy = { settings: { ...DEFAULT_PAYMASTER_SETTINGS, ...settings } };
    const asking = {
      chain: { ...caller.chain, callGas: { known } },
      paymaster: { policy },
    } as unknown as Caller;
    const operation = userOperationV07Builder(version)
      .with('factory', factory)
      .with('factoryData', factoryData)
      .build();
    const decoded = { understood: true, shape: 'setupSafe', calls: [], setupGas: SETUP_GAS } as const;
    const facts = { caller: asking, operation: { ...operation, callGasLimit: 10n ** 7n }, decoded, accountFacts };
    const constants = PAYMASTER_GAS_CONSTANTS[version];
    const stub = { paymasterAndData: '0x', paymasterGasLimits: constants } as unknown as SponsorTerms['stub'];
    const costs = bundlersCosts(facts, { stub });
    await justifiedCallGas(facts, { constants }, costs);
    const { leastTransactionGas } = bundlersCosts({ caller: asking, operation: facts.operation }, { stub }).reference;
    const { reference } = costs;
    return [setupGas, reference.leastTransactionGas - leastTransactionGas, reference.leastCallGas];
  }

  it.each<[string, Address, Hex, bigint]>([
    ['a Safe', SAFE_FACTORY, safeOf(SAFE), 255_000n],
    ['a Safe that its launchpad sets up later', SAFE_FACTORY, safeOf(LAUNCHPAD), 132_000n],
    ["MetaMask's DeleGator", METAMASK_FACTORY, '0x', 151_000n],
  ])('counts where a factory of a known family deploys %s', async (_account, factory, factoryData, leastGas) => {
    const deploymentGas = leastGas - DEPLOYMENT_GAS;
    const expected = [SETUP_GAS, deploymentGas + SETUP_GAS, SETUP_GAS];
    expect(await counted({ factory, factoryData })).toEqual(expected);
  });

  it.each<[string, Parameters<typeof counted>[0]]>([
    ['the account is there already', { accountFacts: { accountImplementation: { known: true } } }],
    ['its EntryPoint skips the factory of accounts that are there', { version: '0.9', factory: SAFE_FACTORY }],
    ["the factory is from the operator's list", { factory: randomAddress() }],
    ['any factory may deploy it', { factory: SAFE_FACTORY, settings: { allowUnknownFactories: true } }],
    ['the account runs the code of a delegate', { accountFacts: { eip7702Delegate: randomAddress() } }],
  ])('does not count where %s', async (_title, question) => {
    expect(await counted(question)).toEqual([0n, 0n, 0n]);
  });
});

describe('assertGasWithinBounds', () => {
  it('counts a deployment by a known factory as a cost of the bundler, where the account was looked at', () => {
    const paymasterAndData: Hex = `0x${'11'.repeat(158)}`;
    const stub = {
      paymasterAndData,
      paymasterGasLimits: PAYMASTER_GAS_CONSTANTS['0.7'],
    } as unknown as SponsorTerms['stub'];
    const factory: Address = '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985';
    const deploying = {
      ...userOperationV07Builder('0.7').with('factory', factory).with('factoryData', '0x').build(),
      ...{ callGasLimit: 60_000n, maxFeePerGas: 32n * GWEI, maxPriorityFeePerGas: 2n * GWEI },
    };
    const { bounds } = caller.chain.config;
    const most = maxPreVerificationGas(bundlersCosts({ caller, operation: deploying }, { stub }).reference, bounds);
    const asked = { caller, operation: { ...deploying, preVerificationGas: most + 1n }, trace: [] };
    expect(() => assertGasWithinBounds(asked, { stub })).toThrow('preVerificationGas is too high');
    expect(() => assertGasWithinBounds({ ...asked, accountFacts: {} as never }, { stub })).not.toThrow();
  });
});

describe('bundlersCosts', () => {
  it.each([
    ['what the chain may ask at most', { expected: 100n, highest: 5_000n }, 5_000n],
    ['what it is expected to ask, and what the operator adds', { expected: 1_000n, highest: 1_000n }, 1_100n],
  ])('has the L1 fee in it once: %s', (_title, preVerificationGas, l1Gas) => {
    const bounds = { ...caller.chain.config.bounds, maxBundlerReturnPercent: 110n };
    const config = { ...caller.chain.config, bounds };
    const chain = { ...caller.chain, config, l1Fees: { preVerificationGas: () => preVerificationGas } };
    const stub = {
      paymasterAndData: '0x',
      paymasterGasLimits: PAYMASTER_GAS_CONSTANTS['0.7'],
    } as unknown as SponsorTerms['stub'];
    const operation = userOperationV07Builder().build();
    expect(bundlersCosts({ caller: { chain } as unknown as Caller, operation }, { stub }).l1Gas).toBe(l1Gas);
  });
});
