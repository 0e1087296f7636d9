import { PAYMASTER_GAS_CONSTANTS } from '@paymaster/chain';
import type { EntryPointVersion, UserOperation } from '@paymaster/domain';
import { userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { askedOfWallet, type AskedQuestion } from './asked-of-wallet';

const GWEI = 10n ** 9n;
const ETHER = 10n ** 18n;
const LIMITS = { callGasLimit: 60_000n, verificationGasLimit: 60_000n, preVerificationGas: 55_000n };
/** Our own answer asks for 50,000 gas and a tenth. */
const REFERENCE = {
  preVerificationGas: 50_000n,
  longSignatureGas: 0n,
  sparedDataGas: 0n,
  transactionGas: 0n,
  bundlersGas: 0n,
};

/** An operation with our own limits, on a chain of one gwei where tips equal the base fee. */
function asked(
  more: Partial<Omit<AskedQuestion, 'operation'>> & {
    operation?: Partial<UserOperation>;
    version?: EntryPointVersion;
  } = {},
) {
  const { operation = {}, version = '0.7', ...question } = more;
  const built = version === '0.6' ? userOperationV06Builder().build() : userOperationV07Builder(version).build();
  const fees = { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI, eip7702Auth: undefined };
  return askedOfWallet({
    operation: { ...built, ...LIMITS, ...fees, ...operation } as UserOperation,
    constants: PAYMASTER_GAS_CONSTANTS[version],
    feeMarkupMillionths: 1_000_000n,
    costs: { reference: REFERENCE, l1Gas: 0n, highestL1Gas: 0n, longSignatureGas: 0n },
    hasOwnLimits: false,
    measured: LIMITS,
    baseFeeWei: GWEI,
    marketTipWei: GWEI,
    ...question,
  });
}

describe('what an operation asks beyond our own answer', () => {
  it('is nothing for our own limits with the tip of the market, whoever sends them', () => {
    expect(asked({ hasOwnLimits: true, measured: undefined })).toMatchObject({ excessWei: 0n, isOwnAnswer: true });
    expect(asked()).toMatchObject({ excessWei: 0n, isOwnAnswer: true });
  });

  it('is a tip above the market, also where the base fee has to fall before all of it is paid', () => {
    const low = { maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: (3n * GWEI) / 2n };
    const { expectedWei, excessWei } = asked({ operation: low });
    expect(excessWei).toBe(expectedWei / 4n);
  });

  it('is each gas of preVerificationGas above it', () => {
    const { excessWei, isOwnAnswer } = asked({ operation: { preVerificationGas: 65_000n } });
    expect([excessWei, isOwnAnswer]).toEqual([10_000n * 2n * GWEI, false]);
  });

  it('is a tenth of call gas above it from v0.7 on, and nothing on v0.6', () => {
    const operation = { callGasLimit: 160_000n };
    expect(asked({ operation }).excessWei).toBe(10_000n * 2n * GWEI);
    expect(asked({ operation, version: '0.6' }).excessWei).toBe(0n);
    // v0.8 forgives up to 39,999.
    expect(asked({ operation: { callGasLimit: 99_999n }, version: '0.8' }).excessWei).toBe(0n);
    expect(asked({ operation, version: '0.8' }).excessWei).toBe(10_000n * 2n * GWEI);
  });

  it('is a tenth of all call gas where nothing was measured', () => {
    expect(asked({ operation: { callGasLimit: 100_000n }, measured: undefined }).excessWei).toBe(10_000n * 2n * GWEI);
  });

  it('is the tip above the market’s, of all its gas, our own limits or not', () => {
    const dear = asked({ operation: { maxPriorityFeePerGas: 2n * GWEI }, hasOwnLimits: true });
    expect(dear).toMatchObject({ excessWei: dear.expectedWei / 3n, isOwnAnswer: false });
    expect(asked({ operation: { maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: 3n * GWEI } }).excessWei).toBe(
      dear.excessWei,
    );
  });

  it('is a signature beyond the usual, because its owner may leave it out', () => {
    const costs = {
      ...{ reference: { ...REFERENCE, preVerificationGas: 53_200n, longSignatureGas: 3_200n } },
      ...{ l1Gas: 1_000n, highestL1Gas: 1_000n, longSignatureGas: 3_700n },
    };
    const operation = { preVerificationGas: 59_700n };
    expect(asked({ operation, costs }).excessWei).toBe(4_200n * 2n * GWEI);
    const own = asked({ operation, costs, hasOwnLimits: true });
    expect(own).toMatchObject({ excessWei: 0n, isOwnAnswer: true });
    expect(own.roomMillionths).toBeLessThan(asked({ hasOwnLimits: true }).roomMillionths);
  });
});

describe('the own answer', () => {
  it('is no answer for an operation whose preVerificationGas our own would not have, whatever was answered before', () => {
    const costs = { reference: REFERENCE, l1Gas: 0n, highestL1Gas: 0n, longSignatureGas: 0n };
    const measured = { ...LIMITS, preVerificationGas: 632_000n };
    const { isOwnAnswer, excessWei } = asked({ costs, measured, operation: { preVerificationGas: 632_000n } });
    expect([isOwnAnswer, excessWei]).toEqual([false, 577_000n * 2n * GWEI]);
  });
});

describe('what an operation is expected to cost', () => {
  it('is what it may use at the price of the moment: an account may use all that is signed', () => {
    const { paymasterVerificationGasLimit, paymasterPostOpGasLimit, unaccountedGas } = PAYMASTER_GAS_CONSTANTS['0.7'];
    const gas = 175_000n + paymasterVerificationGasLimit + paymasterPostOpGasLimit + unaccountedGas;
    expect(asked().expectedWei).toBe(gas * 2n * GWEI);
    const byHand = asked({ operation: { callGasLimit: 100_000n, verificationGasLimit: 200_000n } });
    expect(byHand.expectedWei).toBe((gas + 180_000n) * 2n * GWEI);
  });

  it('is its limits, each once on v0.6', () => {
    const { unaccountedGas } = PAYMASTER_GAS_CONSTANTS['0.6'];
    expect(asked({ version: '0.6', measured: undefined }).expectedWei).toBe((175_000n + unaccountedGas) * 2n * GWEI);
  });
});

describe('the room of a client network', () => {
  it('is 3 % of a wallet where tips equal the base fee, and 6 % where nobody tips', () => {
    const small = { callGasLimit: 1n };
    expect(asked({ operation: small }).roomMillionths).toBe(30_000n);
    expect(asked({ operation: { ...small, maxPriorityFeePerGas: 0n }, marketTipWei: 0n }).roomMillionths).toBe(60_000n);
  });

  it('is 2 % of a wallet for equal fees: what the base fee falls becomes tip', () => {
    const fees = { callGasLimit: 1n, maxFeePerGas: 2n * GWEI, maxPriorityFeePerGas: 2n * GWEI };
    expect(asked({ operation: fees })).toMatchObject({ roomMillionths: 20_000n, excessWei: 0n });
  });

  it('never lets more than 2 % of a wallet be gained, however much of the call gas is left out', () => {
    const { roomMillionths, expectedWei } = asked({ operation: { callGasLimit: 5_000_000n }, hasOwnLimits: true });
    expect(roomMillionths).toBeLessThan(22_500n);
    expect(expectedWei).toBeGreaterThan(10_000_000n * GWEI);
  });

  it('counts gas that a bundler spares a sixth more, as the search for gains found in bundles with much call data', () => {
    const { unaccountedGas, paymasterVerificationGasLimit, paymasterPostOpGasLimit } = PAYMASTER_GAS_CONSTANTS['0.7'];
    const { preVerificationGas, verificationGasLimit } = LIMITS;
    const paymasterGas = unaccountedGas + paymasterVerificationGasLimit + paymasterPostOpGasLimit;
    const billedGas = preVerificationGas + verificationGasLimit + paymasterGas;
    const roomOf = (sparedPercent: bigint): bigint => {
      const reference = { ...REFERENCE, sparedDataGas: (billedGas * sparedPercent) / 100n };
      const costs = { reference, l1Gas: 0n, highestL1Gas: 0n, longSignatureGas: 0n };
      const operation = { callGasLimit: 0n, maxPriorityFeePerGas: 0n };
      return asked({ operation, costs, measured: { ...LIMITS, callGasLimit: 0n }, marketTipWei: 0n }).roomMillionths;
    };
    expect(roomOf(86n)).toBe(20_000n);
    expect(roomOf(84n)).toBeGreaterThan(20_000n);
  });

  it('is at least ten million gas, and an ordinary operation a million', () => {
    expect(asked()).toMatchObject({ leastRoomWei: ETHER / 50n, ordinaryWei: ETHER / 500n });
  });
});

/** A wallet of one ether, and what all its bounds on a network are in an hour by operations like this. */
describe('of a wallet of 1 ETH, within an hour', () => {
  const inWallet = ({ roomMillionths, leastRoomWei }: ReturnType<typeof asked>): bigint => {
    const [room, tenth] = [(ETHER * roomMillionths) / 1_000_000n, ETHER / 10n];
    const least = leastRoomWei < tenth ? leastRoomWei : tenth;
    return room > least ? room : least;
  };
  const onChainOf = (gwei: number, more: Parameters<typeof asked>[0] = {}) => {
    const feeWei = BigInt(gwei * 1e9) / 2n;
    const fees = { maxFeePerGas: 4n * feeWei, maxPriorityFeePerGas: feeWei, ...more.operation };
    return asked({ baseFeeWei: feeWei, marketTipWei: feeWei, ...more, operation: fees });
  };

  it.each([
    ['a person who tries twenty operations at 2 gwei', 20n, onChainOf(2)],
    ['an office of fifty behind one address at 2 gwei', 50n, onChainOf(2)],
    ['5,000 operations of an unnamed server at 0.01 gwei', 5_000n, onChainOf(0.01)],
  ])('%s are refused nothing', (_who, operations, each) => {
    expect(operations * each.expectedWei).toBeLessThan(inWallet(each));
  });

  it('twenty operations with limits of tutorials and the doubled tip of viem stay within the excess', () => {
    const operation = { callGasLimit: 100_000n, verificationGasLimit: 200_000n, preVerificationGas: 60_000n };
    const { excessWei } = onChainOf(2, { operation: { ...operation, maxPriorityFeePerGas: 2n * GWEI } });
    expect(20n * excessWei).toBeLessThan(ETHER / 100n);
  });

  it('333 operations of an unnamed server at 2 gwei are not, on its first day', () => {
    const each = onChainOf(2);
    expect(333n * each.expectedWei).toBeGreaterThan(inWallet(each));
  });

  it.each([
    [0.01, 0.03],
    [1, 0.03],
    [2, 0.03],
    [10, 0.1],
    [30, 0.1],
  ])('one network takes at a price of %d gwei, half of it tip, at most %d ETH', (gwei, ether) => {
    const room = inWallet(onChainOf(gwei, { operation: { callGasLimit: 1n } }));
    expect(Number(room) / 1e18).toBeCloseTo(ether, 3);
  });
});
