import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { encodeFunctionData, parseAbi, parseEther } from 'viem';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import type { Stack } from '@paymaster/devnet';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { richWallet, transact } from './chain';
import { call, resultOf } from './json-rpc';

/** Answers every question of an EntryPoint with "valid, for ever", and has no postOp. */
const TAKES_EVERYTHING = '0x604060005260606000f3';
const depositAbi = parseAbi(['function depositTo(address account) payable']);
const STUB = 'pm_getPaymasterStubData';
const OVERSIZED = 1_000_000;

interface RpcRequest {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: readonly unknown[];
}

/** What a service does to a request that it could read; `text` is its body. */
export type Answers = (request: RpcRequest, text: string) => object;

/** A contract that pays for everything, on these EntryPoints. */
export async function generousContract(stack: Stack, versions: readonly EntryPointVersion[]): Promise<Hex> {
  const [address, from] = [randomAddress(), await richWallet(stack)];
  resultOf(await call({ url: stack.chainRpc, method: 'anvil_setCode', params: [address, TAKES_EVERYTHING] }));
  const data = encodeFunctionData({ abi: depositAbi, functionName: 'depositTo', args: [address] });
  for (const version of versions) {
    await transact(stack, { from, to: stack.entryPoints[version], data, valueWei: parseEther('5') });
  }
  return address;
}

/** A bundler that takes everything, sends nothing, and knows every hash as landed. */
const TAKES_EVERYTHING_AND_SENDS_NOTHING: Readonly<Record<string, () => unknown>> = {
  eth_supportedEntryPoints: () => [randomAddress()],
  eth_estimateUserOperationGas: () => ({
    ...{ callGasLimit: '0x30d40', verificationGasLimit: '0x0493e0', preVerificationGas: 100_000 },
    paymasterVerificationGasLimit: null,
  }),
  eth_sendUserOperation: () => randomHex(32),
  eth_getUserOperationReceipt: () => ({ userOpHash: randomHex(32), success: true, receipt: {} }),
  eth_getUserOperationByHash: () => ({ userOperation: {}, transactionHash: randomHex(32), blockHash: randomHex(32) }),
};

/**
 * Signs everything that it is asked, in a shape of its own, with the limits and the paymaster that the client names. As
 * a bundler it takes everything.
 */
export function signsAnything(contract: Hex): Answers {
  return ({ id, method, params }) => {
    const asBundler = TAKES_EVERYTHING_AND_SENDS_NOTHING[method ?? ''];
    if (asBundler) return { jsonrpc: '2.0', id, result: asBundler() };
    const { paymaster = contract, ...given } = (params?.[0] ?? {}) as Record<string, string>;
    const result = {
      paymaster,
      // Shorter in the stub, and with zero bytes.
      paymasterData: method === STUB ? '0x0000' : '0x010203',
      paymasterVerificationGasLimit: given['paymasterVerificationGasLimit'] ?? '0x7a120',
      paymasterPostOpGasLimit: given['paymasterPostOpGasLimit'] ?? 100_000,
      MODE: 'SPONSORED',
      ...(method === STUB && { isFinal: 'no' }),
    };
    return { jsonrpc: '2.0', id: String(id), result, error: null };
  };
}

/**
 * Signs one call on one EntryPoint, in vain: its contract does not exist. It refuses everything else with the code of an
 * internal error, all of a bundler's methods and honest requests among it: placeholders, a missing context, the same request again, the request after a
 * large one, and all after six with data for a webhook.
 */
export function refusesBadly({ callData, entryPoint }: { callData: Hex; entryPoint: Hex }): Answers {
  const seen = new Set<string>();
  const paymaster = randomAddress();
  let isUpset = false;
  let webhookFailures = 0;
  return ({ id, params }, text) => {
    const [operation, asked, , context] = (params ?? []) as [Record<string, string>?, string?, string?, object?];
    if (text.length > OVERSIZED) isUpset = true;
    if (context && 'webhookData' in context) webhookFailures++;
    const isHonest =
      operation?.['callData'] === callData &&
      asked === entryPoint &&
      params?.length === 4 &&
      (operation['maxFeePerGas']?.length ?? 0) > 3 &&
      !seen.has(text.replace(/"id":\d+/, '')) &&
      webhookFailures < 6;
    const refused = { jsonrpc: '2.0', id, error: { code: -32603, message: 'no' } };
    if (!isHonest || isUpset) {
      if (operation?.['sender'] !== undefined) isUpset = false;
      return refused;
    }
    seen.add(text.replace(/"id":\d+/, ''));
    const fields = { paymaster, paymasterData: `0x${'11'.repeat(65)}`, paymasterPostOpGasLimit: '0x1' };
    return { jsonrpc: '2.0', id, result: { ...fields, paymasterVerificationGasLimit: '0x7a120' } };
  };
}

/** A service on a port of this machine, with a key in its URL. */
export class BadPaymaster {
  private constructor(
    private readonly server: Server,
    readonly key: string,
  ) {}

  static async start(answers: Answers): Promise<BadPaymaster> {
    const server = createServer((request, response) => void answer(request, response, answers));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new BadPaymaster(server, `sk_live_${randomAddress()}`);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api/${this.key}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, answers: Answers): Promise<void> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  try {
    const body = answers(JSON.parse(text || '{}') as RpcRequest, text);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  } catch {
    response.writeHead(500).end('Internal Server Error');
  }
}
