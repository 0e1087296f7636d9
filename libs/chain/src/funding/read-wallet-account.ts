import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import { parseWords } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';
import { CallRevertedError } from '../providers/eth-call';

/** `balanceOf(address) returns (uint256)` of our contract: first four bytes of keccak-256 of the signature. */
const BALANCE_OF = '0x70a08231';
/** `withdrawalOf(address) returns (uint256 amountWei, uint256 executableAt)` of our contract. */
const WITHDRAWAL_OF = '0x14bf9d2b';

/** `WITHDRAWAL_WINDOW_SECONDS() returns (uint256)` of our contract; its first generation lacks it. */
const WITHDRAWAL_WINDOW_SECONDS = '0x2b88348d';

/** A funding wallet's account in our contract, now; wei. */
export interface WalletOnChain {
  readonly balanceWei: bigint;
  /** The amount that the wallet asked to withdraw and can still withdraw: a request is void a while after it is due. */
  readonly requestedWei: bigint;
  /** From when on the wallet can take that amount; Unix time in seconds. Null: it asked for nothing. */
  readonly withdrawableAtSeconds: number | null;
}

/** The last second that a JavaScript date can name. */
const LAST_SECOND = 8_640_000_000_000n;

type Reads = Pick<ChainProvider, 'ethCall' | 'block'>;

/**
 * Reads a funding wallet's account for display. What may be signed for the wallet is the ledger's decision.
 *
 * @throws {DependencyUnavailableError} `chain`
 */
export async function readWalletAccount(
  provider: Reads,
  { contract, wallet }: { contract: Address; wallet: Address },
): Promise<WalletOnChain> {
  const ofWallet = (selector: Hex): Hex => `${selector}${wallet.slice(2).padStart(64, '0')}`;
  try {
    // The request first: a withdrawal executed in between can then only lower the result.
    const [askedWei = 0n, executableAtSeconds = 0n] = await words(provider, contract, ofWallet(WITHDRAWAL_OF), 2);
    const isVoid = askedWei > 0n && (await isOver(provider, { contract, executableAtSeconds }));
    const [balanceWei = 0n] = await words(provider, contract, ofWallet(BALANCE_OF), 1);
    const requestedWei = isVoid ? 0n : askedWei;
    return {
      requestedWei,
      balanceWei,
      withdrawableAtSeconds: requestedWei > 0n ? toSeconds(executableAtSeconds) : null,
    };
  } catch (cause) {
    // The contracts that we deploy never revert here, so a revert means a wrong address or a broken node.
    if (!(cause instanceof CallRevertedError)) throw cause;
    throw new DependencyUnavailableError('chain', `balances of ${contract} cannot be read`, { cause });
  }
}

/** @throws {DependencyUnavailableError} `chain`: our contracts never name such a time */
function toSeconds(time: bigint): number {
  if (time > LAST_SECOND) throw new DependencyUnavailableError('chain', `a withdrawal is due at ${time}`);
  return Number(time);
}

function words(provider: Reads, contract: Address, data: Hex, count: number): Promise<bigint[]> {
  return provider.ethCall({ to: contract, data }, (returned) =>
    parseWords(returned, count, `return data of ${contract}`),
  );
}

/** Whether the window is closed in which a request can be executed. */
async function isOver(
  provider: Reads,
  { contract, executableAtSeconds }: { contract: Address; executableAtSeconds: bigint },
): Promise<boolean> {
  try {
    const [windowSeconds = 0n] = await words(provider, contract, WITHDRAWAL_WINDOW_SECONDS, 1);
    const { timestampSeconds } = await provider.block('latest');
    return executableAtSeconds + windowSeconds <= BigInt(timestampSeconds);
  } catch (error) {
    if (error instanceof CallRevertedError) return false;
    throw error;
  }
}
