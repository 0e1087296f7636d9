import { parseEther } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import type { Address, EntryPointVersion, Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { placeAccounts, type Stack } from '@paymaster/devnet';
import { execute } from './call-data';
import { richWallet } from './chain';
import { dashboardOk } from './dashboard-client';
import { INCREMENT } from './demo-contract';
import { currentFees, type Fees } from './fees';
import { freshPaymaster, type FreshPaymaster, type PaymasterWish } from './fresh-paymaster';
import { call, resultOf, type RpcAnswer } from './json-rpc';
import { draftOperation, newSimpleAccount } from './simple-account';
import { askSponsor, AS_SENT, LIMITS } from './sponsor';
import type { WireOperation } from './wire-operation';

/** A policy as `POST /paymaster-policy` takes it. */
export interface PolicyBody {
  readonly name: string;
  readonly policyType: 'RULES' | 'PAYMASTER_SA_LIMIT' | 'WALLET_DEPLOYMENT' | 'WEBHOOK' | 'SPENDING_LIMITS';
  readonly policyData: object;
}

/** The native rules, as one policy. */
export const rules = (policyData: object, name = 'Rules'): PolicyBody => ({ name, policyType: 'RULES', policyData });

/** One limit, as a policy. */
export const limited = (limit: object, priority = 100): PolicyBody => rules({ priority, limits: [limit] });

/** Deployed accounts of one spec; more than any asks with. */
const MOST_SENDERS = 2_000;

/** Own bound: what is asked at once, from one address, is refused by the policies that a test is about. */
const ROOMY = {
  maxLiveSignaturesPerSender: 1_000,
  maxLiveSignaturesPerClient: 1_000,
  maxLiveSignaturesTotal: 10_000,
  clientSharePercent: 100,
  explainToClients: true,
};

export interface Explanation {
  readonly sponsored: boolean;
  readonly reason?: string;
  readonly policyId: string | null;
  readonly maxCostWei: string | null;
  readonly details?: Readonly<Record<string, string>>;
  readonly budgets: readonly {
    readonly rule: string;
    readonly unit: string;
    readonly needed: string;
    readonly used: string;
  }[];
  readonly trace: readonly { readonly rule: string; readonly outcome: string }[];
}

/** What specs of policies ask with: one funding wallet for all paymasters, and operations that all cost the same. */
export class PolicyWorld {
  private constructor(
    readonly stack: Stack,
    private readonly fundingWallet: PrivateKeyAccount,
    readonly fees: Fees,
    private readonly accounts: Address[],
  ) {}

  static async open(stack: Stack): Promise<PolicyWorld> {
    const [{ fundingWallet }, fees] = await Promise.all([freshPaymaster(stack), currentFees(stack)]);
    const accounts = await placeAccounts(stack.chainRpc, { first: BigInt(randomAddress()), count: MOST_SENDERS });
    return new PolicyWorld(stack, fundingWallet, fees, accounts);
  }

  /** A paymaster with policies, all made through REST before the gateway hears of it. */
  async paymasterWith(policies: readonly PolicyBody[], wish: PaymasterWish = {}): Promise<FreshPaymaster> {
    const { stack, fundingWallet } = this;
    const settings = { ...ROOMY, ...wish.settings };
    const paymaster = await freshPaymaster(stack, { fundingWallet, depositsWei: {}, ...wish, settings });
    for (const policy of policies) await this.addPolicy(paymaster, policy);
    return paymaster;
  }

  /** The same of somebody else, with a wallet of his own. */
  async foreignPaymasterWith(policies: readonly PolicyBody[]): Promise<FreshPaymaster> {
    const depositsWei = { '0.7': parseEther('1') };
    return this.paymasterWith(policies, { fundingWallet: await richWallet(this.stack), depositsWei });
  }

  /** @returns its id */
  async addPolicy({ apiKey }: FreshPaymaster, body: PolicyBody): Promise<string> {
    const made = await dashboardOk<{ _id: string }>(this.stack, {
      ...{ method: 'POST', path: '/paymaster-policy', apiKey, body },
    });
    return made._id;
  }

  /** One policy for several paymasters of the seeded account. */
  async sharePolicy(paymasters: readonly FreshPaymaster[], policy: PolicyBody): Promise<void> {
    const list = <T>(path: string) => dashboardOk<T[]>(this.stack, { method: 'GET', path });
    const shown = await list<{ apiKey: string; name: string }>('/paymaster');
    const named = await list<{ paymasterId: string; name: string }>('/shared-policy/paymasters');
    const paymasterIds = paymasters.map(({ apiKey }) => {
      const name = shown.find((each) => each.apiKey === apiKey)?.name;
      return named.find((each) => each.name === name)?.paymasterId;
    });
    await dashboardOk(this.stack, { method: 'POST', path: '/shared-policy', body: { ...policy, paymasterIds } });
  }

  async changePolicy({ apiKey }: FreshPaymaster, path: string, body?: object): Promise<void> {
    await dashboardOk(this.stack, { method: 'PATCH', path: `/paymaster-policy/${path}`, apiKey, body });
  }

  /** An operation on v0.7 of a deployed account that nobody has seen before. */
  operation(changes: object = {}, callData = this.increment): WireOperation {
    const sender = this.accounts.pop();
    if (!sender) throw new Error(`more than ${MOST_SENDERS} senders: raise MOST_SENDERS`);
    return { sender, nonce: '0x0', callData, ...this.fees, ...LIMITS, ...changes };
  }

  /** Operations of different senders, or, with one, of different nonces. */
  operations(count: number, changes: object = {}): WireOperation[] {
    return Array.from({ length: count }, (_, nonce) =>
      this.operation({ nonce: `0x${nonce.toString(16)}`, ...changes }),
    );
  }

  /** One that really deploys its account. */
  async deployment(version: EntryPointVersion, callData = this.increment): Promise<WireOperation> {
    const account = await newSimpleAccount(this.stack, version);
    return { ...(await draftOperation(this.stack, account, { callData })), ...LIMITS };
  }

  get increment(): Hex {
    return execute({ to: this.stack.demoContract.address, data: INCREMENT });
  }

  /** Asks for the limits that were sent, so that only policies decide. */
  ask({ url }: FreshPaymaster, operation: object, mode: object = {}): Promise<RpcAnswer> {
    return askSponsor({ url, operation, mode: { ...AS_SENT, ...mode } });
  }

  /** `granted`, or why not. */
  async outcome(paymaster: FreshPaymaster, operation: object, mode?: object): Promise<string> {
    return outcomeOf(await this.ask(paymaster, operation, mode));
  }

  /** How many of these, asked for at once, were granted, and what became of the others. */
  async burst(
    paymaster: FreshPaymaster,
    operations: readonly object[],
  ): Promise<{ granted: number; refusals: string[] }> {
    const outcomes = await Promise.all(operations.map((operation) => this.outcome(paymaster, operation)));
    const refusals = outcomes.filter((outcome) => outcome !== 'granted');
    return { granted: outcomes.length - refusals.length, refusals: [...new Set(refusals)].sort() };
  }

  async explain({ url }: FreshPaymaster, operation: object): Promise<Explanation> {
    return resultOf<Explanation>(await call({ url, method: 'pm_explain', params: [operation, AS_SENT] }));
  }
}

/** `granted`, the reason of a refusal, or code and reason of another error. */
export function outcomeOf({ body }: RpcAnswer): string {
  if (!body.error) return body.result === undefined ? 'no result' : 'granted';
  const { code, data } = body.error;
  return code === -32501 ? String(data?.reason) : `${code} ${data?.reason}`;
}

/** What is asked under the rule, and what the answer has to be: `granted` or the reason. */
export interface RuleCase {
  readonly title: string;
  readonly outcome: string;
  readonly ask: (given: Given) => object | Promise<object>;
  readonly mode?: object;
}

/** A rule without a memory: what it allows, what it refuses, and attempts to go round it. */
export interface RuleStory {
  readonly rule: string;
  readonly policy: (given: Given) => PolicyBody;
  readonly cases: readonly RuleCase[];
}

export interface Given {
  readonly world: PolicyWorld;
  /** Of this moment: that of an idle chain falls by an eighth with every block. */
  readonly baseFeeWei: () => Promise<bigint>;
}
