import {
  DEFAULT_PAYMASTER_SETTINGS,
  type Address,
  type Hex,
  type SponsorshipPolicy,
  type UserOperation,
} from '@paymaster/domain';
import { checkPolicies, compilePolicy, type Claim, type CompiledPolicy, type InnerCall } from '@paymaster/policy';
import type { Operation } from '../operations/operation';

/** What of an operation that was granted is known afterwards. */
export type PastOperation = Pick<
  Operation,
  'state' | 'sender' | 'targets' | 'expectedCostWei' | 'actualCostWei' | 'createdAt'
>;

/** What a draft would have refused of one sender. */
export interface SenderResult {
  readonly sender: string;
  readonly operations: number;
  readonly refused: number;
}

export interface BackTestResult {
  readonly operations: number;
  readonly refused: number;
  readonly refusedByReason: Readonly<Record<string, number>>;
  /** Those of whom most would have been refused, at most 100. */
  readonly senders: readonly SenderResult[];
  /** Parts of the draft that look at facts which are not kept; they refused nothing here. */
  readonly notEvaluated: readonly string[];
}

const MAX_SENDERS = 100;

/**
 * Tries a draft on operations that were granted, oldest first. Limits are counted as if only the draft had been in
 * force: with what operations really cost where that is known, else with the most they could; what never landed
 * counts for nothing.
 */
export class BackTest {
  private readonly policy: CompiledPolicy;
  private readonly notEvaluated: readonly string[];
  private readonly used = new Map<string, bigint>();
  private readonly senders = new Map<string, { operations: number; refused: number }>();
  private readonly reasons = new Map<string, number>();
  private operations = 0;
  private refused = 0;

  constructor(draft: SponsorshipPolicy) {
    const { policy, leftOut } = evaluablePart(draft);
    this.notEvaluated = leftOut;
    this.policy = compilePolicy({
      paymasterId: 'back-test',
      version: 1,
      name: 'back-test',
      chainId: 1,
      paymasterVersion: '2.0.0',
      fundingWallet: null,
      contracts: [],
      tokens: [],
      policies: [policy],
      settings: DEFAULT_PAYMASTER_SETTINGS,
      key: null,
      sessionKeys: [],
      suspensionReason: null,
      contractErrors: [],
    });
  }

  /** The next operation; they have to come in the order they were made. */
  add(operation: PastOperation): void {
    const reason = this.refusalOf(operation);
    const sender = this.senders.get(operation.sender) ?? { operations: 0, refused: 0 };
    this.senders.set(operation.sender, sender);
    this.operations += 1;
    sender.operations += 1;
    if (reason === undefined) return;
    this.refused += 1;
    sender.refused += 1;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  result(): BackTestResult {
    const senders = [...this.senders]
      .map(([sender, counts]) => ({ sender, ...counts }))
      .sort((a, b) => b.refused - a.refused || b.operations - a.operations || a.sender.localeCompare(b.sender));
    return {
      operations: this.operations,
      refused: this.refused,
      refusedByReason: Object.fromEntries(this.reasons),
      senders: senders.slice(0, MAX_SENDERS),
      notEvaluated: this.notEvaluated,
    };
  }

  private refusalOf(past: PastOperation): string | undefined {
    const expectedWei = BigInt(past.expectedCostWei ?? past.actualCostWei ?? '0');
    const verdict = checkPolicies({
      policy: this.policy,
      operation: operationOf(past),
      calls: callsOf(past),
      nowSeconds: Math.floor(past.createdAt.getTime() / 1_000),
      baseFeePerGas: 0n,
      eip7702Delegate: undefined,
      outcomes: new Map(),
      costs: { prechargeWei: expectedWei, estimatedCallGas: 0n },
    });
    if (!verdict.allowed) return verdict.reason;
    const claims = [...verdict.restrictions, ...verdict.candidates[0].claims];
    const full = claims.find((claim) => this.usedOf(claim) + claim.amount > claim.limit);
    if (full) return full.refusal.reason;
    if (past.state !== 'voided')
      claims.forEach((claim) => this.used.set(claim.key, this.usedOf(claim) + spent(claim, past)));
    return undefined;
  }

  private usedOf({ key }: Claim): bigint {
    return this.used.get(key) ?? 0n;
  }
}

function spent({ unit, amount }: Claim, { actualCostWei }: PastOperation): bigint {
  return unit === 'wei' && actualCostWei !== null ? BigInt(actualCostWei) : amount;
}

/** The draft without what cannot be judged afterwards. */
function evaluablePart(draft: SponsorshipPolicy): { policy: SponsorshipPolicy; leftOut: string[] } {
  if (draft.type !== 'RULES') return { policy: draft, leftOut: draft.type === 'WEBHOOK' ? ['webhook'] : [] };
  const { rules } = draft;
  const usd = rules.limits.filter(({ measure }) => measure === 'USD');
  const leftOut = [
    rules.arguments.length > 0 && 'arguments',
    rules.maxFeePercentOfBaseFee !== null && 'maxFeePercentOfBaseFee',
    rules.maxCallGasPercentOfEstimate !== null && 'maxCallGasPercentOfEstimate',
    rules.eip7702Delegates !== null && 'eip7702Delegates',
    rules.accountFactories !== null && 'accountFactories',
    rules.revertBreaker !== null && 'revertBreaker',
    usd.length > 0 && 'limits in USD',
  ].filter((name) => name !== false);
  const evaluable = {
    ...rules,
    arguments: [],
    maxFeePercentOfBaseFee: null,
    maxCallGasPercentOfEstimate: null,
    eip7702Delegates: null,
    accountFactories: null,
    revertBreaker: null,
    limits: rules.limits.filter(({ measure }) => measure !== 'USD'),
  };
  return { policy: { ...draft, rules: evaluable }, leftOut };
}

/** Rules that are asked here look at the sender only. */
function operationOf({ sender }: PastOperation): UserOperation {
  return {
    entryPointVersion: '0.7',
    sender: sender as Address,
    nonce: 0n,
    callData: '0x',
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    maxFeePerGas: 0n,
    maxPriorityFeePerGas: 0n,
    signature: '0x',
  };
}

function callsOf({ targets }: PastOperation): InnerCall[] {
  return (targets ?? []).map(({ to, selector, valueWei }) => ({
    to: to as Address,
    valueWei: BigInt(valueWei),
    data: (selector ?? '0x') as Hex,
    selector: (selector ?? undefined) as Hex | undefined,
  }));
}
