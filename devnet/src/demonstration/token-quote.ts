import { encodeFunctionData, erc20Abi } from 'viem';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { SimpleAccount } from '../operations/simple-account';
import { draftUserOperation, type Call, type WireUserOperation } from '../operations/user-operation';
import type { Stack, StackToken } from '../stack/stack-file';
import { tokens } from './amounts';
import { askGateway } from './ask-gateway';

/** Writes one line for people. */
export type Say = (topic: string, text: string) => void;

/** One entry of `feeQuotes` (service-interface, "Fee quote"), as far as the demonstration reads it. */
interface FeeQuote {
  readonly symbol: string;
  readonly decimal: number;
  readonly tokenAddress: Hex;
  readonly maxGasFee: number;
  readonly maxGasFeeUSD: number;
  readonly premiumPercentage: string;
  readonly validUntil: number;
}

interface FeeQuotes {
  readonly paymasterAddress: Hex;
  readonly feeQuotes: readonly FeeQuote[];
}

export interface TokenQuote {
  readonly quote: FeeQuote;
  /** The operation as it was quoted. The final one must not have higher fees. */
  readonly draft: WireUserOperation;
  /** Whom the sender has to approve. */
  readonly spender: Hex;
  /** The most the operation will cost, in base units: what SDKs approve. */
  readonly maximum: bigint;
}

/** The mode object of a token payment; `smartAccountInfo` only hints at the account's kind. */
export function tokenMode(tokenInfo: object): object {
  const smartAccountInfo = { name: 'INFINITISM', version: '1.0.0' };
  return { mode: 'ERC20', calculateGasLimits: true, tokenInfo, sponsorshipInfo: { smartAccountInfo } };
}

/** Asks what the calls cost in a token, before anything is approved or signed. */
export async function quoteInToken(
  stack: Stack,
  { account, calls, token }: { account: SimpleAccount; calls: readonly Call[]; token: StackToken },
): Promise<TokenQuote> {
  const draft = await draftUserOperation(stack, { account, calls });
  const mode = tokenMode({ preferredToken: token.address, tokenList: [token.address] });
  const params = [draft, stack.entryPoints[account.entryPoint.version as EntryPointVersion], mode];
  const { feeQuotes, paymasterAddress } = await askGateway<FeeQuotes>(stack, 'pm_getFeeQuoteOrData', params);
  const [quote] = feeQuotes;
  if (!quote) throw new Error(`no quote for ${token.symbol}`);
  return { quote, draft, spender: paymasterAddress, maximum: BigInt(Math.ceil(quote.maxGasFee * 10 ** quote.decimal)) };
}

export function describeQuote({ quote }: TokenQuote): string {
  const until = new Date(quote.validUntil * 1_000).toISOString().slice(11, 19);
  return (
    `at most ${quote.maxGasFee} ${quote.symbol} ($${quote.maxGasFeeUSD.toFixed(4)}), ` +
    `premium ${quote.premiumPercentage} %, valid until ${until} UTC`
  );
}

/** The call in front that lets the paymaster take its due for so many operations like this one; none for none. */
export function approvalFor(
  operations: number,
  { quoted, token, say }: { quoted: TokenQuote; token: StackToken; say: Say },
): Call[] {
  if (operations === 0) {
    say('calls', 'DemoCounter.increment(); the paymaster may still take what was approved before');
    return [];
  }
  const { spender, maximum } = quoted;
  const amount = maximum * BigInt(operations);
  say('calls', `approve(${spender}, ${tokens(amount, token)}), then DemoCounter.increment()`);
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] });
  return [{ to: token.address, data }];
}
