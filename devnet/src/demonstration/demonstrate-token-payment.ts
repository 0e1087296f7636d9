import { tokenChargeBaseUnits, type ChargingWay, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { connectDevChain } from '../chain/dev-chain';
import type { DemoTokenSymbol } from '../chain/demo-assets';
import { mintTokens } from '../chain/demo-tokens';
import { landed } from '../operations/landed';
import { simpleAccount, type SimpleAccount } from '../operations/simple-account';
import type { Stack, StackToken } from '../stack/stack-file';
import { ether, tokens } from './amounts';
import { mustHold } from './claims';
import type { Demonstrated, TokenPayingSend } from './demonstrated';
import { payWithPlainJsonRpc } from './pay-with-json-rpc';
import { payWithViem } from './pay-with-viem';
import { readBooks, readPaymentLogs, readSignedTerms } from './token-books';
import type { Say } from './token-quote';

interface Story {
  readonly version: EntryPointVersion;
  readonly symbol: DemoTokenSymbol;
  readonly client: string;
  readonly send: TokenPayingSend;
  /** `approveFor` of each operation: with an approval it is charged afterwards, from an allowance in advance. */
  readonly operations: readonly number[];
}

const STORIES: readonly Story[] = [
  {
    version: '0.6',
    symbol: 'USDx',
    client: 'plain JSON-RPC: quote, approve in the batch, pm_sponsorUserOperation',
    send: payWithPlainJsonRpc,
    operations: [1],
  },
  {
    version: '0.7',
    symbol: 'DAIx',
    client: "viem's bundler client with its createPaymasterClient and { token } (ERC-7677)",
    send: payWithViem,
    operations: [2, 0],
  },
];

/** Whole tokens that the sender is given: enough for any operation of the demonstration. */
const GIVEN = 100n;

/**
 * Fresh smart accounts that own tokens and no coin call the demo contract on v0.6 and on v0.7 and pay in tokens.
 *
 * @param print takes the lines for the terminal
 * @returns the operations
 * @throws {DemonstrationError} unless every operation lands, and events, balances and the signed rate agree to the
 *   last unit
 */
export async function demonstrateTokenPayment(stack: Stack, print: (line: string) => void): Promise<Demonstrated[]> {
  const landedOnes: Demonstrated[] = [];
  const say: Say = (topic, text) => print(`  ${topic.padEnd(15)} ${text}`);
  for (const { version, symbol, client, send, operations } of STORIES) {
    const token = stack.tokens.find((known) => known.symbol === symbol);
    if (!token) throw new Error(`the local world has no token ${symbol}`);
    const account = await simpleAccount(stack, { version });
    await giveTokens(stack, { token, holder: account.address });
    for (const approveFor of operations) {
      print('');
      print(`Operation paid in ${symbol} on EntryPoint v${version} (${client})`);
      landedOnes.push(await payOnce({ stack, account, token, approveFor, send, say }));
    }
  }
  return landedOnes;
}

async function payOnce(demo: {
  stack: Stack;
  account: SimpleAccount;
  token: StackToken;
  approveFor: number;
  send: TokenPayingSend;
  say: Say;
}): Promise<Demonstrated> {
  const { stack, account, token, approveFor, send, say } = demo;
  const version = account.entryPoint.version as EntryPointVersion;
  const paymaster = stack.paymasters[version];
  const feeReceiver = stack.paymaster.fundingWallet;
  const parties = { account, token, paymaster, feeReceiver };
  const before = await readBooks(stack, parties);
  const kind = (await account.isDeployed()) ? 'a SimpleAccount' : 'a fresh SimpleAccount, not deployed,';
  const owns = `${tokens(before.senderTokens, token)}, ${ether(before.senderWei)}`;
  say('sender', `${account.address}, ${kind} with ${owns}`);

  const { userOpHash, quotedMaximum } = await send(stack, { account, token, approveFor, say });
  const result = await landed(stack, userOpHash);
  const [after, logs, terms] = await Promise.all([
    readBooks(stack, parties),
    readPaymentLogs(stack, { userOpHash, landed: result, token }),
    readSignedTerms(stack, { userOpHash, version }),
  ]);

  const [payment] = logs.payments;
  const charged = payment?.charged ?? 0n;
  const spentWei = before.depositWei - after.depositWei;
  const received = after.receiverTokens + after.receiverCredit - before.receiverTokens - before.receiverCredit;
  say('transaction', `${result.transactionHash} in block ${result.blockNumber}, way ${terms.way}`);
  say(
    'result',
    `UserOperationEvent.success ${result.success}; counter of the sender ${before.count} -> ${after.count}`,
  );
  say('quoted maximum', tokens(quotedMaximum, token));
  say('signed maximum', tokens(terms.maxTokenChargeBaseUnits, token));
  say('charged', tokens(charged, token));
  say('refunded', tokens(payment?.refunded ?? 0n, token));
  say('ETH spent', `${ether(spentWei)} by the funding wallet ${stack.paymaster.fundingWallet}`);
  say('tokens received', `${tokens(received, token)} by the fee receiver ${payment?.feeReceiver}`);
  say('sender', `${tokens(after.senderTokens, token)}, ${ether(after.senderWei)}`);

  mustHold([
    ['the operation succeeded', result.success],
    ['our paymaster paid', isSame(result.paymaster, paymaster)],
    ["the demo contract's state changed", after.count === before.count + 1n],
    ['the sender never had coin', before.senderWei === 0n && after.senderWei === 0n],
    ['the way is the one that was prepared', terms.way === (approveFor > 0 ? 'batchApproval' : 'allowance')],
    ['the paymaster told of exactly one payment', logs.payments.length === 1],
    ['of this token', isSame(payment?.token, token.address) && isSame(terms.token, token.address)],
    ['by this sender', isSame(payment?.sender, account.address)],
    ['to the fee receiver', isSame(payment?.feeReceiver, feeReceiver) && isSame(terms.feeReceiver, feeReceiver)],
    ['something was charged', charged > 0n],
    ["the charge is the wallet's ether at the signed rate, rounded up", charged === atSignedRate(spentWei, terms)],
    ['the charge is within the signed maximum', charged <= terms.maxTokenChargeBaseUnits],
    ['the signed maximum is within the quoted one', terms.maxTokenChargeBaseUnits <= quotedMaximum],
    ["the sender's balance fell by the charge", before.senderTokens - after.senderTokens === charged],
    ["the token's Transfer events agree", logs.leftSender === charged],
    ['what was taken in advance and not used came back', isRefundRight(terms.way, payment?.refunded)],
    ['the fee receiver got the charge', received === charged],
    ['the paymaster holds what it owes', after.paymasterTokens - before.paymasterTokens === owedMore(before, after)],
    ['the funding wallet was charged at least the cost', spentWei >= result.actualGasCostWei],
  ]);
  const { transactionHash, actualGasCostWei } = result;
  const { apiKey } = stack.paymaster;
  const title = `v${version} paid in ${token.symbol}, ${terms.way}`;
  return { title, apiKey, userOpHash, transactionHash, chargedWei: spentWei, actualGasCostWei };
}

function isRefundRight(way: ChargingWay, refunded = 0n): boolean {
  return way === 'batchApproval' ? refunded === 0n : refunded > 0n;
}

/** From the faucet, which anybody may use; the account itself has nothing to ask it with. */
async function giveTokens(stack: Stack, { token, holder }: { token: StackToken; holder: Hex }): Promise<void> {
  const chain = await connectDevChain({ rpcUrl: stack.chainRpc, privateKey: stack.devKeys.owner.privateKey });
  await mintTokens(chain, { token: token.address, holder, amount: GIVEN * 10n ** BigInt(token.decimals) });
}

function atSignedRate(costWei: bigint, terms: { exchangeRate: bigint; premiumMillionths: bigint }): bigint {
  return tokenChargeBaseUnits({ costWei, ...terms });
}

function owedMore(before: { receiverCredit: bigint }, after: { receiverCredit: bigint }): bigint {
  return after.receiverCredit - before.receiverCredit;
}

function isSame(one: Hex | undefined, other: Hex): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}
