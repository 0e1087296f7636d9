import type { ChainReads } from '@paymaster/chain';
import { delegateIn, normalizeAddress, RequestTimedOutError, type Address, type Hex } from '@paymaster/domain';
import { nextNonce, senderCreatorOf, senderOf, SEQUENCE_BITS, type SenderQuestion } from '@paymaster/gas';
import { clientSite } from '@paymaster/nest-kit';
import {
  accountImplementationOf,
  BUILT_IN_ACCOUNTS,
  implementationSlotOf,
  type AccountImplementation,
  type KnownAccounts,
  type OperationHandlers,
} from '@paymaster/policy';
import { assertInTime, ClientTurns, type MonotonicClock, type QueueBounds, type Taken } from '@paymaster/turns';
import { LRUCache } from 'lru-cache';
import { busy } from '../platform/errors/overloaded';

/** The number of remembered accounts for which the gateway has signed. */
const MAX_SIGNED_FOR = 50_000;
/** The number of other remembered accounts. */
const MAX_SEEN = 10_000;
const MAX_IMPLEMENTATIONS = 50_000;
/** How long an answer is used, because the owner of an account can upgrade it; milliseconds. */
const IMPLEMENTATION_MS = 60_000;
/** How long a delegation is used, because its owner can change it in any transaction; milliseconds. */
const DELEGATION_MS = 5_000;
/**
 * The most reads of accounts at the same time, in all and for one client. So no client can use up the node's quota,
 * which all clients share.
 */
const MAX_READS = 32;
const MAX_READS_OF_CLIENT = 8;
/** Clients share the turns, whichever paymaster they ask. So all reads count for this one. */
const ANY_PAYMASTER = '';
/**
 * A server has one address for all its users and asks in bursts, so as many reads of a client may wait as operations in
 * `WAITING_TO_SEND`. A read waits until the deadline of its request.
 */
const WAITING: QueueBounds = { perClient: 256, inAll: 1_024, longestMs: 30_000 };

/** The code that is at an account's address. */
export interface AccountCode {
  /** The delegate whose code it runs by EIP-7702; undefined if the account has its own code. */
  readonly delegate: Address | undefined;
}

/** The request that causes the read. */
export interface ReadingRequest {
  /** Undefined when the client is gone already. */
  readonly clientAddress: string | undefined;
  /** The app's server, if it names its user. Then the read takes a turn of the server. */
  readonly proxyAddress?: string | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly deadlineMs: number;
}

interface SeenCode extends AccountCode {
  /** The time from which on it is read again; milliseconds of the monotonic clock. */
  readonly untilMs: number;
}

const OWN_CODE: SeenCode = { delegate: undefined, untilMs: Infinity };
const WORD = /^0x0{24}([0-9a-f]{40})$/;

/**
 * Finds out what code accounts run: whether there is code, which delegate's code it is by EIP-7702, and whether it is a
 * known proxy in front of a known implementation.
 *
 * An account's own code never changes (EIP-3541, EIP-6780, EIP-7702), so it is remembered for as long as there is room.
 * The gateway never remembers that an account has no code, because the next block may deploy it. Accounts that were
 * signed for are remembered apart from others, and each client can get only so many signatures. So a client that asks
 * about many accounts does not displace them.
 *
 * It also reads where a factory deploys an account, and which nonces have landed, in the same turns.
 */
export class AccountImplementations {
  private readonly clock: MonotonicClock;
  private readonly known: KnownAccounts['implementations'];
  /** Bounded by size and not by `max`, because the cache would allocate memory for `max` entries at the start. */
  private readonly signedFor = new LRUCache<Address, AccountCode>({
    ...{ maxSize: MAX_SIGNED_FOR, sizeCalculation: () => 1 },
  });
  private readonly seen = new LRUCache<Address, SeenCode>({ max: MAX_SEEN });
  private readonly implementations = new LRUCache<Address, AccountImplementation>({
    ...{ maxSize: MAX_IMPLEMENTATIONS, sizeCalculation: () => 1, ttl: IMPLEMENTATION_MS },
  });
  private readonly senderCreators = new Map<Address, Address>();
  private readonly turns = new ClientTurns({ perClient: MAX_READS_OF_CLIENT, inAll: MAX_READS }, WAITING);

  constructor(
    private readonly provider: Pick<ChainReads, 'storageAt' | 'code' | 'ethCall'>,
    {
      clock = () => performance.now(),
      known = BUILT_IN_ACCOUNTS.implementations,
    }: { clock?: MonotonicClock; known?: KnownAccounts['implementations'] } = {},
  ) {
    this.clock = clock;
    this.known = known;
  }

  /** The remembered code of the account; undefined if the chain has to be asked. */
  rememberedCode(sender: Address): AccountCode | undefined {
    const signedFor = this.signedFor.get(sender);
    if (signedFor) return signedFor;
    const seen = this.seen.get(sender);
    return seen && this.clock() < seen.untilMs ? seen : undefined;
  }

  /** Notes that the gateway signed for the account, so that its code is remembered for longer. */
  signed(sender: Address): void {
    if (this.seen.peek(sender) !== OWN_CODE || this.signedFor.has(sender)) return;
    this.signedFor.set(sender, OWN_CODE);
  }

  /**
   * The account's code as the chain has it now; undefined if the account has no code.
   *
   * @throws {DependencyUnavailableError} `chain`, when it cannot be read; reason OVERLOADED, when too many clients wait
   * @throws {RateLimitedError} when too many reads of this client wait
   * @throws {RequestTimedOutError} when the deadline is over
   */
  async currentCode(sender: Address, request: ReadingRequest): Promise<AccountCode | undefined> {
    const code = await this.read(request, () => this.provider.code(sender, request.deadlineMs));
    return this.remember(sender, code);
  }

  /** @throws what {@link currentCode} throws */
  async implementationOf(sender: Address, request: ReadingRequest): Promise<AccountImplementation> {
    const remembered = this.implementations.get(sender);
    if (remembered !== undefined) return remembered;
    const { deadlineMs } = request;
    // Reads the code first: the storage of an account says something about its behaviour only if its code is a known
    // proxy.
    const code = await this.read(request, () => this.provider.code(sender, deadlineMs));
    if (!this.remember(sender, code)) return { known: false };
    const stored = (slot: Hex) =>
      this.read(request, () => this.provider.storageAt({ address: sender, slot }, deadlineMs));
    const slot = implementationSlotOf({ account: sender, code });
    const implementation = slot && parseAddressWord(await stored(slot));
    const found = accountImplementationOf({ code, implementation, known: this.known });
    const isKnown = !found.handlers || (await hasKnownHandler(found.handlers, stored));
    const answer = isKnown ? found : { known: false };
    this.implementations.set(sender, answer);
    return answer;
  }

  /**
   * The address at which a known factory deploys the account; undefined if the factory gives no address. Do not call it
   * with an unknown factory, which is a stranger's code.
   *
   * @throws what {@link currentCode} throws
   */
  async deployedBy(
    { entryPoint, ...deployment }: Omit<SenderQuestion, 'senderCreator'>,
    request: ReadingRequest,
  ): Promise<Address | undefined> {
    const known = this.senderCreators.get(entryPoint);
    const senderCreator = known ?? (await this.read(request, () => senderCreatorOf(this.provider, entryPoint)));
    this.senderCreators.set(entryPoint, senderCreator);
    return this.read(request, () => senderOf(this.provider, { ...deployment, entryPoint, senderCreator }));
  }

  /**
   * Which of some nonces of an account its EntryPoint has taken, as the chain has it now. A nonce about which the
   * EntryPoint gives no answer counts as not landed.
   *
   * @throws what {@link currentCode} throws
   */
  async landedNonces(
    { entryPoint, sender, nonces }: { entryPoint: Address; sender: Address; nonces: readonly bigint[] },
    request: ReadingRequest,
  ): Promise<readonly bigint[]> {
    const keyOf = (nonce: bigint) => nonce >> BigInt(SEQUENCE_BITS);
    const nonceOfKey = new Map(nonces.map((nonce) => [keyOf(nonce), nonce]));
    const next = new Map<bigint, bigint>();
    // One after the other in one turn, so that a sender with many keys takes no more of the node than others.
    await this.read(request, async () => {
      for (const [key, nonce] of nonceOfKey) {
        const asked = nextNonce(this.provider, { entryPoint, sender, nonce }, request.deadlineMs);
        next.set(key, await asked.catch(() => 0n));
      }
    });
    return nonces.filter((nonce) => nonce < (next.get(keyOf(nonce)) ?? 0n));
  }

  private remember(sender: Address, code: Hex): AccountCode | undefined {
    const delegate = delegateIn(code);
    if (code !== '0x' && !delegate) {
      if (!this.signedFor.has(sender)) this.seen.set(sender, OWN_CODE);
      return OWN_CODE;
    }
    this.signedFor.delete(sender);
    this.seen.delete(sender);
    if (!delegate) return undefined;
    const found = { delegate, untilMs: this.clock() + DELEGATION_MS };
    this.seen.set(sender, found);
    return found;
  }

  private read<T>({ clientAddress, proxyAddress, deadlineMs }: ReadingRequest, ask: () => Promise<T>): Promise<T> {
    const taker = { paymasterId: ANY_PAYMASTER, client: clientSite(proxyAddress ?? clientAddress) };
    const work = (): Promise<T> => {
      assertInTime(deadlineMs, performance.now());
      return ask();
    };
    const refusal = (taken: Taken): Error =>
      performance.now() < deadlineMs ? busy(taken) : new RequestTimedOutError();
    return this.turns.run(taker, deadlineMs - performance.now(), { work, refusal });
  }
}

/** Whether a known contract decodes the account's operations, and may make the account's calls. */
async function hasKnownHandler(
  { known, slot, enabledSlotOf }: OperationHandlers,
  stored: (slot: Hex) => Promise<Hex>,
): Promise<boolean> {
  const handler = parseAddressWord(await stored(slot));
  if (!handler || !known.has(handler)) return false;
  return BigInt(await stored(enabledSlotOf(handler))) !== 0n;
}

function parseAddressWord(word: Hex): Address | undefined {
  const digits = WORD.exec(word)?.[1];
  return digits === undefined ? undefined : normalizeAddress(`0x${digits}`);
}
