import { erc20Abi, hexToBigInt, hexToNumber, isAddressEqual, parseAbi, parseEventLogs, size, slice } from 'viem';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import type { Stack } from '@paymaster/devnet';
import { publicClient } from './chain';
import { packPaymasterAndData } from './sponsor';
import type { Token } from './tokens';
import type { WireOperation } from './wire-operation';

/** What token data says, read by docs/architecture/paymaster-data.md and by nothing of the gateway. */
export interface TokenTerms {
  readonly fundingWallet: Hex;
  readonly validUntil: number;
  readonly way: 'allowance' | 'permit' | 'batchApproval';
  readonly token: Hex;
  readonly exchangeRate: bigint;
  readonly premium: bigint;
  readonly feeReceiver: Hex;
  readonly maxTokenCharge: bigint;
}

const WAYS = [undefined, 'allowance', 'permit', 'batchApproval'] as const;

/** @throws when length, mode or way are not as documented */
export function termsOf(version: EntryPointVersion, operation: WireOperation): TokenTerms {
  const whole =
    operation.paymasterAndData ?? packPaymasterAndData(operation as Parameters<typeof packPaymasterAndData>[0]);
  // On v0.9 the suffix behind the signature has 10 bytes.
  const data = slice(whole, version === '0.6' ? 20 : 52, version === '0.9' ? size(whole) - 10 : undefined);
  const mode = hexToNumber(slice(data, 0, 1));
  const way = WAYS[hexToNumber(slice(data, 41, 42))];
  if (mode !== 2 || !way || size(data) !== (way === 'permit' ? 328 : 199)) {
    throw new Error(`not token data: mode ${mode}, way ${way}, ${size(data)} bytes`);
  }
  return {
    validUntil: hexToNumber(slice(data, 1, 7)),
    fundingWallet: slice(data, 13, 33),
    way,
    token: slice(data, 42, 62),
    exchangeRate: hexToBigInt(slice(data, 62, 86)),
    premium: hexToBigInt(slice(data, 86, 90)),
    feeReceiver: slice(data, 90, 110),
    maxTokenCharge: hexToBigInt(slice(data, 110, 134)),
  };
}

/** `tokens(wei)` of the document: rounded up, in base units. */
export function tokensFor(costWei: bigint, { exchangeRate, premium }: TokenTerms): bigint {
  const divisor = 10n ** 24n;
  return (costWei * premium * exchangeRate + divisor - 1n) / divisor;
}

const paidInToken = parseAbi([
  'event UserOperationPaidInToken(bytes32 indexed userOpHash, address indexed token, address indexed sender, address feeReceiver, uint256 charged, uint256 refunded)',
  'function tokenBalanceOf(address token, address account) view returns (uint256)',
]);

/** The paymaster's own word on a payment. */
export interface TokenPayment {
  readonly token: Hex;
  readonly sender: Hex;
  readonly feeReceiver: Hex;
  readonly charged: bigint;
  readonly refunded: bigint;
  /** What the token's Transfer events took from the sender, less what they gave back. */
  readonly leftSender: bigint;
  /** What of it went to the paymaster contract, less what came back from there; other payments do not count. */
  readonly keptByPaymaster: bigint;
}

/** @throws unless the transaction has exactly one payment of this sender */
export async function paymentIn(
  stack: Stack,
  { transactionHash, sender, paymaster, token }: { transactionHash: Hex; sender: Hex; paymaster: Hex; token: Token },
): Promise<TokenPayment> {
  const { logs } = await publicClient(stack).getTransactionReceipt({ hash: transactionHash });
  const of = (address: Hex) => logs.filter((log) => log.address.toLowerCase() === address.toLowerCase());
  const payments = parseEventLogs({ abi: paidInToken, logs: of(paymaster) }).filter(
    ({ args }) => args.sender.toLowerCase() === sender.toLowerCase(),
  );
  const [payment] = payments;
  if (!payment || payments.length !== 1) throw new Error(`${payments.length} payments of ${sender}`);
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: of(token.address) });
  /** From the first to the second, of those who are named. */
  const moved = (from: Hex | undefined, to: Hex | undefined) =>
    transfers
      .filter(({ args }) => (!from || isAddressEqual(args.from, from)) && (!to || isAddressEqual(args.to, to)))
      .reduce((sum, { args }) => sum + args.value, 0n);
  return {
    ...payment.args,
    leftSender: moved(sender, undefined) - moved(undefined, sender),
    keptByPaymaster: moved(sender, paymaster) - moved(paymaster, sender),
  };
}

/** What the paymaster holds of a token for an account; base units. */
export function creditOf(
  stack: Stack,
  { paymaster, token, account }: { paymaster: Hex; token: Token; account: Hex },
): Promise<bigint> {
  const args = [token.address, account] as const;
  const call = { address: paymaster, abi: paidInToken, functionName: 'tokenBalanceOf', args } as const;
  return publicClient(stack).readContract(call);
}
