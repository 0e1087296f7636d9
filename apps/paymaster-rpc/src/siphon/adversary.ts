import { encodeFunctionData, parseAbi } from 'viem';
import type { Address, EntryPointVersion, Hex, UserOperation } from '@paymaster/domain';
import { executeCall } from '../testing/rpc-call';
import type { PaidOperation } from '../token-mode/attacks/testing/bundle';
import type { Haul, Refusal, SiphonWorld } from './siphon-world';

/** What the account does with its calls once the operation lands; `Calls` of SiphonAccount. */
const CALLS = { made: 0, skipped: 1, reverted: 2, burnt: 3, clearing: 4 } as const;

/** What the attacker asks for and does: every lever at a position. */
export interface Plan {
  /** In percent of the base fee. Too much is lowered to what the refusal names. */
  readonly tipPercent: number;
  readonly maxFee: 'tight' | 'high' | 'legacy';
  /** Asked for; gas. */
  readonly preVerificationGas: number;
  readonly callGasLimit: number;
  readonly verificationGasLimit: number;
  /** Listed calls in one operation. */
  readonly listedCalls: number;
  /** Behind the arguments of the call. */
  readonly tailBytes: number;
  readonly tailIsZero: boolean;
  /** Of the signature that the gateway sees; the one that lands is empty. */
  readonly signatureBytes: number;
  readonly calls: keyof typeof CALLS;
  /** What validation burns; gas. */
  readonly validationGas: number;
  readonly operations: number;
  /** All operations of the bundle are of one account, else each of another. */
  readonly oneSender: boolean;
  /** Accounts that never sent an operation. */
  readonly freshSenders: boolean;
}

/** A plan that was carried out. */
export interface Found {
  readonly version: EntryPointVersion;
  readonly baseFeeWei: bigint;
  readonly plan: Plan;
  readonly haul: Haul;
  /** The fields that were signed in the end, of the first operation. */
  readonly signed: Readonly<Record<string, string>>;
}

type Random = () => number;

const BATCH = parseAbi(['function executeBatch(address[] targets, bytes[] datas)']);
/** A wallet follows what a refusal names, field after field. */
const MOST_ASKED = 8;

const LEVERS: { readonly [Lever in keyof Plan]: ReadonlyArray<Plan[Lever]> } = {
  tipPercent: [0, 0.5, 1, 2, 10, 500],
  maxFee: ['tight', 'high', 'legacy'],
  preVerificationGas: [46_000, 51_000, 60_000, 1_000_000],
  callGasLimit: [20_000, 34_000, 45_000, 70_000, 150_000, 5_000_000],
  verificationGasLimit: [30_000, 100_000, 400_000, 2_000_000],
  listedCalls: [1, 1, 3, 8],
  tailBytes: [0, 0, 1_000, 5_800],
  tailIsZero: [false, true],
  signatureBytes: [0, 65, 200, 1_000],
  calls: ['made', 'skipped', 'reverted', 'burnt', 'clearing'],
  validationGas: [0, 0, 20_000, 200_000],
  operations: [1, 1, 2, 4, 8],
  oneSender: [true, false],
  freshSenders: [true, false],
};

/** An attacker who bundles for himself: tries plans at random, and climbs from the best that he found. */
export class Adversary {
  /** The best of bundles of one operation, and of larger ones. */
  best: { readonly one?: Found; readonly many?: Found } = {};
  landedOperations = 0;
  readonly refused = new Map<string, number>();
  private readonly used: Address[] = [];

  constructor(
    private readonly siphon: SiphonWorld,
    private readonly at: { readonly version: EntryPointVersion; readonly baseFeeWei: bigint },
    private readonly random: Random,
  ) {}

  /** Tries so many plans. */
  async search(plans: number): Promise<void> {
    for (let tried = 0; tried < plans; tried++) {
      const best = this.random() < 0.5 ? this.best.one : this.best.many;
      const plan = best && this.random() < 0.6 ? this.mutate(best.plan) : this.anyPlan();
      await this.carryOut(plan);
    }
  }

  /** Asks for what the plan wants, takes what is given, and lands it. */
  async carryOut(plan: Plan): Promise<Found | undefined> {
    this.siphon.newPaymaster();
    const { senders, setUpWei } = await this.sendersFor(plan);
    const granted: PaidOperation[] = [];
    for (let index = 0; index < plan.operations; index++) {
      const sender = senders[plan.oneSender ? 0 : index];
      const operation = sender && (await this.signed(plan, sender));
      if (operation) granted.push(operation);
    }
    const [first] = granted;
    const haul = first && (await this.siphon.land(granted, setUpWei));
    for (const sender of new Set(senders)) await this.siphon.forgetNonces(this.at.version, sender);
    if (!first || !haul) return undefined;
    this.landedOperations += haul.operations;
    const found: Found = { ...this.at, plan, haul, signed: fieldsOf(first.operation) };
    const kind = haul.operations === 1 ? 'one' : 'many';
    if (haul.multiple > (this.best[kind]?.haul.multiple ?? 0)) this.best = { ...this.best, [kind]: found };
    return found;
  }

  private async sendersFor(plan: Plan): Promise<{ senders: Address[]; setUpWei: bigint }> {
    const count = plan.oneSender ? 1 : plan.operations;
    const senders = plan.freshSenders ? [] : this.used.slice(0, count);
    while (senders.length < count) senders.push(await this.siphon.newAccount());
    this.used.push(...senders.filter((sender) => !this.used.includes(sender)));
    const told = { validationGas: BigInt(plan.validationGas), calls: CALLS[plan.calls] };
    let setUpWei = 0n;
    for (const sender of senders) setUpWei += await this.siphon.tell(sender, told);
    return { senders, setUpWei };
  }

  private async signed(plan: Plan, sender: Address): Promise<PaidOperation | undefined> {
    const { version } = this.at;
    let operation = this.draft(plan, sender);
    for (let asked = 0; asked < MOST_ASKED; asked++) {
      const answer: PaidOperation | Refusal = await this.siphon.ask(operation);
      if (!('reason' in answer)) return { ...answer, operation: { ...operation, signature: '0x' } };
      const { reason, field, limit } = answer;
      this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
      if (field === undefined || limit === undefined || !(field in operation)) break;
      operation = { ...operation, [field]: limit };
    }
    await this.siphon.forgetNonces(version, sender);
    return undefined;
  }

  private draft(plan: Plan, sender: Address): UserOperation {
    const { version, baseFeeWei } = this.at;
    const tip = (baseFeeWei * BigInt(Math.round(plan.tipPercent * 1_000))) / 100_000n;
    const price = baseFeeWei + tip;
    const maxFee = { tight: price, high: 2n * price + 2n, legacy: tip }[plan.maxFee];
    return {
      ...(version === '0.6' ? { entryPointVersion: version, initCode: '0x' } : { entryPointVersion: version }),
      ...{ sender, nonce: this.siphon.nextNonce(version, sender), callData: this.callData(plan) },
      callGasLimit: BigInt(plan.callGasLimit),
      // Of the plan, beside what v0.6 wants for postOp and what every validation takes.
      verificationGasLimit: BigInt(Math.max(plan.verificationGasLimit, plan.validationGas + 90_000)),
      preVerificationGas: BigInt(plan.preVerificationGas),
      ...{ maxFeePerGas: maxFee, maxPriorityFeePerGas: tip < maxFee ? tip : maxFee },
      signature: `0x${'ff'.repeat(plan.signatureBytes)}`,
    };
  }

  private callData({ listedCalls, tailBytes, tailIsZero }: Plan): Hex {
    const { address, callData } = this.siphon.world.demo;
    const data: Hex = `${callData}${(tailIsZero ? '00' : 'ff').repeat(tailBytes)}`;
    if (listedCalls === 1) return executeCall({ to: address, data });
    const each = Array.from({ length: listedCalls }, (_, index) => (index === 0 ? data : callData));
    return encodeFunctionData({ abi: BATCH, args: [each.map(() => address), each] });
  }

  private anyPlan(): Plan {
    const levers = Object.entries(LEVERS).map(([lever, positions]) => [lever, this.oneOf<unknown>(positions)]);
    return Object.fromEntries(levers) as Plan;
  }

  /** The same plan with some levers elsewhere; numbers mostly nearby. */
  private mutate(plan: Plan): Plan {
    const levers = Object.entries(LEVERS).map(([lever, positions]) => {
      const now = plan[lever as keyof Plan];
      if (this.random() < 0.7) return [lever, now];
      const isGas = typeof now === 'number' && now > 1_000;
      return [lever, isGas ? Math.round(now * (0.7 + 0.6 * this.random())) : this.oneOf<unknown>(positions)];
    });
    return Object.fromEntries(levers) as Plan;
  }

  private oneOf<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T;
  }
}

function fieldsOf(operation: UserOperation): Readonly<Record<string, string>> {
  const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = operation;
  const fields = { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas };
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.toString()]));
}

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
