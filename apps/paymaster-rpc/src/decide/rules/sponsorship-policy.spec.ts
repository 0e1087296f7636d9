import { PAYMASTER_GAS_CONSTANTS, parseChains } from '@paymaster/chain';
import {
  DEFAULT_PAYMASTER_SETTINGS,
  ENTRY_POINT_VERSIONS,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { OwnLimitsMemory } from '@paymaster/gas';
import type { Caller } from '../../callers/caller';
import { toldByBundler } from '../../../proofs/siphon/bundler-demand';
import type { SponsorTerms } from '../terms/sponsor-terms';
import { bundlersCosts } from '../terms/bundlers-costs';
import { judgeGas } from './sponsorship-policy';

const GWEI = 1_000_000_000n;
const PAYMASTER_AND_DATA: Hex = `0x${'11'.repeat(158)}`;

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
    ownLimits: new OwnLimitsMemory(),
  } as unknown as Caller['chain'];
}

const paymaster = { policy: { settings: DEFAULT_PAYMASTER_SETTINGS } };
const callerOn = (ofChain: Caller['chain']): Caller => ({ chain: ofChain, paymaster }) as unknown as Caller;
const termsOf = (version: EntryPointVersion): SponsorTerms => {
  const constants = PAYMASTER_GAS_CONSTANTS[version];
  return { constants, stub: { paymasterAndData: PAYMASTER_AND_DATA, paymasterGasLimits: constants } } as never;
};

/** An operation of 200 bytes of call data that is already there. */
function operationOf(version: EntryPointVersion, gas: Partial<UserOperation> = {}): UserOperation {
  const built =
    version === '0.6'
      ? userOperationV06Builder().with('initCode', '0x').build()
      : userOperationV07Builder(version).with('factory', undefined).with('factoryData', undefined).build();
  const fees = { nonce: 1n, maxFeePerGas: 30n * GWEI, maxPriorityFeePerGas: GWEI };
  return { ...built, callData: randomHex(200), signature: randomHex(65), ...fees, ...gas } as UserOperation;
}

const assertSigned = (caller: Caller, operation: UserOperation, isOwnAnswer = false): void => {
  judgeGas({ caller, operation, trace: [], isOwnAnswer }, termsOf(operation.entryPointVersion));
};

describe.each(ENTRY_POINT_VERSIONS)('the default bounds on v%s', (version) => {
  const LIMITS = { callGasLimit: 40_000n, verificationGasLimit: 60_000n, preVerificationGas: 50_000n };

  it('sign limits that tutorials write by hand', () => {
    const byHand = { callGasLimit: 100_000n, verificationGasLimit: 200_000n, preVerificationGas: 60_000n };
    const caller = callerOn(chain());
    const operation = operationOf(version, byHand);
    caller.chain.ownLimits.remember(operation, LIMITS);
    expect(() => assertSigned(caller, operation)).not.toThrow();
  });

  it.each([65, 195, 325, 1_000])('sign what alto tells a client with a signature of %d bytes', async (bytes) => {
    for (const length of [0, 200, 1_000, 5_800]) {
      const signature: Hex = `0x${'ab'.repeat(bytes)}`;
      const operation = operationOf(version, { ...LIMITS, callData: randomHex(length), signature });
      const preVerificationGas = await toldByBundler([{ operation, paymasterAndData: PAYMASTER_AND_DATA }]);
      expect(() => assertSigned(callerOn(chain()), { ...operation, preVerificationGas })).not.toThrow();
    }
  });

  it('never refuse what the gateway calculated, when it comes back too', () => {
    const caller = callerOn(chain());
    const own = { callGasLimit: 6_000_000n, verificationGasLimit: 3_000_000n, preVerificationGas: 1_000_000n };
    const operation = operationOf(version, own);
    expect(() => assertSigned(caller, operation)).toThrow('is too high to be sponsored');
    expect(() => assertSigned(caller, operation, true)).not.toThrow();
    caller.chain.ownLimits.remember(operation, own);
    const within = { ...operation, callGasLimit: 5_000_000n, verificationGasLimit: 2_000_000n };
    expect(() => assertSigned(caller, within)).not.toThrow();
  });

  it.each(['callGasLimit', 'verificationGasLimit', 'preVerificationGas'] as const)(
    'refuse a forged %s, and pass with the limit that the refusal names',
    (field) => {
      const caller = callerOn(chain());
      const operation = operationOf(version, { ...LIMITS, [field]: 10n ** 12n });
      let limit = '';
      try {
        assertSigned(caller, operation);
      } catch (error) {
        limit = (error as { details: { limit: string } }).details.limit;
      }
      expect(() => assertSigned(caller, { ...operation, [field]: BigInt(limit) })).not.toThrow();
    },
  );

  it('refuse forged limits of an operation of which less was measured', () => {
    const caller = callerOn(chain());
    const operation = operationOf(version, { ...LIMITS, callGasLimit: 270_001n });
    caller.chain.ownLimits.remember(operation, LIMITS);
    expect(() => assertSigned(caller, operation)).toThrow('callGasLimit is too high');
    expect(() => assertSigned(caller, { ...operation, callGasLimit: 270_000n })).not.toThrow();
  });
});

describe('bundlersCosts', () => {
  it.each([
    ['what the chain may ask at most', { expected: 100n, highest: 5_000n }, 5_000n],
    ['what it is expected to ask, and what the operator adds', { expected: 1_000n, highest: 1_000n }, 1_100n],
  ])('has the L1 fee in it once: %s', (_title, preVerificationGas, highestL1Gas) => {
    const served = chain();
    const config = { ...served.config, bounds: { ...served.config.bounds, maxL1GasPercent: 110n } };
    const caller = callerOn({ ...served, config, l1Fees: { preVerificationGas: () => preVerificationGas } } as never);
    const costs = bundlersCosts({ caller, operation: operationOf('0.7') }, termsOf('0.7'));
    expect(costs).toMatchObject({ l1Gas: preVerificationGas.expected, highestL1Gas });
  });
});
