import { SimulationFailedError, type Hex } from '@paymaster/domain';
import { randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import { ClientTurns, NO_DEADLINE } from '@paymaster/turns';
import { exampleCaller } from '../../testing/examples/example-world';
import { executeCall } from '../../testing/rpc-call';
import { sponsorTerms } from '../terms/sponsor-terms';
import { advisingApproval } from './advise-approval';
import { AllowanceTooLowError } from './token-refusals';

const token = randomAddress();
const APPROVE_DIGITS = 10 + 2 * 64;

/** Amounts of the approvals in some calls. */
const amountsIn = (calls: ReadonlyArray<{ data: Hex }>) =>
  calls.filter(({ data }) => data.length === APPROVE_DIGITS).map(({ data }) => BigInt(`0x${data.slice(74)}`));

/** @param takes whether a token lets the account make these approvals; undefined where no node can say */
function question(takes: (amounts: readonly bigint[]) => boolean | undefined) {
  const caller = exampleCaller();
  const succeeds = async ({ calls }: { calls: ReadonlyArray<{ data: Hex }> }) => takes(amountsIn(calls));
  const turns = { perClient: 8, perPaymaster: 8 };
  const chain = { ...caller.chain, trial: { succeeds }, simulations: new ClientTurns(turns) };
  chain.config = { ...chain.config, bounds: { ...chain.config.bounds, maxCallGasLimit: 5_000_000n } };
  const { paymaster: spender } = sponsorTerms(caller, '0.7');
  const approval: Hex = `0x095ea7b3${spender.slice(2).padStart(64, '0')}${'5'.padStart(64, '0')}`;
  const operation = userOperationV07Builder()
    .with('callData', executeCall({ to: token, data: approval }))
    .build();
  const asking = { ...caller, chain, deadlineMs: NO_DEADLINE } as unknown as typeof caller;
  return { spender, question: { caller: asking, operation, account: undefined, token } };
}

/** As USDT: an allowance of 7 may become 0, and nothing else. */
const likeUsdt = (amounts: readonly bigint[]): boolean => amounts[0] === 0n;

describe('advisingApproval', () => {
  const tooLow = new AllowanceTooLowError('call approve(it, 100)', 7n);
  const told = async (asked: ReturnType<typeof question>['question'], error: Error = tooLow) =>
    (await advisingApproval(asked, Promise.reject(error)).catch((thrown: Error) => thrown)) as Error;

  it('keeps advice that works, and advice of which no node can say whether it works', async () => {
    expect(await told(question(() => true).question)).toBe(tooLow);
    expect(await told(question(() => undefined).question)).toBe(tooLow);
  });

  it('says approve(spender, 0) first for a token that refuses to change an allowance', async () => {
    const { question: asked, spender } = question(likeUsdt);
    expect(await told(asked)).toMatchObject({
      reason: 'TOKEN_ALLOWANCE_TOO_LOW',
      message: `account has not approved the paymaster: call approve(${spender}, 0) on ${token} first, then call approve(it, 100).`,
      details: { allowanceBaseUnits: '7' },
    });
  });

  it('gives no advice where none works', async () => {
    const message = 'account has not approved the paymaster.';
    expect(await told(question(() => false).question)).toMatchObject({ message });
  });

  it("says it too where the operation's own approval fails, and only if a reset mends that", async () => {
    const failed = new SimulationFailedError('EXECUTION_SIMULATION_FAILED', 'it reverts', { revertReason: 'no' });
    const { question: asked, spender } = question(likeUsdt);
    expect(await told(asked, failed)).toMatchObject({
      reason: 'EXECUTION_SIMULATION_FAILED',
      message: `it reverts; the token refuses to change an allowance that is not zero: call approve(${spender}, 0) on ${token} first`,
      details: { revertReason: 'no' },
    });
    expect(await told(question(() => false).question, failed)).toBe(failed);
    // The calls succeed without a reset too, so they fail for another reason.
    expect(await told(question(() => true).question, failed)).toBe(failed);
    const ofValidation = new SimulationFailedError('VALIDATION_SIMULATION_FAILED', 'AA23');
    expect(await told(asked, ofValidation)).toBe(ofValidation);
  });
});
