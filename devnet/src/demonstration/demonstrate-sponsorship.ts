import { formatGwei } from 'viem';
import { demoCounterAbi } from '@paymaster/contract-abis';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { paymasterAbi } from '../chain/paymaster-contracts';
import { landed, type Landed } from '../operations/landed';
import { chainReader, simpleAccount, type SimpleAccount } from '../operations/simple-account';
import type { Stack } from '../stack/stack-file';
import { mustHold } from './claims';
import { ether } from './amounts';
import type { Demonstrated, SponsoredSend } from './demonstrated';
import { sponsorWithPlainJsonRpc } from './sponsor-with-json-rpc';
import { sponsorWithViem } from './sponsor-with-viem';

/** Two clients that exist in the wild: our own dialect on v0.6, the standard one (ERC-7677) on v0.7. */
const CLIENTS: ReadonlyArray<readonly [EntryPointVersion, string, SponsoredSend]> = [
  ['0.6', 'plain JSON-RPC, pm_sponsorUserOperation', sponsorWithPlainJsonRpc],
  ['0.7', "viem's bundler client with its createPaymasterClient (ERC-7677)", sponsorWithViem],
];

/**
 * A fresh smart account without any coin calls the demo contract on v0.6 and on v0.7, sponsored.
 *
 * @param print takes the lines for the terminal
 * @returns both operations
 * @throws {DemonstrationError} unless both operations land, succeed and change the demo contract's state
 */
export async function demonstrateSponsorship(stack: Stack, print: (line: string) => void): Promise<Demonstrated[]> {
  const landedOnes: Demonstrated[] = [];
  for (const [version, client, send] of CLIENTS) {
    const say = (topic: string, text: string) => print(`  ${topic.padEnd(14)} ${text}`);
    const account = await simpleAccount(stack, { version });
    print('');
    print(`Sponsored operation on EntryPoint v${version} (${client})`);
    landedOnes.push(await demonstrateOne({ stack, version, account, send, say }));
  }
  return landedOnes;
}

/** The first operation of an account, sponsored. @throws {DemonstrationError} as above */
export async function demonstrateOne(demo: {
  stack: Stack;
  version: EntryPointVersion;
  account: SimpleAccount;
  send: SponsoredSend;
  say: (topic: string, text: string) => void;
}): Promise<Demonstrated> {
  const { stack, version, account, send, say } = demo;
  const before = await observe(stack, account);
  say('sender', `${account.address}, a fresh SimpleAccount, not deployed, balance ${ether(before.senderWei)}`);

  const userOpHash = await send(stack, { account, say });
  const result = await landed(stack, userOpHash);
  const after = await observe(stack, account);

  const chargedWei = before.depositWei - after.depositWei;
  say('transaction', `${result.transactionHash} in block ${result.blockNumber}`);
  say(
    'result',
    `UserOperationEvent.success ${result.success}; counter of the sender ${before.count} -> ${after.count}`,
  );
  const gasPriceWei = result.actualGasCostWei / result.actualGasUsed;
  say(
    'gas cost',
    `${ether(result.actualGasCostWei)} (${result.actualGasUsed} gas at ${formatGwei(gasPriceWei)} gwei), paid by ${result.paymaster}`,
  );
  say(
    'funding wallet',
    `${stack.paymaster.fundingWallet}: ${ether(before.depositWei)} -> ${ether(after.depositWei)}, charged ${ether(chargedWei)}`,
  );
  say('sender', `balance ${ether(before.senderWei)} before, ${ether(after.senderWei)} after`);
  check({ before, after, result, paymaster: stack.paymasters[version] });
  const { transactionHash, actualGasCostWei } = result;
  const { apiKey } = stack.paymaster;
  return { title: `v${version} sponsored`, apiKey, userOpHash, transactionHash, chargedWei, actualGasCostWei };
}

interface Observation {
  readonly senderWei: bigint;
  /** The funding wallet's gas deposit on this version's paymaster contract. */
  readonly depositWei: bigint;
  readonly count: bigint;
}

async function observe(stack: Stack, account: SimpleAccount): Promise<Observation> {
  const reader = chainReader(stack);
  const paymaster = stack.paymasters[account.entryPoint.version as EntryPointVersion];
  const [senderWei, depositWei, count] = await Promise.all([
    reader.getBalance({ address: account.address }),
    reader.readContract({
      address: paymaster,
      abi: paymasterAbi,
      functionName: 'balanceOf',
      args: [stack.paymaster.fundingWallet],
    }),
    reader.readContract({
      address: stack.demoContract.address,
      abi: demoCounterAbi,
      functionName: 'countOf',
      args: [account.address],
    }),
  ]);
  return { senderWei, depositWei, count };
}

function check(seen: { before: Observation; after: Observation; result: Landed; paymaster: Hex }): void {
  const { before, after, result, paymaster } = seen;
  const chargedWei = before.depositWei - after.depositWei;
  mustHold([
    ['the operation succeeded', result.success],
    ['our paymaster paid', result.paymaster.toLowerCase() === paymaster.toLowerCase()],
    ["the demo contract's state changed", after.count === before.count + 1n],
    ['the sender never had coin', before.senderWei === 0n && after.senderWei === 0n],
    ['the funding wallet was charged at least the cost', chargedWei >= result.actualGasCostWei],
  ]);
}
