import {
  CallRevertedError,
  decodeSymbol,
  decodeUint,
  parseBytes,
  TokenAnswerError,
  type ChainProvider,
} from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';

const SYMBOL = '0x95d89b41';
const DECIMALS = '0x313ce567';
const BALANCE_OF = '0x70a08231';
const ALLOWANCE = '0xdd62ed3e';

const MAX_UINT8 = 255n;

/**
 * Enough for any token's views. It bounds what a hostile token can do to a node and to us: it can't loop for long, nor
 * pay for the memory of an answer above the 1 MiB that we read.
 */
export const TOKEN_VIEW_GAS = 500_000n;

/** Call data of `balanceOf(account)`. */
export function balanceOfCall(account: Address): Hex {
  return `${BALANCE_OF}${addressWord(account)}`;
}

/**
 * Reads ERC-20 tokens. Tokens are not trusted: an invalid answer is the token's fault and never counts against the
 * node.
 *
 * All methods throw {@link TokenAnswerError} when the token reverts or answers nonsense, and
 * {@link DependencyUnavailableError} `chain` when it can't be read. `deadlineMs` is that of the request that asks, by
 * the monotonic clock.
 */
export class TokenReader {
  constructor(private readonly provider: Pick<ChainProvider, 'ethCall'>) {}

  /** The symbol, 1 to 32 presentable characters; any other symbol is an error. */
  async symbol(token: Address): Promise<string> {
    return expect(token, 'symbol', decodeSymbol(await this.call(token, 'symbol', SYMBOL)));
  }

  /** 0 to 255. */
  async decimals(token: Address): Promise<number> {
    const decimals = await this.uint(token, 'decimals', DECIMALS);
    return Number(expect(token, 'decimals', decimals <= MAX_UINT8 ? decimals : undefined));
  }

  /** Token base units. */
  balanceOf(question: { token: Address; account: Address; deadlineMs?: number }): Promise<bigint> {
    const { token, account, deadlineMs } = question;
    return this.uint(token, 'balanceOf', balanceOfCall(account), deadlineMs);
  }

  /** Token base units. */
  allowance(question: { token: Address; owner: Address; spender: Address; deadlineMs?: number }): Promise<bigint> {
    const { token, owner, spender, deadlineMs } = question;
    return this.uint(token, 'allowance', `${ALLOWANCE}${addressWord(owner)}${addressWord(spender)}`, deadlineMs);
  }

  private async uint(token: Address, what: string, data: Hex, deadlineMs?: number): Promise<bigint> {
    return expect(token, what, decodeUint(await this.call(token, what, data, deadlineMs)));
  }

  private async call(token: Address, what: string, data: Hex, deadlineMs?: number): Promise<Hex> {
    const call = { to: token, data, gas: TOKEN_VIEW_GAS };
    try {
      return await this.provider.ethCall(call, (value) => parseBytes(value, what), undefined, deadlineMs);
    } catch (error) {
      if (error instanceof CallRevertedError) throw new TokenAnswerError(token, what, { cause: error });
      throw error;
    }
  }
}

function expect<T>(token: Address, what: string, value: T | undefined): T {
  if (value === undefined) throw new TokenAnswerError(token, what);
  return value;
}

function addressWord(address: Address): string {
  return address.slice(2).padStart(64, '0');
}
