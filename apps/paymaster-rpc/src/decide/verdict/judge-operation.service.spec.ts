import { NO_SPAN } from '@paymaster/tracing';
import { type AccountGasLimits, type UserOperation } from '@paymaster/domain';
import { rulesPolicyBuilder, userOperationV07Builder } from '@paymaster/domain/testing';
import { exampleCaller, MINT_CALL, SENDER } from '../../testing/examples/example-world';
import { JudgeOperation, type SponsorRequest } from './judge-operation.service';
import type { LimitChanges } from '../rules/limit-changes';
import { OwnerPolicies } from '../facts/owner-policies.service';

const ESTIMATE: AccountGasLimits = {
  callGasLimit: 40_000n,
  verificationGasLimit: 60_000n,
  preVerificationGas: 50_000n,
};

const GWEI = 10n ** 9n;

/**
 * Judges an operation that the example paymaster sponsors, with limits of which the client changes some. Once the chain
 * is read again, tips may be as high as `laterBoundWei`; before, two gwei.
 */
function judge(limitChanges: LimitChanges, { tipWei = GWEI, laterBoundWei = 2n * GWEI } = {}) {
  let boundWei = 2n * GWEI;
  const policy = rulesPolicyBuilder().with('policyId', 'tight').build();
  const rules = { ...policy.rules, maxCallGasPercentOfEstimate: 120 };
  const example = exampleCaller({}, { policies: [{ ...policy, rules }] });
  const chain = {
    ...example.chain,
    head: {
      ...example.chain.head,
      assertNotHalted: () => undefined,
      nowSeconds: () => 1_800_000_000,
      baseFeePerGasWei: () => 15n * GWEI,
    },
    fees: {
      ...example.chain.fees,
      maxPriorityFeePerGasWei: () => boundWei,
      readAgain: () => Promise.resolve(void (boundWei = laterBoundWei)),
    },
    signer: { assertMember: () => undefined },
    accounts: { rememberedCode: () => undefined, implementationOf: () => Promise.resolve({ known: true }) },
    funding: { assertCovers: () => Promise.resolve() },
    simulations: { takeWhenFree: () => undefined, leave: () => undefined },
    gas: { estimateGasLimits: () => Promise.resolve(ESTIMATE) },
    l1Fees: { preVerificationGas: () => ({ expected: 0n, highest: 0n }) },
    ownLimits: { of: () => ESTIMATE, remember: () => undefined },
  };
  const caller = { ...example, chain } as unknown as SponsorRequest['caller'];
  const operation: UserOperation = {
    ...userOperationV07Builder().build(),
    ...{ sender: SENDER, callData: MINT_CALL, factory: undefined, factoryData: undefined, eip7702Auth: undefined },
    ...{ maxFeePerGas: 20n * GWEI, maxPriorityFeePerGas: tipWei, signature: `0x${'ab'.repeat(65)}` },
  };
  const service = new JudgeOperation(new OwnerPolicies({} as never), { maxExpirySeconds: 3_600 } as never);
  const expiry = { seconds: undefined, field: 'params[0]' };
  return service.judge(
    { mode: 'sponsored', caller, operation, account: undefined, calculateGasLimits: true, expiry, limitChanges },
    NO_SPAN,
  );
}

describe('what a client changes of an estimate', () => {
  it('is measured against our estimate by the policy that bounds call gas', async () => {
    await expect(judge({ callGasLimit: { millionths: 1_500_000n } })).rejects.toMatchObject({
      reason: 'CALL_GAS_ABOVE_ESTIMATE',
    });
    const { limits } = await judge({ callGasLimit: { millionths: 1_100_000n } });
    expect(limits.operation.callGasLimit).toBe(44_000n);
  });
});

describe('a tip above the bound', () => {
  it('passes where the chain pays it by now, and is refused where it does not', async () => {
    const { limits } = await judge({}, { tipWei: 4n * GWEI, laterBoundWei: 4n * GWEI });
    expect(limits.operation.maxPriorityFeePerGas).toBe(4n * GWEI);
    await expect(judge({}, { tipWei: 4n * GWEI })).rejects.toMatchObject({
      reason: 'MAX_PRIORITY_FEE_PER_GAS_TOO_HIGH',
    });
  });
});

describe('a refusal', () => {
  const trace = expect.arrayContaining([expect.objectContaining({ outcome: 'pass' })]) as unknown;

  it('keeps the trace of the calls, and what the operation could cost once that is known', async () => {
    const ofFees = judge({}, { tipWei: 4n * GWEI });
    await expect(ofFees).rejects.toMatchObject({ found: { trace }, prechargeWei: null });
    const ofPolicy = judge({ callGasLimit: { millionths: 1_500_000n } });
    await expect(ofPolicy).rejects.toMatchObject({ found: { trace }, prechargeWei: expect.any(BigInt) as unknown });
  });
});
