import { createHash } from 'node:crypto';
import { encodeFunctionData } from 'viem';
import {
  DEFAULT_PAYMASTER_SETTINGS,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import type { PaidOperation } from '../../src/testing/token-call';
import { testContracts } from '../../src/testing/compile-contracts';
import { SiphonAccounts, type Account, type AccountKind, type ListedCall, type Told } from './accounts';
import type { CountedOperation, Haul, Refusal, SiphonWorld } from './siphon-world';

/** A plan of the attacker: a value for every lever, which decides what he requests and does. */
export interface Plan extends Told {
  /** In percent of the base fee. Too much is lowered to what the refusal names. */
  readonly tipPercent: number;
  readonly maxFee: 'tight' | 'high' | 'legacy' | 'low';
  /** The base fee at landing, in percent of the base fee at signing. */
  readonly baseFeeThen: number;
  /** The limits that he requests; gas. */
  readonly preVerificationGas: number;
  readonly callGasLimit: number;
  readonly verificationGasLimit: number;
  /** The value that he requests for each of the paymaster's two limits, on v0.7 and later; gas. */
  readonly paymasterGas: number;
  /** Listed calls in one operation. */
  readonly listedCalls: number;
  /** The gas of a listed call, unless it is turned off before landing; 0: the demo contract's own gas. */
  readonly callGas: number;
  readonly turnsOff: boolean;
  /** Bytes that are appended to the arguments of the call. */
  readonly tailBytes: number;
  readonly tailIsZero: boolean;
  /** Appends the bytes to the arguments of the factory instead, if there is a factory. */
  readonly tailInFactory: boolean;
  /** The transaction calls the EntryPoint through SiphonInflater. */
  readonly inflated: boolean;
  /**
   * Length of the signature that the gateway sees; the signature that lands is the shortest that the account accepts.
   */
  readonly signatureBytes: number;
  readonly account: AccountKind;
  readonly operations: number;
  /** True: all operations of the bundle are of one account. False: each is of another account. */
  readonly oneSender: boolean;
  /** Accounts that never sent an operation. */
  readonly freshSenders: boolean;
}

/**
 * How a plan makes its profit: with one operation, with several operations that share the fixed costs of one
 * transaction, with refunds of the chain, or with failing calls of a known account.
 */
export type Kind = 'one' | 'many' | 'refunded' | 'failing';

/** A plan that was carried out. */
export interface Found {
  readonly kind: Kind;
  readonly version: EntryPointVersion;
  readonly baseFeeWei: bigint;
  readonly plan: Plan;
  /** The money of all its transactions. */
  readonly haul: Haul;
  /** How many wei he got for each wei that he paid. */
  readonly multiple: number;
  /** The `multiple` at which all that he gained was counted. */
  readonly most: number;
  /** The fields that were signed in the end, of the first operation. */
  readonly signed: Readonly<Record<string, string>>;
}

/** The chain refunds up to a fifth of a transaction for storage that is cleared (EIP-3529). No EntryPoint knows of it. */
const LEAST_AFTER_REFUNDS = 0.8;
/** What a client network may gain of a wallet in an hour by the gateway's own answers; the room is this by the gain. */
const GAINED_MILLIONTHS = 20_000;

type Random = () => number;

/** How often he asks again with the limit that a refusal names. */
const MOST_ASKED = 16;
/** The most gas that writing a slot takes. */
const SLOT_GAS = 46_000;

/** Bytes that cost most in call data: none is zero, and they do not compress. */
const NOISE = Buffer.from(
  createHash('shake256', { outputLength: 1_000 })
    .update('noise')
    .digest()
    .map((byte) => byte || 1),
).toString('hex');

/** The values that each lever can have; a plain plan has the first. */
const LEVERS: { readonly [Lever in keyof Plan]: ReadonlyArray<Plan[Lever]> } = {
  tipPercent: [1, 0, 0.5, 2, 10, 100, 500],
  maxFee: ['high', 'tight', 'legacy', 'low'],
  baseFeeThen: [100, 100, 100, 50],
  preVerificationGas: [1_000_000, 46_000, 51_000, 55_000],
  callGasLimit: [34_000, 5_000, 20_000, 45_000, 70_000, 150_000, 5_000_000],
  verificationGasLimit: [100_000, 30_000, 400_000, 2_000_000],
  paymasterGas: [0, 2_000_000],
  listedCalls: [1, 3, 8],
  callGas: [0, 50_000, 300_000],
  turnsOff: [false, true],
  tailBytes: [0, 200, 1_000, 5_800],
  tailIsZero: [false, true],
  tailInFactory: [false, true],
  inflated: [false, true],
  signatureBytes: [65, 0, 200, 1_000],
  account: ['own', 'ownNew', 'simple', 'simpleNew'],
  validationGas: [0, 20_000, 200_000],
  calls: ['skipped', 'made', 'reverted', 'burnt'],
  slots: ['untouched', 'cleared', 'turned', 'cycled'],
  slotCount: [1, 2, 3, 5, 8],
  slotsInValidation: [false, true],
  operations: [1, 1, 2, 4, 8, 12],
  oneSender: [false, true],
  freshSenders: [false, true],
};

const PLAIN = Object.fromEntries(Object.entries(LEVERS).map(([lever, [plain]]) => [lever, plain])) as unknown as Plan;
/** The plans that he tries first: each of the best levers alone. */
const FIRST_TRIED: ReadonlyArray<Partial<Plan>> = [
  {},
  { tipPercent: 500 },
  { tipPercent: 500, maxFee: 'legacy' },
  { callGasLimit: 5_000_000 },
  { tailBytes: 5_800 },
  { tailBytes: 5_800, inflated: true },
  { tailBytes: 5_800, inflated: true, account: 'simpleNew', tailInFactory: true, verificationGasLimit: 700_000 },
  { slots: 'cycled', slotCount: 3, slotsInValidation: true },
  { slots: 'turned', slotCount: 4, slotsInValidation: true },
  { account: 'simple', callGas: 300_000, turnsOff: true, callGasLimit: 5_000_000 },
  { operations: 8 },
];
/**
 * The part of plans that start from the best found plan instead of the plain one, and how many levers such a plan
 * changes.
 */
const CLIMBING_SHARE = 0.6;
const MOVED_SHARE = 0.25;

/**
 * An attacker who bundles for himself. He tries known plans, then random plans, and then variations of the best found.
 */
export class Adversary {
  /** The best of each kind. */
  best: Readonly<Partial<Record<Kind, Found>>> = {};
  landedOperations = 0;
  private tried = 0;
  readonly refused = new Map<string, number>();
  private readonly accounts: SiphonAccounts;
  private readonly used = new Map<AccountKind, Account[]>();
  private readonly targets = new Map<number, Address>();
  private inflater: Address | undefined;

  constructor(
    private readonly siphon: SiphonWorld,
    private readonly at: { readonly version: EntryPointVersion; readonly baseFeeWei: bigint },
    private readonly random: Random,
    /** Levers that he does not change. */
    private readonly fixed: Partial<Plan> = {},
  ) {
    this.accounts = new SiphonAccounts(siphon);
  }

  /** Tries this many plans. */
  async search(plans: number): Promise<void> {
    for (const end = this.tried + plans; this.tried < end;) {
      const first = FIRST_TRIED[this.tried++];
      const best = this.random() < CLIMBING_SHARE ? this.oneOf(Object.values(this.best)) : undefined;
      const plan = first ? { ...PLAIN, ...first } : this.mutate(best?.plan ?? PLAIN);
      await this.carryOut({ ...plan, ...this.fixed });
    }
  }

  /**
   * Requests what the plan wants, takes what the gateway grants, and lands it; twice if the second landing undoes the
   * first.
   */
  async carryOut(plan: Plan): Promise<Found | undefined> {
    const target = plan.callGas > 0 ? await this.targetOf(plan.callGas) : undefined;
    this.newPaymaster(plan, target);
    const { accounts, paidBeforeWei } = await this.accountsFor(plan);
    const calls = callsOf(plan, target ?? this.siphon.world.demo.address, this.siphon.world.demo.callData);
    const landed: Haul[] = [];
    const signed: CountedOperation[] = [];
    for (let round = 0; round < (plan.slots === 'turned' ? 2 : 1); round++) {
      const granted = await this.grantedFor(plan, accounts, calls);
      const haul = granted.length > 0 ? await this.landed(plan, granted, target) : undefined;
      if (!haul) break;
      landed.push(haul);
      signed.push(...granted);
    }
    const [first] = signed;
    if (!first) return undefined;
    const haul = landed.reduce(sumOf);
    this.landedOperations += haul.operations;
    const costWei = haul.costWei + paidBeforeWei;
    const found: Found = {
      ...{ ...this.at, plan, haul, signed: fieldsOf(first.operation), multiple: ratio(haul.receivedWei, costWei) },
      kind: kindOf(plan, haul.operations === landed.length),
      most: mostReturned(signed, { plan, haul, costWei, baseFeeWei: this.at.baseFeeWei }),
    };
    if (excess(found) > excess(this.best[found.kind])) this.best = { ...this.best, [found.kind]: found };
    return found;
  }

  /** The default, or what a policy has to say so that an account of the plan may be deployed. */
  private newPaymaster({ account }: Plan, target: Address | undefined): void {
    const { address, callData } = this.siphon.world.demo;
    const settings = { ...DEFAULT_PAYMASTER_SETTINGS, allowUnknownFactories: account === 'ownNew' };
    const listed = target ? [{ address: target, selectors: [WORK] }] : [];
    const contracts = [{ address, selectors: [callData.slice(0, 10) as Hex] }, ...listed];
    this.siphon.newPaymaster({ settings, contracts });
  }

  private async targetOf(callGas: number): Promise<Address> {
    const target = this.targets.get(callGas) ?? (await this.accounts.deploy('SiphonTarget'));
    this.targets.set(callGas, target);
    return target;
  }

  private async accountsFor(plan: Plan): Promise<{ accounts: Account[]; paidBeforeWei: bigint }> {
    const isNew = plan.account === 'ownNew' || plan.account === 'simpleNew';
    const count = plan.oneSender && !isNew ? 1 : plan.operations;
    const used = this.used.get(plan.account) ?? [];
    const accounts = plan.freshSenders || isNew ? [] : used.slice(0, count);
    while (accounts.length < count) accounts.push(await this.accounts.make(plan.account, this.at.version));
    if (!isNew) this.used.set(plan.account, [...new Set([...used, ...accounts])]);
    let paidBeforeWei = 0n;
    for (const account of accounts) paidBeforeWei += (await account.tell?.(plan)) ?? 0n;
    return { accounts, paidBeforeWei };
  }

  private async grantedFor(plan: Plan, accounts: readonly Account[], calls: readonly ListedCall[]) {
    const granted: CountedOperation[] = [];
    for (let index = 0; index < plan.operations; index++) {
      const account = accounts[accounts.length === 1 ? 0 : index];
      if (!account) continue;
      const before = granted.filter(({ operation }) => operation.sender === account.sender).length;
      const nonce = (await this.siphon.nextNonce(this.at.version, account.sender)) + BigInt(before);
      const paid = await this.granted(this.draft(plan, account, { nonce, callData: await account.encode(calls) }));
      if (paid) granted.push({ ...paid, operation: { ...paid.operation, signature: await account.sign(paid) } });
    }
    return granted;
  }

  private async granted(draft: UserOperation): Promise<CountedOperation | undefined> {
    let operation = draft;
    for (let asked = 0; asked < MOST_ASKED; asked++) {
      const answer: CountedOperation | Refusal = await this.siphon.ask(operation);
      if (!('reason' in answer)) return answer;
      this.refused.set(answer.reason, (this.refused.get(answer.reason) ?? 0) + 1);
      const next = modester(operation, answer, this.at.baseFeeWei);
      if (!next) return undefined;
      operation = next;
    }
    return undefined;
  }

  private async landed(plan: Plan, granted: PaidOperation[], target: Address | undefined): Promise<Haul | undefined> {
    const turn = (isOff: boolean) => target && this.siphon.send({ to: target, data: turnData(isOff), gas: 100_000n });
    if (plan.turnsOff) await turn(true);
    const setBaseFee = (wei: bigint) => this.siphon.setBaseFee(wei, undefined, 1);
    if (plan.baseFeeThen < 100) await setBaseFee((this.at.baseFeeWei * BigInt(plan.baseFeeThen)) / 100n);
    const inflater = plan.inflated ? (this.inflater ??= await this.accounts.deploy('SiphonInflater')) : undefined;
    const haul = await this.siphon.land(granted, inflater);
    if (plan.baseFeeThen < 100) await setBaseFee(this.at.baseFeeWei);
    if (plan.turnsOff) await turn(false);
    return haul;
  }

  private draft(
    plan: Plan,
    { sender, deployment, verificationGas }: Account,
    { nonce, callData }: Pick<UserOperation, 'nonce' | 'callData'>,
  ): UserOperation {
    const { version, baseFeeWei } = this.at;
    const tip = (baseFeeWei * BigInt(Math.round(plan.tipPercent * 1_000))) / 100_000n;
    const price = baseFeeWei + tip;
    const maxFee = { tight: price, high: 2n * price + 2n, legacy: tip, low: (price * 6n) / 10n }[plan.maxFee];
    // The plan's gas, in addition to what v0.6 needs for `postOp` and what every validation takes.
    const needed = verificationGas + plan.validationGas + (plan.slotsInValidation ? plan.slotCount * SLOT_GAS : 0);
    const fields = {
      ...{ sender, nonce, callData },
      callGasLimit: BigInt(plan.callGasLimit),
      verificationGasLimit: BigInt(Math.max(plan.verificationGasLimit, needed)),
      preVerificationGas: BigInt(plan.preVerificationGas),
      ...{ maxFeePerGas: maxFee, maxPriorityFeePerGas: tip < maxFee ? tip : maxFee },
      signature: `0x${NOISE.slice(0, 2 * plan.signatureBytes)}` as Hex,
    };
    const factory = deployment && {
      ...deployment,
      factoryData: `${deployment.factoryData}${plan.tailInFactory ? tailOf(plan) : ''}` as Hex,
    };
    if (version === '0.6') {
      const initCode: Hex = factory ? `${factory.factory}${factory.factoryData.slice(2)}` : '0x';
      return { ...fields, entryPointVersion: version, initCode };
    }
    const gas = BigInt(plan.paymasterGas);
    const paymasterGas = gas > 0n && { paymasterVerificationGasLimit: gas, paymasterPostOpGasLimit: gas };
    return { ...fields, entryPointVersion: version, ...factory, ...paymasterGas };
  }

  /** The same plan with some levers changed; numbers mostly by a little. */
  private mutate(plan: Plan): Plan {
    const levers = Object.entries(LEVERS).map(([lever, positions]) => {
      const now = plan[lever as keyof Plan];
      if (this.random() > MOVED_SHARE) return [lever, now];
      const isGas = typeof now === 'number' && now > 1_000;
      return [lever, isGas ? Math.round(now * (0.7 + 0.6 * this.random())) : this.oneOf<unknown>(positions)];
    });
    return Object.fromEntries(levers) as unknown as Plan;
  }

  private oneOf<T>(values: readonly T[]): T {
    return values[Math.floor(this.random() * values.length)] as T;
  }
}

const WORK: Hex = '0x5858d161';

/** The request after a refusal: with the named limit, or with lower values of all levers that he raised. */
function modester(
  operation: UserOperation,
  { reason, field, limit }: Refusal,
  baseFeeWei: bigint,
): UserOperation | undefined {
  // Equal fees stay equal.
  if (reason === 'LEGACY_FEES_REFUSED' && limit)
    return { ...operation, maxFeePerGas: limit, maxPriorityFeePerGas: limit };
  if (reason === 'OPERATION_COST_CAP_EXCEEDED') {
    const { callGasLimit, verificationGasLimit, maxFeePerGas, maxPriorityFeePerGas } = operation;
    const paid = baseFeeWei + maxPriorityFeePerGas;
    return {
      ...operation,
      ...{ callGasLimit: (callGasLimit * 3n) / 4n, verificationGasLimit: (verificationGasLimit * 19n) / 20n },
      maxFeePerGas: maxFeePerGas < paid ? maxFeePerGas : paid,
    };
  }
  if (field === undefined || limit === undefined || !(field in operation)) return undefined;
  return { ...operation, [field]: limit };
}

function turnData(isOff: boolean): Hex {
  return encodeFunctionData({ abi: testContracts().SiphonTarget.abi, functionName: 'turn', args: [isOff] });
}

function callsOf(plan: Plan, to: Address, demoCall: Hex): ListedCall[] {
  const { abi } = testContracts().SiphonTarget;
  const data =
    plan.callGas > 0 ? encodeFunctionData({ abi, functionName: 'work', args: [BigInt(plan.callGas)] }) : demoCall;
  const tail = plan.tailInFactory ? '' : tailOf(plan);
  return Array.from({ length: plan.listedCalls }, (_, index) => ({
    to,
    data: index === 0 ? (`${data}${tail}` as Hex) : data,
  }));
}

function tailOf({ tailIsZero, tailBytes }: Plan): string {
  return (tailIsZero ? '00' : 'ff').repeat(tailBytes);
}

function sumOf(one: Haul, other: Haul): Haul {
  const names = Object.keys(one) as Array<keyof Haul>;
  const sums = names.map((name) => [name, (one[name] as bigint) + (other[name] as bigint)]);
  return Object.fromEntries(sums) as unknown as Haul;
}

function kindOf(plan: Plan, isOne: boolean): Kind {
  if (isRefunded(plan)) return 'refunded';
  if (fails(plan)) return 'failing';
  return isOne ? 'one' : 'many';
}

/** Only his own code can clear the slots that the wallet paid to fill. */
function isRefunded({ account, slots }: Plan): boolean {
  return account === 'own' && (slots === 'turned' || slots === 'cycled');
}

function fails({ account, callGas, turnsOff }: Plan): boolean {
  return (account === 'simple' || account === 'simpleNew') && callGas > 0 && turnsOff;
}

/**
 * The return at which all that he gains is counted against his network: what is asked beyond the gateway's own answer,
 * and of everything else the part by which the gateway lowers the network's room.
 */
function mostReturned(
  operations: readonly CountedOperation[],
  { plan, haul, costWei, baseFeeWei }: { plan: Plan; haul: Haul; costWei: bigint; baseFeeWei: bigint },
): number {
  const excessWei = operations.reduce((sum, { asked }) => sum + asked.excessWei, 0n);
  const gain = Math.max(...operations.map(({ asked }) => GAINED_MILLIONTHS / Number(asked.roomMillionths)));
  const counted = 1 + ratio(excessWei, costWei) + gain * ratio(haul.receivedWei, costWei);
  const most = counted + grownTip(plan, baseFeeWei, operations);
  return isRefunded(plan) ? most / LEAST_AFTER_REFUNDS : most;
}

/** How much the tip, as a part of the base fee, has grown because the base fee has fallen. */
function grownTip({ baseFeeThen }: Plan, baseFeeWei: bigint, [first]: readonly PaidOperation[]): number {
  const tip = ratio(first?.operation.maxPriorityFeePerGas ?? 0n, baseFeeWei);
  return tip * (100 / baseFeeThen - 1);
}

function excess(found: Found | undefined): number {
  return found ? found.multiple / found.most : 0;
}

function ratio(amount: bigint, ofAmount: bigint): number {
  return Number((amount * 1_000_000n) / ofAmount) / 1_000_000;
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
