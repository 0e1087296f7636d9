import { numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { readStack, startBundler, type Bundler } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { userOperationEvent } from './bundler';
import { execute } from './call-data';
import { publicClient } from './chain';
import { INCREMENT } from './demo-contract';
import { call, resultOf, type RpcAnswer } from './json-rpc';
import { draftOperation, newSimpleAccount } from './simple-account';
import { AS_SENT, LIMITS, sponsored } from './sponsor';
import { signOperation, type WireOperation } from './wire-operation';

const stack = readStack();
const version = '0.7';

/** A bundler with an executor of its own: two that share a key take each other's nonces. */
export async function aBundler(port?: number): Promise<Bundler> {
  const executor = generatePrivateKey();
  const { address } = privateKeyToAccount(executor);
  const params = [address, numberToHex(parseEther('1000'))];
  resultOf(await call({ url: stack.chainRpc, method: 'anvil_setBalance', params }));
  return startBundler({ chainRpc: stack.chainRpc, executors: [executor], ...(port !== undefined && { port }) });
}

/** An operation of a new account that the gateway at this URL has sponsored. */
export async function signedOperation(url: string): Promise<WireOperation> {
  const account = await newSimpleAccount(stack, version);
  const callData = execute({ to: stack.demoContract.address, data: INCREMENT });
  const draft = { ...(await draftOperation(stack, account, { callData })), ...LIMITS, signature: '0x' as Hex };
  const operation = await sponsored({ url, operation: draft, mode: AS_SENT });
  return signOperation(operation, { stack, version, owner: account.owner });
}

export const send = (url: string, operation: WireOperation): Promise<RpcAnswer> =>
  call({ url, method: 'eth_sendUserOperation', params: [operation, stack.entryPoints[version]] });

/** Null until a bundler of the gateway says that the operation landed. */
export async function receiptOf(url: string, hash: Hex) {
  const answer = await call({ url, method: 'eth_getUserOperationReceipt', params: [hash] });
  return resultOf<{ userOpHash: Hex; success: boolean } | null>(answer);
}

/** How often each operation is on chain. */
export async function landings(fromBlock: bigint): Promise<Map<Hex, number>> {
  const events = await publicClient(stack).getLogs({
    address: stack.entryPoints[version],
    events: userOperationEvent,
    fromBlock,
  });
  const counts = new Map<Hex, number>();
  for (const { args } of events) counts.set(args.userOpHash!, (counts.get(args.userOpHash!) ?? 0) + 1);
  return counts;
}
