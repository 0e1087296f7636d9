import { decodePaymasterAndData, isTokenFields, type TokenFields } from '@paymaster/chain';
import { hybridPaymasterV07Abi } from '@paymaster/contract-abis';
import {
  CANONICAL_ENTRY_POINTS,
  tokenChargeBaseUnits,
  type Address,
  type EntryPointVersion,
  type Hex,
  type UserOperation,
} from '@paymaster/domain';
import { call, type RpcAnswer } from '../../../src/testing/rpc-call';
import type { PaidOperation } from '../../../src/testing/token-call';
import { handleOps, type LandedOperation } from './bundle';
import { testContracts } from '../../../src/testing/compile-contracts';
import type { Exposure, FollowedBooks } from './followed-books';
import { draftOperation } from './draft-operation';
import type { ContractCall, TokenChain } from '../../../src/testing/token-chain';

export const UNLIMITED = 2n ** 256n - 1n;

/** What the gateway signed. */
export interface GrantedOperation extends PaidOperation {
  readonly fields: TokenFields;
}

/** The balances of all parties at one moment. */
interface Books {
  /** The funding wallet's gas deposit in the paymaster's contract. */
  readonly walletWei: bigint;
  /** The contract's own deposit in the EntryPoint. */
  readonly depositWei: bigint;
  /** Tokens of the fee receiver, at its address and in the contract's books; base units. */
  readonly tokens: bigint;
}

/** The differences of all balances between two moments. */
export interface Outcome {
  /** What the EntryPoint took; wei. */
  readonly etherSpentWei: bigint;
  /**
   * By how much the funding wallet's deposit fell, including parts that can be returned: the most that it can have
   * lost; wei.
   */
  readonly walletSpentWei: bigint;
  /** What the fee receiver got; base units. */
  readonly tokensReceived: bigint;
}

/** A paymaster that accepts one token, whose behaviour the attacker controls. */
export class AttackTarget {
  constructor(
    private readonly parts: {
      readonly chain: TokenChain;
      readonly url: string;
      readonly version: EntryPointVersion;
      readonly paymaster: Address;
      /** The address is both funding wallet and fee receiver. */
      readonly wallet: Address;
      readonly token: Address;
      readonly trap: Address;
      readonly books: FollowedBooks;
    },
  ) {}

  get version(): EntryPointVersion {
    return this.parts.version;
  }

  /** An account with tokens; it has approved the trap, so the trap can take them. */
  async newSender({ owner, baseUnits = 10n ** 21n }: { owner?: Address; baseUnits?: bigint } = {}): Promise<Address> {
    const { chain, trap } = this.parts;
    const sender = await chain.newAccount(owner);
    await chain.call(this.token('mint', [sender, baseUnits]));
    await chain.asAccount(sender, this.token('approve', [trap, UNLIMITED]));
    return sender;
  }

  token(name: string, args: readonly unknown[]): ContractCall {
    return { to: this.parts.token, abi: testContracts().WeirdToken.abi, name, args };
  }

  trap(name: string, args: readonly unknown[] = []): ContractCall {
    return { to: this.parts.trap, abi: testContracts().Trap.abi, name, args };
  }

  approvePaymaster(baseUnits = UNLIMITED): ContractCall {
    return this.token('approve', [this.parts.paymaster, baseUnits]);
  }

  /** To the attacker. */
  sweepTo(): readonly [Address, Address] {
    return [this.parts.token, this.parts.chain.outsider];
  }

  draft(sender: Address, calls: readonly ContractCall[], nonceKey = 0n): Promise<UserOperation> {
    return draftOperation(this.parts.chain, { version: this.version, sender, calls, nonceKey });
  }

  /** Has the gateway sign. @throws {RefusedError} */
  async sign(operation: UserOperation, tokenInfo: object = {}): Promise<GrantedOperation> {
    const { result } = await this.ask('pm_sponsorUserOperation', operation, tokenInfo);
    const paymasterAndData = result?.['paymasterAndData'] as Hex;
    const { sponsorFields } = decodePaymasterAndData(this.version, paymasterAndData);
    if (!isTokenFields(sponsorFields)) throw new Error('the gateway signed in another mode');
    return { operation, paymasterAndData, fields: sponsorFields };
  }

  /** Has the gateway quote. @throws {RefusedError} */
  async quote(operation: UserOperation): Promise<Record<string, unknown>> {
    const { result } = await this.ask('pm_getFeeQuoteOrData', operation, {});
    return (result?.['feeQuotes'] as Array<Record<string, unknown>>)[0] ?? {};
  }

  /** Drafts, signs and lands one operation. */
  async run(
    sender: Address,
    calls: readonly ContractCall[],
  ): Promise<{ granted: GrantedOperation; landed: LandedOperation }> {
    const granted = await this.sign(await this.draft(sender, calls));
    const [landed] = await this.land([granted]);
    if (!landed) throw new Error('the bundle has no operation');
    return { granted, landed };
  }

  land(operations: readonly PaidOperation[]): Promise<LandedOperation[]> {
    return handleOps(this.parts.chain, operations);
  }

  /** Measures the differences of all balances while `work` runs. */
  async during(act: () => Promise<unknown>): Promise<Outcome> {
    const before = await this.books();
    await act();
    const after = await this.books();
    return {
      etherSpentWei: before.depositWei - after.depositWei,
      walletSpentWei: before.walletWei - after.walletWei,
      tokensReceived: after.tokens - before.tokens,
    };
  }

  /** The exposure of the wallet, as the ledger counts it. */
  exposure(): Promise<Exposure> {
    const { books, wallet, token } = this.parts;
    return books.exposure({ wallet, token });
  }

  /** Settles everything on the chain; afterwards this many operations are still held. */
  async settle(holds: number): Promise<void> {
    await this.parts.books.settle();
    expect((await this.exposure()).holds).toBe(holds);
  }

  private async books(): Promise<Books> {
    const { chain, paymaster, wallet, token, version } = this.parts;
    const ofPaymaster = (name: string, args: readonly unknown[]) =>
      chain.read<bigint>({ to: paymaster, abi: hybridPaymasterV07Abi, name, args });
    return {
      walletWei: await ofPaymaster('balanceOf', [wallet]),
      depositWei: await chain.read<bigint>({
        to: CANONICAL_ENTRY_POINTS[version],
        abi: hybridPaymasterV07Abi,
        name: 'balanceOf',
        args: [paymaster],
      }),
      tokens:
        (await ofPaymaster('tokenBalanceOf', [token, wallet])) +
        (await chain.read<bigint>(this.token('balanceOf', [wallet]))),
    };
  }

  private async ask(method: string, operation: UserOperation, tokenInfo: object): Promise<RpcAnswer['json']> {
    const mode = {
      mode: 'ERC20',
      calculateGasLimits: false,
      tokenInfo: { feeTokenAddress: this.parts.token, ...tokenInfo },
    };
    const params = [toWire(operation), CANONICAL_ENTRY_POINTS[this.version], mode];
    const { json } = await call(this.parts.url, method, params);
    if (json.error) throw new RefusedError(json.error.data, json.error.message);
    return json;
  }
}

/** What the gateway answered instead of a signature. */
export class RefusedError extends Error {
  readonly reason: unknown;
  /** Why there is no price, where that is the reason. */
  readonly fault: unknown;

  constructor({ reason, cause }: Readonly<Record<string, unknown>>, message: string) {
    super(`${String(reason)}: ${message}`);
    this.name = 'RefusedError';
    this.reason = reason;
    this.fault = cause;
  }
}

/** @returns why the gateway refused @throws when it did not */
export async function refusalOf(answer: Promise<unknown>): Promise<RefusedError> {
  const outcome: unknown = await answer.catch((error: unknown) => error);
  if (outcome instanceof RefusedError) return outcome;
  throw new Error('the gateway answered what it should have refused', { cause: outcome });
}

/** The least that the fee receiver has to get for this much ether, at the rate that was signed; base units. */
export function worthOf(etherWei: bigint, { exchangeRate, premiumMillionths }: TokenFields): bigint {
  return tokenChargeBaseUnits({ costWei: etherWei, exchangeRate, premiumMillionths });
}

/** The operation as it travels in JSON-RPC. */
export function toWire(operation: UserOperation): Record<string, unknown> {
  const { entryPointVersion, ...fields } = operation;
  const wire = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
  ]);
  return { ...Object.fromEntries(wire), ...(entryPointVersion === '0.6' && { paymasterAndData: '0x' }) };
}
