import { maxUint256 } from 'viem';
import { readStack, startNatsOf, stopNatsOf } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { untilBooked } from './support/booked';
import { land, landed, submit, type Landed } from './support/bundler';
import { execute, executeBatch } from './support/call-data';
import { add, INCREMENT } from './support/demo-contract';
import { eventually, PATIENCE_MS } from './support/eventually';
import type { FreshPaymaster } from './support/fresh-paymaster';
import { call, resultOf, type SponsoredResult } from './support/json-rpc';
import { operationIn, operationsOf, usageOf } from './support/operations';
import { depositOf } from './support/paymaster-contract';
import { limited, PolicyWorld, rules } from './support/policies';
import { draftOperation, newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { LIMITS, withSponsorship } from './support/sponsor';
import { signOperation, type WireOperation } from './support/wire-operation';

const stack = readStack();
const demo = stack.demoContract.address;
const version = '0.7';
const LIMIT = 'SPENDING_LIMIT_REACHED';
/** Reconnecting to NATS, and what piled up. */
const CAUGHT_UP_MS = 2 * PATIENCE_MS;
const increment = execute({ to: demo, data: INCREMENT });

let world: PolicyWorld;

beforeAll(async () => {
  world = await PolicyWorld.open(stack);
});

async function draft(callData = increment): Promise<{ account: SimpleAccount; operation: WireOperation }> {
  const account = await newSimpleAccount(stack, version);
  const drafted = await draftOperation(stack, account, { callData });
  return { account, operation: { ...drafted, ...world.fees, ...LIMITS } };
}

type Signed = (operation: WireOperation, account: SimpleAccount) => Promise<WireOperation>;
const sponsoredBy =
  (paymaster: FreshPaymaster): Signed =>
  async (operation, { owner }) => {
    const result = resultOf<SponsoredResult>(await world.ask(paymaster, operation));
    return signOperation(withSponsorship(operation, result), { stack, version, owner });
  };

const chain = async <T>(method: string, ...params: unknown[]): Promise<T> =>
  resultOf<T>(await call({ url: stack.chainRpc, method, params }));

/** Blocks only when told: what lands stays so until the chain goes on. */
async function withoutNewBlocks<T>(work: () => Promise<T>): Promise<T> {
  await chain('evm_setIntervalMining', 0);
  try {
    return await work();
  } finally {
    await chain('evm_setIntervalMining', 1);
  }
}

/** Lands an operation while blocks come only when told, in the newest of them. */
async function landInNewestBlock(operation: WireOperation): Promise<Landed> {
  const userOpHash = resultOf<Hex>(await submit(stack, version, operation));
  await eventually(PATIENCE_MS, async () => {
    const { pending } = await chain<{ pending: Hex }>('txpool_status');
    if (Number(pending) > 0) await chain('anvil_mine', '0x1');
    const receipt = await call({ url: stack.bundler, method: 'eth_getUserOperationReceipt', params: [userOpHash] });
    expect(receipt.body.result).toBeTruthy();
  });
  return landed(stack, userOpHash);
}

const usedWei = async (paymaster: FreshPaymaster): Promise<string | undefined> => {
  const { budgets } = await world.explain(paymaster, world.operation());
  return budgets.find(({ unit }) => unit === 'wei')?.used;
};

describe('an operation', () => {
  let paymaster: FreshPaymaster;
  let foreign: FreshPaymaster;
  let first: Awaited<ReturnType<typeof draft>>;
  let second: Awaited<ReturnType<typeof draft>>;
  let signed: WireOperation;
  let costWei: bigint;
  let depositWei: bigint;
  let result: Landed;

  // One story in order: each part starts where the one before it ended.
  it('granted: its owner sees who would pay at most what', async () => {
    [first, second, foreign] = [await draft(), await draft(), await world.foreignPaymasterWith([])];
    costWei = BigInt((await world.explain(foreign, first.operation)).maxCostWei ?? 0);
    const amount = `${(costWei * 19n) / 10n}`;
    paymaster = await world.paymasterWith([limited({ scope: 'PAYMASTER', measure: 'WEI', amount, cycle: 'LIFETIME' })]);
    expect(await world.outcome(foreign, first.operation)).toBe('granted');
    signed = await sponsoredBy(paymaster)(first.operation, first.account);

    const { sender } = first.operation;
    const shown = await operationIn(stack, paymaster, { state: 'granted', sender });
    expect(shown).toMatchObject({ grants: 1, expectedCostWei: `${costWei}`, actualCostWei: null });
    expect(shown.policyId).toEqual(expect.any(String));
    expect(shown.trace?.at(-1)).toMatchObject({ rule: 'Rules: limit per PAYMASTER and LIFETIME', outcome: 'pass' });
    expect(await usedWei(paymaster)).toBe(`${costWei}`);
  });

  it('refused: its owner sees why', async () => {
    expect(await world.outcome(paymaster, second.operation)).toBe(LIMIT);
    const { sender } = second.operation;
    const shown = await operationIn(stack, paymaster, { state: 'refused', sender });
    expect(shown).toMatchObject({ reason: LIMIT, policyId: null, userOpHash: null });
    expect(shown.trace?.at(-1)).toMatchObject({ outcome: 'refuse' });
  });

  it('landed: held at its maximum until its block is final', async () => {
    depositWei = await depositOf(stack, version, paymaster.fundingWallet.address);
    await withoutNewBlocks(async () => {
      result = await landInNewestBlock(signed);
      expect(result.success).toBe(true);
      const { sender } = first.operation;
      const shown = await operationIn(stack, paymaster, { state: 'landed', sender });
      expect(shown).toMatchObject({ success: true, transactionHash: result.transactionHash });
      expect(await usedWei(paymaster)).toBe(`${costWei}`);
      expect(await world.outcome(paymaster, second.operation)).toBe(LIMIT);
    });
  });

  it("settled: charged what the chain charged, the rest is the next one's", async () => {
    const { sender } = first.operation;
    const shown = await operationIn(stack, paymaster, { state: 'settled', sender });
    const leftWei = await depositOf(stack, version, paymaster.fundingWallet.address);
    const chargedWei = depositWei - leftWei;
    expect(shown).toMatchObject({ actualCostWei: `${chargedWei}`, gasCostWei: `${result.actualGasCostWei}` });
    expect(chargedWei).toBeLessThan(costWei);
    expect(await usedWei(paymaster)).toBe(`${chargedWei}`);
    await eventually(PATIENCE_MS, async () =>
      expect(await usageOf(stack, paymaster)).toMatchObject({ granted: 1, settled: 1, spentWei: `${chargedWei}` }),
    );
    expect(await world.outcome(paymaster, second.operation)).toBe('granted');
  });

  it('of a tenant that signed the same sender and nonce is voided, and costs it nothing', async () => {
    const { sender } = first.operation;
    const shown = await operationIn(stack, foreign, { state: 'voided', sender });
    expect(shown).toMatchObject({ voidReason: 'nonceUsed', actualCostWei: null });
    await eventually(PATIENCE_MS, async () =>
      expect(await usageOf(stack, foreign)).toMatchObject({ granted: 1, voided: 1, settled: 0, spentWei: '0' }),
    );
  });
});

describe('revertBreaker', () => {
  it('allows, until what was sponsored reverts; then refuses whoever asks', async () => {
    const revertBreaker = { maxRevertPercent: 0, minOperations: 1, windowMinutes: 60 };
    const paymaster = await world.paymasterWith([rules({ revertBreaker })]);
    const overflow = [add(maxUint256), add(1n)].map((data) => ({ to: demo, data }));
    const { account, operation } = await draft(executeBatch(version, overflow));
    const { success } = await land(stack, version, await sponsoredBy(paymaster)(operation, account));
    expect(success).toBe(false);
    await eventually(PATIENCE_MS, async () =>
      expect(await world.outcome(paymaster, world.operation())).toBe('REVERT_RATE_TOO_HIGH'),
    );
    expect(await world.outcome(paymaster, world.operation({ sender: account.address, nonce: '0x1' }))).toBe(
      'REVERT_RATE_TOO_HIGH',
    );
    expect(await world.outcome(await world.paymasterWith([rules({ revertBreaker })]), world.operation())).toBe(
      'granted',
    );
    await eventually(PATIENCE_MS, async () =>
      expect(await usageOf(stack, paymaster)).toMatchObject({ settled: 1, reverted: 1 }),
    );
  });
});

describe('an outage of nats-server', () => {
  afterAll(() => startNatsOf(stack));

  it('passes no limit and loses no operation: the owner sees all of them afterwards, once', async () => {
    const { account, operation } = await draft();
    const paymaster = await world.paymasterWith([
      limited({ scope: 'PAYMASTER', measure: 'COUNT', amount: 3, cycle: 'LIFETIME' }),
    ]);
    // The gateway has to have heard of the paymaster before.
    expect(await world.outcome(paymaster, operation)).toBe('granted');
    await stopNatsOf(stack);
    const signed = await sponsoredBy(paymaster)(operation, account);
    expect(await world.burst(paymaster, world.operations(9))).toEqual({ granted: 2, refusals: [LIMIT] });
    const { actualGasCostWei } = await land(stack, version, signed);
    await untilBooked(stack);
    expect(await operationsOf(stack, paymaster, { state: 'settled' })).toEqual([]);
    await startNatsOf(stack);

    const settled = { state: 'settled', sender: operation.sender, withinMs: CAUGHT_UP_MS };
    await eventually(CAUGHT_UP_MS, async () =>
      expect(await operationIn(stack, paymaster, settled)).toMatchObject({
        ...{ grants: 2, gasCostWei: `${actualGasCostWei}` },
      }),
    );
    await eventually(CAUGHT_UP_MS, async () =>
      expect(await usageOf(stack, paymaster)).toMatchObject({ granted: 3, refused: 7, settled: 1 }),
    );
  });
});
