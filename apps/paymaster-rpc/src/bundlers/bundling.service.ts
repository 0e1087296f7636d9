import { Inject, Injectable } from '@nestjs/common';
import {
  STUB_SIGNATURE,
  marksDelegation,
  mayHaveLanded,
  userOpHash,
  type BundlerEndpoint,
  type CompleteOperation,
  type DigestHasher,
  type PoolStatus,
  type Sending,
} from '@paymaster/chain';
import {
  BundlerRefusedError,
  DomainError,
  eip7702AuthOf,
  ENTRY_POINT_VERSIONS,
  type Address,
  type EntryPointVersion,
  type Hex,
  type PaymasterGasLimits,
} from '@paymaster/domain';
import type { OpenedSigners } from '@paymaster/signers';
import { timeoutWithin } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';
import { assertKeyServesSender } from '../callers/key-grants';
import { assertSessionFor } from '../callers/session-tokens';
import type { Caller } from '../callers/caller';
import type { ServedChain } from '../chains/served-chain';
import { SIGNERS } from '../chains/served-chains';
import { NoBundlerError, RateLimitedError } from '../platform/errors/rpc-errors';
import { inTurnOf } from '../decide/limits/in-turn';
import { SignWhenSent } from '../answers/sign-when-sent.service';
import { DIGEST_HASHER } from '../sign/sponsorship-signer.service';
import { estimateLimits, type Estimate } from './estimate-limits';
import { forSponsoredOnly, isSignedByUs, ourDataOf } from './our-signature';
import {
  landedOnChain,
  readLanded,
  readReceipt,
  receiptOnChain,
  type LandedUserOperation,
  type ReadOperation,
  type UserOperationReceipt,
} from './receipts';
import type { OurOperation } from './sent-operation';
import { SentOperations } from './sent-operations';

/** The most operations of which this process remembers that it sent them. */
const REMEMBERED = 20_000;
/**
 * The size of remembered receipts, in all and of a single receipt; characters. Clients poll for receipts, and anybody
 * can make large receipts.
 */
const RECEIPTS = { most: 8_000_000, mostOfOne: 64_000 };
/** How long a receipt is remembered: blocks may be undone for a while; milliseconds. */
const RECEIPT_MS = 5_000;
/** A memory of answers within these bounds: receipts, and operations that were read from the chain. */
const remembered = <T extends object>() =>
  new LRUCache<string, T>({
    ...{ maxSize: RECEIPTS.most, maxEntrySize: RECEIPTS.mostOfOne, ttl: RECEIPT_MS },
    sizeCalculation: (answer) => JSON.stringify(answer).length,
  });
/**
 * After an operation had no receipt, bundlers and chain are not asked again for this time; milliseconds. Clients poll
 * as often as every 200 ms.
 */
const ASK_AGAIN_MS = 250;
/** How long the chain is not asked again for an operation that it does not have; milliseconds. */
const SEARCH_AGAIN_MS = 5_000;
/** A bundler that does not know an operation this long after it took it has dropped it; milliseconds. */
const DROPPED_AFTER_MS = 10_000;
/** How long a bundler may take to say what became of an operation; milliseconds. */
const STATUS_MS = 1_000;

/** The bundler that took an operation, and when; milliseconds of the monotonic clock. */
interface TakenOperation {
  readonly bundler: BundlerEndpoint;
  readonly atMs: number;
}

/** An operation that a bundler, or this process, knows. */
export interface OperationStatus extends PoolStatus {
  /** Present when the operation has landed. */
  readonly receipt?: UserOperationReceipt | undefined;
}

/**
 * The door to the operator's bundlers. It decides about no money, because sponsorship was decided when the operation
 * was signed. It has connections and turns of its own, so that no signature waits for a bundler.
 */
@Injectable()
export class Bundling {
  private readonly taken = new LRUCache<string, TakenOperation>({ max: REMEMBERED });
  private readonly receipts = remembered<UserOperationReceipt>();
  private readonly landed = remembered<LandedUserOperation>();
  private readonly asked = new LRUCache<string, true>({ max: REMEMBERED, ttl: ASK_AGAIN_MS });
  private readonly searched = new LRUCache<string, true>({ max: REMEMBERED, ttl: SEARCH_AGAIN_MS });
  private readonly signers: Pick<OpenedSigners['set'], 'addresses'>;

  constructor(
    @Inject(SIGNERS) { set }: OpenedSigners,
    @Inject(DIGEST_HASHER) private readonly hasher: DigestHasher,
    private readonly sent: SentOperations,
    private readonly signWhenSent: SignWhenSent,
  ) {
    this.signers = set;
  }

  /**
   * Sends an operation to the first bundler that takes it.
   *
   * @returns the operation's hash; also when it was taken or has landed before
   * @throws {NoBundlerError} when the operator has no bundler for the EntryPoint
   * @throws {SponsorshipRefusedError} when all bundlers are metered, and this gateway has not signed the operation; or
   *   when the key sends sponsored operations only, and the funding wallet of its paymaster does not pay for this
   *   operation
   * @throws {BundlerRefusedError} when a bundler says that the operation is at fault, or its validation fails
   * @throws {DependencyUnavailableError} `bundler`, when no bundler has taken it
   */
  async send(caller: Caller, asked: CompleteOperation): Promise<Hex> {
    const { operation } = asked;
    const { chain, deadlineMs } = caller;
    assertServed(caller, operation.sender);
    const version = operation.entryPointVersion;
    const bundlers = chain.bundlers.of(version);
    if (bundlers.length === 0) throw new NoBundlerError(chain.config.chainId);
    const delegate = await this.delegateOf(caller, asked);
    const { entryPoint } = chain.config.entryPoints[version]!;
    const hash = hashOf(chain, asked, delegate);
    const key = keyOf(chain, hash);
    if (this.receipts.has(key)) return hash;
    const data = ourDataOf(asked, caller);
    const isPromised = data !== undefined && this.signWhenSent.isPromised(caller, asked);
    if (isPromised && (await this.wasSigned(caller, hash))) return hash;
    const sinceBlock = headNumberOf(chain);
    try {
      const promised = { complete: asked, data: data!, hash };
      const tryPlaceholder = () => assertValidBeforeSignature(caller, { complete: asked, entryPoint });
      const complete = isPromised ? await this.signWhenSent.sign(caller, promised, tryPlaceholder) : asked;
      const isSponsored = isPromised || (await this.isSponsored(caller, complete, delegate));
      const sending = { complete, entryPoint, version, userOpHash: hash, isSponsored };
      const ours = operationOf(sending, caller);
      // Anybody can send an operation that only looks like ours. Only what this process remembers is used to tell: the
      // chain is not read for it.
      const isOurs = ours !== undefined && (isSponsored || this.isOursAsRemembered(caller, complete, delegate));
      if (isOurs && !this.taken.has(key)) await assertValid(caller, { complete, entryPoint });
      const onRefused: Sending['onRefused'] = (bundler, refusal) => {
        if (isOurs) this.sent.refused(chain, ours, bundler, refusal);
      };
      const send = () => chain.bundlers.send({ ...sending, deadlineMs, onRefused });
      const { bundler } = await inTurnOf(chain.sends, caller, send);
      this.taken.set(key, { bundler, atMs: performance.now() });
      // A bundler took the operation, so its paymaster accepts it, and the paymaster's data say until when it may land.
      if (ours) this.sent.follow(chain, { ...ours, takenBy: bundler, sinceBlock });
    } catch (error) {
      // A client's transport repeats a request without an answer. Each bundler says in its own words that it has the
      // operation already.
      const isRefused = error instanceof DomainError && !(error instanceof RateLimitedError);
      if (isPromised && isRefused && (await this.isSent(caller, hash))) return hash;
      if (!(error instanceof BundlerRefusedError)) throw error;
      if (this.taken.has(key) && error.details['aaCode'] === undefined) return hash;
      this.asked.delete(key);
      if (!mayHaveLanded(error)) throw error;
      // The chain is searched first, because the bundler that took the operation may be hanging.
      const landed = (await this.searchChain(caller, hash)) ?? (await this.receipt(caller, hash));
      if (landed === null) throw error;
    }
    return hash;
  }

  /**
   * The gas limits of an operation: the signed limits if it carries this gateway's signature; else limits that this
   * gateway measures; else a bundler's, where this gateway cannot measure.
   *
   * @param overrides state overrides, which only a bundler can apply
   * @throws {SimulationFailedError} {@link BundlerRefusedError} when the operation fails
   * @throws {DependencyUnavailableError} when neither this gateway nor a bundler can estimate it
   */
  async estimate(caller: Caller, complete: CompleteOperation, overrides: unknown): Promise<Estimate> {
    const { operation, paymaster } = complete;
    assertServed(caller, operation.sender);
    const isSigned =
      paymaster !== undefined && operation.maxFeePerGas > 0n && (await this.isOurs(caller, complete, undefined));
    if (isSigned) return { limits: operation, paymasterLimits: limitsOf(paymaster) };
    return estimateLimits(caller, complete, overrides);
  }

  /** @returns null while the operation is in no block that is known */
  async receipt(caller: Caller, hash: Hex): Promise<UserOperationReceipt | null> {
    const { chain, deadlineMs } = caller;
    const key = keyOf(chain, hash);
    const known = this.receipts.get(key);
    if (known) return known;
    if (this.asked.has(key)) return null;
    this.asked.set(key, true);
    const takenBy = this.takenBy(chain, hash);
    if (this.sent.hasLanded(chain, hash)) this.searched.delete(key);
    const parse = (value: unknown) => readReceipt(value, { userOpHash: hash, entryPoints: entryPointsOf(chain) });
    const asked = { method: 'eth_getUserOperationReceipt', userOpHash: hash, takenBy, parse, deadlineMs } as const;
    const found =
      (await inTurnOf(chain.asks, caller, () => chain.bundlers.about(asked))) ?? (await this.searchChain(caller, hash));
    if (found) this.receipts.set(key, found);
    return found;
  }

  /**
   * An operation that has landed, with all its parts, proven by its hash.
   *
   * @returns null while it is pending or unknown
   */
  async byHash(caller: Caller, hash: Hex, read: ReadOperation): Promise<LandedUserOperation | null> {
    const { chain, deadlineMs } = caller;
    const key = keyOf(chain, hash);
    const known = this.landed.get(key);
    if (known) return known;
    const { accounts } = chain;
    const isWanted = (complete: CompleteOperation): boolean => {
      const { operation } = complete;
      const delegate = eip7702AuthOf(operation)?.address ?? accounts.rememberedCode(operation.sender)?.delegate;
      return hashOf(chain, complete, delegate) === hash;
    };
    const parse = (value: unknown) => readLanded(value, { read, isWanted });
    const takenBy = this.takenBy(chain, hash);
    const asked = { method: 'eth_getUserOperationByHash', userOpHash: hash, takenBy, parse, deadlineMs } as const;
    const said = await inTurnOf(chain.asks, caller, () => chain.bundlers.about(asked));
    return said ?? this.readOnChain(caller, hash);
  }

  /**
   * What is known of an operation: it has landed, is in a bundler's pool, was dropped, or is unknown. Why it was dropped
   * is told to its paymaster's owner only ({@link SentOperations}).
   */
  async status(caller: Caller, hash: Hex): Promise<OperationStatus> {
    const status = await this.statusHere(caller, hash);
    if (status.state !== 'dropped' && status.state !== 'unknown') return status;
    // Another gateway process may follow the operation, or may have given it up.
    const elsewhere = await this.sent.elsewhere(caller.chain, hash);
    return elsewhere ? { state: elsewhere === 'followed' ? 'pool' : 'dropped' } : status;
  }

  private async statusHere(caller: Caller, hash: Hex): Promise<OperationStatus> {
    const receipt = await this.receipt(caller, hash);
    if (receipt) return { state: 'submitted', transactionHash: receipt.receipt.transactionHash, receipt };
    const { chain, deadlineMs } = caller;
    const taken = this.taken.get(keyOf(chain, hash));
    // An operation that has landed or may still land is not called dropped, because its client would sign another in
    // its place.
    const isAlive = this.sent.isAlive(chain, hash);
    for (const bundler of chain.bundlers.askable(this.takenBy(chain, hash)).filter(({ isWell }) => isWell)) {
      const timeoutMs = timeoutWithin(deadlineMs, { boundMs: STATUS_MS, nowMs: performance.now() });
      const said = await inTurnOf(chain.asks, caller, () => bundler.statusOf(hash, timeoutMs));
      const isLost = said?.state === 'dropped' || said?.state === 'unknown';
      if (said && !isLost) return said;
      if (isAlive) continue;
      const isLate = taken !== undefined && performance.now() - taken.atMs > DROPPED_AFTER_MS;
      if (said?.state === 'dropped' || (said && isLate)) return { state: 'dropped' };
    }
    return { state: taken || isAlive ? 'pool' : 'unknown' };
  }

  /**
   * Whether this gateway has signed the operation, if the chain's bundlers or the key ask for that; else false.
   *
   * @throws {SponsorshipRefusedError} when they take sponsored operations only, and this gateway has not signed it
   */
  private async isSponsored(
    caller: Caller,
    complete: CompleteOperation,
    delegate: Address | undefined,
  ): Promise<boolean> {
    const { fundingWallet, key } = caller.paymaster.snapshot;
    const isForSponsored = key?.bundler === 'sponsored';
    const bundlers = caller.chain.bundlers.of(complete.operation.entryPointVersion);
    if (!isForSponsored && !bundlers.some(({ config }) => config.metered)) return false;
    const isOurs = await this.isOurs(caller, complete, delegate);
    if (!isOurs && bundlers.every(({ config }) => config.metered)) throw forSponsoredOnly('chain');
    // Signed data name the funding wallet that pays, and not the paymaster.
    const isOfKey = isOurs && ourDataOf(complete, caller)?.sponsorFields.fundingWallet === fundingWallet;
    if (isForSponsored && !isOfKey) throw forSponsoredOnly('key');
    return isOurs;
  }

  /**
   * Whether an operation that came with a placeholder was signed before. Then a process follows it, or it has landed.
   * Ledger and chain are asked only if this process did not promise the operation itself.
   */
  private async wasSigned(caller: Caller, hash: Hex): Promise<boolean> {
    if (this.sent.isAlive(caller.chain, hash)) return true;
    return !this.signWhenSent.remembers(caller, hash) && this.isSent(caller, hash);
  }

  /** Whether another process follows the operation, or the operation has landed. */
  private async isSent(caller: Caller, hash: Hex): Promise<boolean> {
    if ((await this.sent.elsewhere(caller.chain, hash)) === 'followed') return true;
    return (await this.searchChain(caller, hash)) !== null;
  }

  /** The bundler that took an operation last, as far as this process knows. */
  private takenBy(chain: ServedChain, hash: Hex): BundlerEndpoint | undefined {
    return this.sent.takenBy(chain, hash) ?? this.taken.get(keyOf(chain, hash))?.bundler;
  }

  private async searchChain(caller: Caller, hash: Hex): Promise<UserOperationReceipt | null> {
    const { chain, deadlineMs } = caller;
    const key = keyOf(chain, hash);
    if (this.searched.has(key)) return null;
    this.searched.set(key, true);
    const wanted = { userOpHash: hash, entryPoints: entryPointsOf(chain), deadlineMs };
    // When a node refuses the range, or its blocks are being undone, nothing is known of the operation, and its client
    // goes on polling.
    return inTurnOf(chain.readTurns, caller, () => receiptOnChain(chain.reads, wanted)).catch(() => null);
  }

  /**
   * Reads the operation from the transaction of its event. The transaction is read no more often than the event is
   * searched.
   */
  private async readOnChain(caller: Caller, hash: Hex): Promise<LandedUserOperation | null> {
    const { chain, deadlineMs } = caller;
    const receipt = await this.receipt(caller, hash);
    const version = receipt && versionAt(chain, receipt.entryPoint);
    const key = keyOf(chain, hash);
    if (!version || this.searched.has(`carried ${key}`)) return null;
    this.searched.set(`carried ${key}`, true);
    const isWanted = async (complete: CompleteOperation): Promise<boolean> =>
      hashOf(chain, complete, await this.delegateOf(caller, complete)) === hash;
    const wanted = { receipt, version, isWanted, deadlineMs };
    const found = await inTurnOf(chain.readTurns, caller, () => landedOnChain(chain.reads, wanted)).catch(() => null);
    if (found) this.landed.set(key, found);
    return found;
  }

  /**
   * Whether this gateway has signed the operation. The signature covers the account's EIP-7702 delegate. The delegate
   * is read from the chain only when the signature is not valid for an account with code of its own.
   */
  private async isOurs(caller: Caller, complete: CompleteOperation, delegate: Address | undefined): Promise<boolean> {
    const data = ourDataOf(complete, caller);
    if (!data || data.signature === STUB_SIGNATURE) return false;
    if (this.isOursAsRemembered(caller, complete, delegate)) return true;
    const { accounts } = caller.chain;
    const { sender } = complete.operation;
    if (accounts.rememberedCode(sender)) return false;
    const code = await accounts.currentCode(sender, caller);
    return code?.delegate !== undefined && this.isOursAsRemembered(caller, complete, code.delegate);
  }

  /** Like {@link isOurs}, but with what this process remembers of the account, without reading the chain. */
  private isOursAsRemembered(caller: Caller, complete: CompleteOperation, delegate: Address | undefined): boolean {
    const remembered = caller.chain.accounts.rememberedCode(complete.operation.sender)?.delegate;
    const asked = { caller, hasher: this.hasher, signers: this.signers.addresses() };
    return [...new Set([delegate, remembered ?? delegate])].some((each) =>
      isSignedByUs(complete, { ...asked, delegate: each }),
    );
  }

  /** The delegate whose code the sender runs, if the hash depends on it and the operation does not name it. */
  private async delegateOf(caller: Caller, { operation }: CompleteOperation): Promise<Address | undefined> {
    const named = eip7702AuthOf(operation)?.address;
    if (named !== undefined) return named;
    const { accounts } = caller.chain;
    const { sender } = operation;
    if (!marksDelegation(operation)) return undefined;
    return (accounts.rememberedCode(sender) ?? (await accounts.currentCode(sender, caller)))?.delegate;
  }
}

/**
 * Refuses an operation of our paymaster whose validation fails. When bundlers take operations that never land, they
 * throttle the paymaster (ERC-7562). If the validation cannot be tried in time, the bundler's own simulation decides.
 *
 * @throws {BundlerRefusedError} with the EntryPoint's code
 */
async function assertValid(caller: Caller, operation: Pick<Sending, 'complete' | 'entryPoint'>): Promise<void> {
  const { chain } = caller;
  const deadlineMs = Math.min(caller.deadlineMs, performance.now() + chain.validationTrial.timeoutMs);
  const trial = () => chain.validationTrial.refusal({ ...operation, deadlineMs });
  const refusal = await inTurnOf(chain.trialTurns, { ...caller, deadlineMs }, trial).catch(() => undefined);
  if (refusal) throw refusal;
}

/**
 * Like {@link assertValid}, before our paymaster signs. The validation has to be tried, because nothing is held or
 * signed for an operation that was not validated.
 *
 * @throws {BundlerRefusedError} with the EntryPoint's code
 * @throws {DependencyUnavailableError} `chain` {@link RateLimitedError} when it cannot be tried now
 */
async function assertValidBeforeSignature(
  caller: Caller,
  operation: Pick<Sending, 'complete' | 'entryPoint'>,
): Promise<void> {
  const { chain, deadlineMs } = caller;
  const trial = () => chain.validationTrial.refusalBeforeSignature({ ...operation, deadlineMs });
  const refusal = await inTurnOf(chain.placeholderTurns, caller, trial);
  if (refusal) throw refusal;
}

/** Undefined: the operation has no signature of a paymaster of ours. */
function operationOf(sending: OurOperation['sending'], caller: Caller): OurOperation | undefined {
  const ours = ourDataOf(sending.complete, caller);
  if (!ours || ours.signature === STUB_SIGNATURE) return undefined;
  const { validUntilSeconds, fundingWallet } = ours.sponsorFields;
  return { sending, paymasterId: caller.paymaster.snapshot.paymasterId, fundingWallet, validUntilSeconds };
}

/** Undefined before the chain was read. */
function headNumberOf({ head }: ServedChain): bigint | undefined {
  return Number.isFinite(head.ageSeconds()) ? head.latest().number : undefined;
}

const keyOf = ({ config }: ServedChain, hash: Hex): string => `${config.chainId}:${hash}`;

function hashOf({ config }: ServedChain, complete: CompleteOperation, delegate: Address | undefined): Hex {
  const { entryPoint } = config.entryPoints[complete.operation.entryPointVersion]!;
  return userOpHash(complete, { entryPoint, chainId: config.chainId, delegate });
}

function versionAt({ config }: ServedChain, entryPoint: Address): EntryPointVersion | undefined {
  return ENTRY_POINT_VERSIONS.find((version) => config.entryPoints[version]?.entryPoint === entryPoint);
}

function entryPointsOf({ config }: ServedChain): readonly Address[] {
  return Object.values(config.entryPoints).map(({ entryPoint }) => entryPoint);
}

/** @throws {SponsorshipRefusedError} KEY_SENDER_NOT_ALLOWED @throws {SessionTokenError} */
function assertServed({ paymaster, session }: Caller, sender: Address): void {
  const { key } = paymaster.snapshot;
  if (key !== null) assertKeyServesSender(key, sender);
  if (session) assertSessionFor(session, sender);
}

function limitsOf({ paymasterVerificationGasLimit, paymasterPostOpGasLimit }: PaymasterGasLimits): PaymasterGasLimits {
  return { paymasterVerificationGasLimit, paymasterPostOpGasLimit };
}
