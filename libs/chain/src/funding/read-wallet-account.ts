import { DependencyUnavailableError, type Address, type Hex } from '@paymaster/domain';
import { parseWords } from '../json-rpc/parse';
import type { ChainProvider } from '../providers/chain-provider';
import { CallRevertedError } from '../providers/eth-call';

/** `balanceOf(address) returns (uint256)` of our contract: first four bytes of keccak-256 of the signature. */
const BALANCE_OF = '0x70a08231';
/** `withdrawalOf(address) returns (uint256 amountWei, uint256 executableAt)` of our contract. */
const WITHDRAWAL_OF = '0x14bf9d2b';

/** A funding wallet's account in our contract, now; wei. */
export interface WalletOnChain {
  readonly balanceWei: bigint;
  /** What the wallet asked to withdraw. */
  readonly requestedWei: bigint;
}

/**
 * Reads a funding wallet's account, to be shown. What may be signed for it the ledger says.
 *
 * @throws {DependencyUnavailableError} `chain`
 */
export async function readWalletAccount(
  provider: Pick<ChainProvider, 'ethCall'>,
  { contract, wallet }: { contract: Address; wallet: Address },
): Promise<WalletOnChain> {
  const read = (selector: Hex, words: number): Promise<bigint> =>
    provider.ethCall({ to: contract, data: `${selector}${wallet.slice(2).padStart(64, '0')}` }, (returned) => {
      const [first = 0n] = parseWords(returned, words, `return data of ${contract}`);
      return first;
    });
  try {
    // The request first: a withdrawal executed in between can then only lower the result.
    const requestedWei = await read(WITHDRAWAL_OF, 2);
    return { requestedWei, balanceWei: await read(BALANCE_OF, 1) };
  } catch (cause) {
    // The contracts we deploy never revert here: a revert is a wrong address or a broken node.
    if (!(cause instanceof CallRevertedError)) throw cause;
    throw new DependencyUnavailableError('chain', `balances of ${contract} cannot be read`, { cause });
  }
}
