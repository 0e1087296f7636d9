import { concatHex, erc20Abi, pad, parseAbi, parseEventLogs } from 'viem';
import { demoCounterAbi } from '@paymaster/contract-abis';
import { decodePaymasterAndData, isTokenFields, type TokenFields } from '@paymaster/chain';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { paymasterAbi } from '../chain/paymaster-contracts';
import { rpc } from '../chain/json-rpc';
import type { Landed } from '../operations/landed';
import { chainReader, type SimpleAccount } from '../operations/simple-account';
import type { Stack, StackToken } from '../stack/stack-file';

/** Every balance that an operation paid in tokens may move. */
export interface Books {
  readonly senderWei: bigint;
  readonly senderTokens: bigint;
  /** The funding wallet's gas deposit. */
  readonly depositWei: bigint;
  /** What the fee receiver holds itself, and what the paymaster holds for it. */
  readonly receiverTokens: bigint;
  readonly receiverCredit: bigint;
  readonly paymasterTokens: bigint;
  /** The demo contract's count of the sender. */
  readonly count: bigint;
}

interface Parties {
  readonly account: SimpleAccount;
  readonly token: StackToken;
  readonly paymaster: Hex;
  readonly feeReceiver: Hex;
}

export async function readBooks(stack: Stack, { account, token, paymaster, feeReceiver }: Parties): Promise<Books> {
  const reader = chainReader(stack);
  const held = (holder: Hex) =>
    reader.readContract({ address: token.address, abi: erc20Abi, functionName: 'balanceOf', args: [holder] });
  const ours = { address: paymaster, abi: paymasterAbi } as const;
  const wallet = stack.paymaster.fundingWallet;
  const [senderWei, senderTokens, depositWei, receiverTokens, receiverCredit, paymasterTokens, count] =
    await Promise.all([
      reader.getBalance({ address: account.address }),
      held(account.address),
      reader.readContract({ ...ours, functionName: 'balanceOf', args: [wallet] }),
      held(feeReceiver),
      reader.readContract({ ...ours, functionName: 'tokenBalanceOf', args: [token.address, feeReceiver] }),
      held(paymaster),
      reader.readContract({
        address: stack.demoContract.address,
        abi: demoCounterAbi,
        functionName: 'countOf',
        args: [account.address],
      }),
    ]);
  return { senderWei, senderTokens, depositWei, receiverTokens, receiverCredit, paymasterTokens, count };
}

const paidInToken = parseAbi([
  'event UserOperationPaidInToken(bytes32 indexed userOpHash, address indexed token, address indexed sender, address feeReceiver, uint256 charged, uint256 refunded)',
]);

/** What the transaction's own logs say of a payment. */
export interface PaymentLogs {
  /** The paymaster's events of this operation: exactly one, if all is well. */
  readonly payments: ReadonlyArray<{
    readonly token: Hex;
    readonly sender: Hex;
    readonly feeReceiver: Hex;
    readonly charged: bigint;
    readonly refunded: bigint;
  }>;
  /** The token's Transfer events: what left the sender, less what came back. */
  readonly leftSender: bigint;
}

export async function readPaymentLogs(
  stack: Stack,
  { userOpHash, landed, token }: { userOpHash: Hex; landed: Landed; token: StackToken },
): Promise<PaymentLogs> {
  const { logs } = await chainReader(stack).getTransactionReceipt({ hash: landed.transactionHash });
  const from = (address: Hex) => logs.filter((log) => log.address.toLowerCase() === address.toLowerCase());
  const events = parseEventLogs({ abi: paidInToken, logs: from(landed.paymaster) });
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: from(token.address) });
  const sum = (side: 'from' | 'to') =>
    transfers.filter(({ args }) => args[side] === landed.sender).reduce((total, { args }) => total + args.value, 0n);
  return {
    payments: events.filter(({ args }) => args.userOpHash === userOpHash).map(({ args }) => args),
    leftSender: sum('from') - sum('to'),
  };
}

/** The terms that the paymaster's signature bound the operation to, as the bundler received it. */
export async function readSignedTerms(
  stack: Stack,
  { userOpHash, version }: { userOpHash: Hex; version: EntryPointVersion },
): Promise<TokenFields> {
  const { userOperation } = await rpc<{ userOperation: Record<string, Hex> }>(
    stack.bundler,
    'eth_getUserOperationByHash',
    [userOpHash],
  );
  const { sponsorFields } = decodePaymasterAndData(version, packed(userOperation));
  if (!isTokenFields(sponsorFields)) throw new Error(`operation ${userOpHash} was sponsored, not paid in tokens`);
  return sponsorFields;
}

function packed(operation: Record<string, Hex | undefined>): Hex {
  const { paymasterAndData, paymaster = '0x', paymasterData = '0x', paymasterSignature = '0x' } = operation;
  if (paymasterAndData) return paymasterAndData;
  const limit = (name: string) => pad(operation[name] ?? '0x', { size: 16 });
  return concatHex([
    paymaster,
    limit('paymasterVerificationGasLimit'),
    limit('paymasterPostOpGasLimit'),
    paymasterData,
    paymasterSignature,
  ]);
}
