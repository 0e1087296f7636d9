import type { ChainProvider, EntryPointConfig, Log } from '@paymaster/chain';
import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import type { ExposedOperation } from './token-exposure';

/** keccak-256 of the events' signatures: the paymaster's three, then the EntryPoint's three. */
const EVENTS = {
  UserOperationPrecharged: '0x30766c5e8e06f007f457a633234ac0e355da96a49b831b27264131944339f84a',
  UserOperationPaidInToken: '0x9f42b124c929f773cf4026e76727943aad59f15f54748704f77d8978952fecf6',
  TokenPaymentDue: '0xae08d056c30ad113f13c5b422b84837823539fe7c5687a05ccec4aaeb1acd918',
  PostOpRevertReason: '0xf62676f440ff169a3a9afdbf812e89e7f95975ee8e5c31214ffdef631c5f4792',
  UserOperationPrefundTooLow: '0x67b4fa9642f42120bf031f3051d1824b0fe25627945b27b8a6a65d5761d5482e',
  UserOperationEvent: '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f',
} as const satisfies Readonly<Record<string, Hex>>;

/** The EntryPoint's about one operation; a revert reason is cut off at 2 kB. */
const ENTRY_POINT_EVENTS: readonly Hex[] = [
  EVENTS.PostOpRevertReason,
  EVENTS.UserOperationPrefundTooLow,
  EVENTS.UserOperationEvent,
];
/** Hashes in one question: the longest answer is half of what we read. Halved while the node refuses. */
const MAX_HASHES = 50;

/** How an operation paid its funding wallet back. */
export type TokenPayment =
  | 'paid'
  /** Unpaid, and its calls had reverted, or all of it was undone for a prefund that was too low. */
  | 'due'
  /** Unpaid although its calls had succeeded: the token was gone. */
  | 'taken';

/** A landed operation of one of our contracts and its payment in tokens. */
export interface TokenPaidOperation extends ExposedOperation {
  readonly userOpHash: Hex;
  readonly blockNumber: bigint;
  readonly payment: TokenPayment;
  /** Undefined where `postOp` was undone with everything it had said. */
  readonly token: Address | undefined;
}

interface Blocks {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** What the events of one operation say, before it is known which nonce it had. */
interface Said {
  fundingWallet?: Address;
  payment?: TokenPayment;
  token?: Address;
}

/**
 * Reads from a chain's logs which operations paid in tokens and which did not.
 *
 * Every answer is a positive one; nothing follows from a log that is not there, so that a node that is behind makes
 * nobody a debtor. `UserOperationPrecharged` says whose wallet it is (it is emitted in validation, which nothing
 * undoes), the paymaster's `UserOperationPaidInToken` and `TokenPaymentDue` or the EntryPoint's `PostOpRevertReason`
 * and `UserOperationPrefundTooLow` say how it ended, and `UserOperationEvent` says which nonce it was.
 *
 * The paymasters are asked first, and the EntryPoints only for the operations that these named. Every EntryPoint is
 * everybody's: strangers can fill a block with its events, and no such answer could be read.
 */
export class TokenPaymentLogs {
  private readonly entryPoints: readonly Address[];
  private readonly paymasters: readonly Address[];

  constructor(
    private readonly provider: Pick<ChainProvider, 'logs'>,
    contracts: readonly EntryPointConfig[],
  ) {
    this.entryPoints = contracts.map(({ entryPoint }) => entryPoint);
    this.paymasters = contracts.map(({ paymaster }) => paymaster);
  }

  /**
   * Operations in the blocks, both ends included; those that touch no token are left out.
   *
   * @throws {DependencyUnavailableError} `chain`
   * @throws {IncompleteLogsError} when two answers do not fit together: ask again
   */
  async read(blocks: Blocks): Promise<readonly TokenPaidOperation[]> {
    const { UserOperationPrecharged, UserOperationPaidInToken, TokenPaymentDue } = EVENTS;
    const own = await this.provider.logs({
      address: this.paymasters,
      topics: [[UserOperationPrecharged, UserOperationPaidInToken, TokenPaymentDue]],
      ...blocks,
    });
    const said = new Map<Hex, Said>();
    for (const log of own) hear(said, log);
    const precharged = [...said].flatMap(([userOpHash, { fundingWallet }]) => (fundingWallet ? [userOpHash] : []));
    const landed = new Map<Hex, Log>();
    for (let first = 0; first < precharged.length; first += MAX_HASHES)
      for (const log of await this.entryPointLogs(precharged.slice(first, first + MAX_HASHES), blocks)) {
        if (log.topics[0] === EVENTS.UserOperationEvent) landed.set(log.topics[1] as Hex, log);
        else hear(said, log);
      }
    return precharged.flatMap((userOpHash) => {
      const { fundingWallet, payment, token } = said.get(userOpHash) ?? {};
      const event = landed.get(userOpHash);
      if (!event) throw new IncompleteLogsError(userOpHash);
      if (!fundingWallet || !payment) return [];
      const { address: entryPoint, blockNumber } = event;
      const [sender, nonce] = [toAddress(event.topics[2]), BigInt(event.data.slice(0, 66))];
      return [{ userOpHash, blockNumber, fundingWallet, entryPoint, sender, nonce, payment, token }];
    });
  }

  /** What the EntryPoints say of these operations, in as many questions as the node wants. */
  private async entryPointLogs(userOpHashes: readonly Hex[], blocks: Blocks): Promise<readonly Log[]> {
    try {
      return await this.provider.logs({
        ...{ address: this.entryPoints, topics: [ENTRY_POINT_EVENTS, userOpHashes] },
        ...blocks,
      });
    } catch (error) {
      if (userOpHashes.length === 1) throw error;
      const half = Math.ceil(userOpHashes.length / 2);
      const first = await this.entryPointLogs(userOpHashes.slice(0, half), blocks);
      return [...first, ...(await this.entryPointLogs(userOpHashes.slice(half), blocks))];
    }
  }
}

/** The node told one event of an operation and not another: it changed its mind, or another node answered. */
export class IncompleteLogsError extends Error {
  constructor(userOpHash: Hex) {
    super(`the logs of operation ${userOpHash} are incomplete`);
    this.name = 'IncompleteLogsError';
  }
}

/** Adds an event to what is said of its operation. */
function hear(all: Map<Hex, Said>, { topics, data }: Log): void {
  const [event, userOpHash] = topics;
  if (!userOpHash) return;
  const said = all.get(userOpHash) ?? {};
  all.set(userOpHash, said);
  if (event === EVENTS.UserOperationPrecharged) {
    said.fundingWallet = toAddress(topics[2]);
  } else if (event === EVENTS.UserOperationPaidInToken) {
    said.payment = 'paid';
    said.token = toAddress(topics[2]);
  } else if (event === EVENTS.TokenPaymentDue) {
    said.payment = callsSucceeded(data) ? 'taken' : 'due';
    said.token = toAddress(topics[2]);
  } else {
    said.payment = event === EVENTS.PostOpRevertReason ? 'taken' : 'due';
  }
}

/** Second word of `TokenPaymentDue(bytes32, address, address, uint256 due, bool callsSucceeded)`. */
function callsSucceeded(data: Hex): boolean {
  return BigInt(`0x${data.slice(66, 130)}`) === 1n;
}

function toAddress(topic: Hex | undefined): Address {
  return normalizeAddress(`0x${topic?.slice(26) ?? ''}`);
}
