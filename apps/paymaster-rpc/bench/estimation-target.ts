import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CANONICAL_ACCOUNT_FACTORIES, connectDevChain, DEV_KEYS, rpc } from '@paymaster/devnet';
import type { Address, Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { encodeFunctionData, parseAbi } from 'viem';
import type { BenchWorld } from './bench-world';
import { postRequest } from './http-connection';
import { closedLoop, type LoadResult } from './load';
import type { BenchOptions } from './measurement';
import type { PinnedServer } from './pinned-server';
import { startRpcCounter } from './rpc-counter';
import { median, percentile } from './statistics';

const FACTORY = parseAbi(['function createAccount(address owner, uint256 salt) returns (address)']);
const ACCOUNT = parseAbi(['function execute(address dest, uint256 value, bytes func)']);
const ACCOUNTS = 16;
const CONNECTIONS = 8;
const MOST_PER_SECOND = 600;
/** What the bundler's stub takes; milliseconds. */
const STUB_MS = 5;
/** What an estimate by a bundler may take longer than the bundler; milliseconds. */
const MOST_ADDED_MS = 2;
/** What an estimate of our own may take; milliseconds. */
const MOST_OWN_MS = 25;
/** What a gateway asks its node in the background. */
const MOST_CALLS_PER_SECOND = 5;
const LIMITS = { callGasLimit: '0x186a0', verificationGasLimit: '0x249f0', preVerificationGas: '0xea60' };

/**
 * Target 3: one estimate, of a bundler that takes 5 ms and of our own on the local node; and no call to the node where
 * the client sends limits and the gas of (contract, method, account family) is known. EntryPoint v0.7, real accounts.
 *
 * @throws when a reply is wrong, or when known gas is asked for again
 */
export async function measureEstimation(world: BenchWorld, options: BenchOptions): Promise<void> {
  const senders = await deployAccounts(world);
  const bundler = await startStubBundler();
  const counter = await startRpcCounter(world.rpcUrl);
  const [asking, own] = [
    await world.another({ rpcUrl: world.rpcUrl, bundlerUrl: bundler.url }),
    await world.another({ rpcUrl: counter.url, bundlerUrl: null }),
  ];
  try {
    await measureLatency(world, options, { senders, bundlerPort: bundler.port, asking, own });
    const { seconds, judge } = options;
    await ask(world, own, { senders, seconds: 1, limits: LIMITS });
    counter.take();
    const known = await ask(world, own, { senders, seconds, limits: LIMITS });
    const calls = [...counter.take().values()].reduce((sum, count) => sum + count, 0);
    const isNone = calls <= MOST_CALLS_PER_SECOND * known.seconds;
    judge({
      ...{ target: 3, what: `calls to the node for ${known.answered.length} with known gas` },
      ...{ value: isNone ? '0' : String(calls), bound: '0 but those in the background', met: isNone },
    });
  } finally {
    await Promise.all([asking.stop(), own.stop()]);
    await Promise.all([bundler.stop(), counter.stop()]);
  }
}

interface Estimators {
  readonly senders: readonly Address[];
  readonly bundlerPort: number;
  readonly asking: PinnedServer;
  readonly own: PinnedServer;
}

async function measureLatency(
  world: BenchWorld,
  { rounds, seconds, say, judge }: BenchOptions,
  { senders, bundlerPort, asking, own }: Estimators,
): Promise<void> {
  const stubRequest = [postRequest('/', '{"id":1,"jsonrpc":"2.0","method":"eth_estimateUserOperationGas"}')];
  const alone = { port: bundlerPort, requests: stubRequest, connections: CONNECTIONS, seconds };
  const kinds = {
    stub: { server: undefined, load: () => closedLoop(alone) },
    asking: { server: asking, load: () => ask(world, asking, { senders, seconds }) },
    own: { server: own, load: () => ask(world, own, { senders, seconds, connections: 1 }) },
    'own, 8 at once': { server: own, load: () => ask(world, own, { senders, seconds }) },
  };
  const p50Ms = Object.fromEntries(Object.keys(kinds).map((name) => [name, [] as number[]]));
  say('');
  say(`one estimate: a bundler's stub alone, a gateway that asks it (${CONNECTIONS} connections), our own estimates.`);
  for (const server of [asking, own]) await ask(world, server, { senders, seconds: 2 });
  for (let round = 1; round <= rounds; round++) {
    for (const [name, { server, load }] of Object.entries(kinds)) {
      const cpuBefore = server?.cpuSeconds() ?? 0;
      const { latenciesMs, answered } = await load();
      const cpuMicros = (((server?.cpuSeconds() ?? 0) - cpuBefore) * 1e6) / answered.length;
      const latencyMs = percentile(latenciesMs, 50);
      p50Ms[name]?.push(latencyMs);
      const cpu = server ? `   ${cpuMicros.toFixed(0)} us CPU/req` : '';
      say(`round ${round}  ${name.padEnd(14)} p50 ${latencyMs.toFixed(1).padStart(6)} ms${cpu}`);
    }
  }
  const p50 = (name: keyof typeof kinds): number => median(p50Ms[name] ?? []);
  const added = p50('asking') - p50('stub');
  judge({
    ...{ target: 3, what: `p50 with a bundler's estimate, above its own, ms`, value: added.toFixed(1) },
    ...{ bound: `<= ${MOST_ADDED_MS}`, met: added <= MOST_ADDED_MS },
  });
  judge({
    ...{ target: 3, what: 'p50 with an estimate of our own, ms', value: p50('own').toFixed(1) },
    ...{ bound: `<= ${MOST_OWN_MS}`, met: p50('own') <= MOST_OWN_MS },
  });
}

/** Sends fresh operations, for which the gateway estimates the limits that are not given. @throws at a wrong reply */
async function ask(
  world: BenchWorld,
  { port }: PinnedServer,
  how: { senders: readonly Address[]; seconds: number; connections?: number; limits?: object },
): Promise<LoadResult> {
  const { senders, seconds, connections = CONNECTIONS, limits } = how;
  const requests = Array.from({ length: MOST_PER_SECOND * seconds }, (_, index) =>
    postRequest(world.paymaster.path, requestBody(world, senders[index % senders.length]!, limits)),
  );
  const result = await closedLoop({ port, requests, connections, seconds });
  for (const { reply } of result.answered) {
    if (!/"paymasterData":"0x[0-9a-f]{100,}"/.test(reply.body))
      throw new Error(`wrong reply: ${reply.status} ${reply.body.slice(0, 500)}`);
  }
  return result;
}

function requestBody({ demo }: BenchWorld, sender: Address, limits: object | undefined): string {
  const callData = encodeFunctionData({
    abi: ACCOUNT,
    args: [demo.address, 0n, `${demo.selector}${randomHex(64).slice(2)}`],
  });
  const operation = {
    ...{
      sender,
      nonce: `${randomHex(7)}${'0'.repeat(16)}`,
      callData,
      signature: `0x${'f'.repeat(31)}${'0'.repeat(33)}7${'a'.repeat(63)}1c`,
    },
    ...{ maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00', ...limits },
  };
  const smartAccountInfo = { name: 'INFINITISM', version: '1.0.0' };
  const mode = {
    mode: 'SPONSORED',
    calculateGasLimits: !limits,
    sponsorshipInfo: { webhookData: {}, smartAccountInfo },
  };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params: [operation, mode] });
}

async function deployAccounts({ rpcUrl }: BenchWorld): Promise<Address[]> {
  const chain = await connectDevChain({ rpcUrl, privateKey: DEV_KEYS.owner.privateKey });
  const to = CANONICAL_ACCOUNT_FACTORIES['0.7'];
  const accounts: Address[] = [];
  for (let made = 0; made < ACCOUNTS; made++) {
    const data = encodeFunctionData({ abi: FACTORY, args: [randomAddress(), 0n] });
    accounts.push(`0x${((await rpc(rpcUrl, 'eth_call', [{ to, data }, 'latest'])) as Hex).slice(-40)}`);
    await chain.execute({ to, data });
  }
  return accounts;
}

/** Answers every estimate after {@link STUB_MS}, and refuses all else. */
async function startStubBundler(): Promise<{ url: string; port: number; stop(): Promise<void> }> {
  const server = createServer((incoming, outgoing) => {
    let text = '';
    incoming.on('data', (chunk: Buffer) => (text += chunk.toString()));
    incoming.on('end', () => {
      const { id, method } = JSON.parse(text) as { id: number; method: string };
      const isEstimate = method === 'eth_estimateUserOperationGas';
      const answer = isEstimate ? { result: LIMITS } : { error: { code: -32601, message: 'unknown method' } };
      const body = JSON.stringify({ jsonrpc: '2.0', id, ...answer });
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      setTimeout(() => outgoing.writeHead(200, headers).end(body), STUB_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    ...{ port, url: `http://127.0.0.1:${port}` },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
