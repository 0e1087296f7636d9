import { PAYMASTER_GAS_CONSTANTS } from '@paymaster/chain';
import type { UserOperation } from '@paymaster/domain';
import { userOperationV07Builder } from '@paymaster/domain/testing';
import { OwnLimitsMemory } from '@paymaster/gas';
import { ClientBoundError } from '@paymaster/ledger';
import { exampleCaller } from '../../testing/examples/example-world';
import { ownAnswerAfter } from './own-answer';
import type { PolicyQuestion } from '../rules/sponsorship-policy';

const GWEI = 10n ** 9n;
const OWN = { callGasLimit: 40_000n, verificationGasLimit: 60_000n, preVerificationGas: 52_000n };
const TERMS = {
  constants: PAYMASTER_GAS_CONSTANTS['0.7'],
  stub: { paymasterAndData: `0x${'11'.repeat(158)}`, paymasterGasLimits: PAYMASTER_GAS_CONSTANTS['0.7'] },
  feeMarkupMillionths: 1_000_000n,
} as never;
const USED_UP = new ClientBoundError({ bound: 'excess', usedWei: 9n, limitWei: 10n });

/** Asks after a refusal of an operation with our own limits but for what the test changes. */
function after(error: unknown, changes: Partial<UserOperation> = {}) {
  const example = exampleCaller();
  let estimates = 0;
  const chain = {
    ...example.chain,
    head: { ...example.chain.head, baseFeePerGasWei: () => GWEI },
    fees: {
      ...{ marketTipWei: () => GWEI, suggestedPriorityFeePerGasWei: () => GWEI },
      maxPriorityFeePerGasWei: () => 2n * GWEI,
    },
    l1Fees: { preVerificationGas: () => ({ expected: 0n, highest: 0n }) },
    simulations: { takeWhenFree: () => undefined, leave: () => undefined },
    gas: { estimateGasLimits: () => Promise.resolve((estimates++, OWN)) },
    ownLimits: new OwnLimitsMemory(),
  };
  const operation = {
    ...userOperationV07Builder('0.7').with('factory', undefined).with('factoryData', undefined).build(),
    // The longest that the builder draws: to less call data our own answer is less than OWN.
    callData: `0x${'ab'.repeat(256)}`,
    ...{ ...OWN, maxFeePerGas: 3n * GWEI, maxPriorityFeePerGas: GWEI, eip7702Auth: undefined, ...changes },
  } as UserOperation;
  const question = { caller: { ...example, chain }, operation, account: undefined } as unknown as PolicyQuestion;
  const answer = ownAnswerAfter(error, question, { terms: TERMS, sponsor: TERMS });
  return { answer, estimates: () => estimates };
}

describe('an operation that asks more beyond our own answer than its network has left', () => {
  it('passes when its limits and tip are our own answer, which another process gave', async () => {
    const { answer, estimates } = after(USED_UP);
    expect(await answer).toMatchObject({ isOwnAnswer: true, excessWei: 0n });
    expect(estimates()).toBe(1);
  });

  it.each([
    ['callGasLimit', 400_000n],
    ['preVerificationGas', 62_000n],
    ['maxPriorityFeePerGas', 2n * GWEI],
  ] as const)('is told the limits and fees that pass at once, where its %s is higher', async (field, value) => {
    const { answer } = after(USED_UP, { [field]: value });
    const refusal = await answer.catch((error: ClientBoundError) => error);
    expect(refusal).toMatchObject({ reason: 'ASKED_BEYOND_OWN_ANSWER', details: { usedWei: '9' } });
    const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = (
      refusal as ClientBoundError
    ).details as Record<string, string>;
    const named = { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas };
    const numbers = Object.fromEntries(Object.entries(named).map(([name, number]) => [name, BigInt(number as string)]));
    expect(await after(USED_UP, numbers).answer).toMatchObject({ isOwnAnswer: true });
  });

  it('is refused by every other bound as before', async () => {
    const other = new ClientBoundError({ bound: 'room', usedWei: 9n, limitWei: 10n });
    await expect(after(other).answer).rejects.toBe(other);
  });
});
