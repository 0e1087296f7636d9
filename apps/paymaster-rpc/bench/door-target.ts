import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { userOpHash } from '@paymaster/chain';
import { rpc } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type Address, type Hex, type UserOperationV06 } from '@paymaster/domain';
import { AbiCoder, id, Interface, zeroPadValue } from 'ethers';
import type { BenchPaymaster, BenchWorld, FundedPaymaster } from './bench-world';
import { freshLoad } from './fresh-load';
import { postRequest } from './http-connection';
import { closedLoop, constantRate, type LoadResult } from './load';
import { CONNECTIONS, measureThroughput, medianRate, warmUp, type BenchOptions, type Throughput } from './measurement';
import type { PinnedServer } from './pinned-server';
import { requestBody, sponsoredOperations, wireOperation } from './sponsored-requests';
import { median, percentile } from './statistics';

const ENTRY_POINT = CANONICAL_ENTRY_POINTS['0.6'];
/** More than one connection gets answered in a measurement. */
const OPERATIONS = 8_000;
/** An account that answers every call with zero, which an EntryPoint reads as "valid". */
const YES_MAN = '0x60206000f3';
const PAYMASTER = new Interface(['function depositFor(address wallet) payable']);
/** For all operations that are tried against the contract, which nobody lands; wei. */
const DEPOSIT = '0x3635c9adc5dea00000';
const SENDER: Address = `0x${'d0'.repeat(20)}`;
/** Through a bundler that hangs. */
const SENDS_PER_SECOND = 200;
/** A hanging send is answered at its deadline, and so many are under way by then. */
const HANGING_CONNECTIONS = 1_200;
const EVENT = id('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)');

/**
 * What the door to the bundlers adds: latency and CPU of sends and receipts against asking the same bundler directly,
 * one after the other; and what is left of sponsored requests while others send through a bundler that hangs.
 */
export async function measureDoor(world: BenchWorld, options: BenchOptions): Promise<void> {
  const hashes = new Map<string, Hex>();
  const bundler = await startStub(hashes);
  const hanging = createServer(() => undefined);
  await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve));
  const gateways: PinnedServer[] = [];
  try {
    const open = async (server: Server): Promise<PinnedServer> => {
      const gateway = await world.another({ rpcUrl: world.rpcUrl, bundlerUrl: `http://127.0.0.1:${portOf(server)}` });
      gateways.push(gateway);
      return gateway;
    };
    const paymaster = await world.newPaymaster();
    await deposit(world, paymaster);
    await measureAdded(world, options, { gateway: await open(bundler), stubPort: portOf(bundler), paymaster, hashes });
    await measureBesides(world, options, { gateway: await open(hanging), paymaster });
  } finally {
    for (const gateway of gateways) await gateway.stop();
    for (const server of [bundler, hanging]) server.close().closeAllConnections();
  }
}

interface Added {
  readonly gateway: PinnedServer;
  readonly stubPort: number;
  readonly paymaster: BenchPaymaster;
  readonly hashes: Map<string, Hex>;
}

async function measureAdded(
  world: BenchWorld,
  { say, seconds }: BenchOptions,
  { gateway, stubPort, paymaster, hashes }: Added,
): Promise<void> {
  say('');
  say('the door: one request at a time; directly at a stub of a bundler, and through the gateway.');
  for (const isSponsored of [false, true]) {
    const sends = await preparedSends(world, { gateway, paymaster, isSponsored });
    for (const { nonce, hash } of sends) hashes.set(nonce, hash);
    const bodies = sends.map(({ body }) => body);
    const receipts = sends.map(({ hash }) => call('eth_getUserOperationReceipt', [hash]));
    for (const [what, requests] of [
      [`send, ${isSponsored ? 'signed by us and tried at the node' : 'of an account that pays itself'}`, bodies],
      ['receipt', receipts],
    ] as const) {
      const load = { requests: requests.map((body) => postRequest(paymaster.path, body)), connections: 1, seconds };
      const direct = await closedLoop({ ...load, port: stubPort });
      const cpuBefore = gateway.cpuSeconds();
      const through = await closedLoop({ ...load, port: gateway.port });
      assertAnswered(through, requests.length);
      const cpuMicros = ((gateway.cpuSeconds() - cpuBefore) * 1e6) / through.answered.length;
      const [p50, p99] = [50, 99].map((percent) =>
        [direct, through].map((run) => percentile(run.latenciesMs, percent)),
      );
      say(`${what.padEnd(42)} p50 ${spelled(p50!)}   p99 ${spelled(p99!)}   ${cpuMicros.toFixed(0)} us CPU each`);
    }
  }
}

const spelled = ([direct, through]: readonly number[]): string =>
  `${direct!.toFixed(2)} -> ${through!.toFixed(2)} ms (+${(through! - direct!).toFixed(2)})`;

/** @throws when an answer is an error, or requests ran out, so that later ones were answered from memory */
function assertAnswered(run: LoadResult, prepared: number): void {
  const refused = run.answered.find(({ reply }) => !reply.body.includes('"result":'));
  if (refused) throw new Error(`refused: ${refused.reply.body.slice(0, 500)}`);
  if (run.answered.length > prepared) throw new Error(`${run.answered.length} of ${prepared} requests: prepare more`);
}

async function measureBesides(
  world: BenchWorld,
  { rounds, seconds, say, judge }: BenchOptions,
  { gateway: server, paymaster }: { gateway: PinnedServer; paymaster: BenchPaymaster },
): Promise<void> {
  await warmUp(world, { server });
  const sends = await preparedSends(world, { gateway: server, paymaster, isSponsored: false });
  const requests = sends.map(({ body }) => postRequest(paymaster.path, body));
  const flood = { port: server.port, requests, connections: HANGING_CONNECTIONS, perSecond: SENDS_PER_SECOND };
  const rates: Record<'alone' | 'beside', Throughput[]> = { alone: [], beside: [] };
  const p99s: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
  say(`sponsored requests alone, and beside ${SENDS_PER_SECOND} sends a second through a bundler that hangs.`);
  for (let round = 1; round <= rounds; round++) {
    for (const name of ['alone', 'beside'] as const) {
      // Two measurements, and what is prepared for them.
      const sending = name === 'beside' ? constantRate({ ...flood, seconds: 2 * seconds + 4 }) : undefined;
      rates[name].push(await measureThroughput(world, { server, seconds }));
      const perSecond = 0.5 * medianRate(rates.alone);
      const { requests: fresh, checked } = await freshLoad(world, { count: Math.ceil(perSecond * seconds) });
      const load = { port: server.port, requests: fresh, connections: CONNECTIONS, seconds, perSecond };
      p99s[name].push(percentile(checked(await constantRate(load)).latenciesMs, 99));
      await sending;
      const { perSecond: rate } = rates[name].at(-1)!;
      say(
        `round ${round}  ${name.padEnd(7)} ${rate.toFixed(0)} req/s   p99 at half of it ${p99s[name].at(-1)!.toFixed(1)} ms`,
      );
    }
  }
  const kept = medianRate(rates.beside) / medianRate(rates.alone);
  judge({
    ...{ target: 16, what: `throughput beside ${SENDS_PER_SECOND} hanging sends/s / alone`, value: kept.toFixed(2) },
    ...{ bound: '>= 0.80', met: kept >= 0.8 },
  });
  say(
    `p99 at half of the throughput: ${median(p99s.alone).toFixed(1)} ms alone, ${median(p99s.beside).toFixed(1)} ms beside`,
  );
}

interface PreparedSend {
  readonly body: string;
  readonly nonce: string;
  readonly hash: Hex;
}

/** Operations that nobody has sent yet, of one account; with the gateway's signature, where it sponsors them. */
async function preparedSends(
  world: BenchWorld,
  { gateway, paymaster, isSponsored }: { gateway: PinnedServer; paymaster: BenchPaymaster; isSponsored: boolean },
): Promise<readonly PreparedSend[]> {
  await rpc(world.rpcUrl, 'anvil_setCode', [SENDER, YES_MAN]);
  const operations = sponsoredOperations(OPERATIONS, world.demo, [SENDER]);
  const data = isSponsored ? await signed(operations, { gateway, paymaster }) : operations.map((): Hex => '0x');
  return operations.map((operation, at) => {
    const paymasterAndData = data[at]!;
    const wire = { ...wireOperation(operation), paymasterAndData, nonce: `0x${operation.nonce.toString(16)}` };
    const hash = userOpHash(
      { operation, paymaster: paymasterOf(paymasterAndData) },
      { entryPoint: ENTRY_POINT, chainId: world.chainId },
    );
    return { body: call('eth_sendUserOperation', [wire, ENTRY_POINT]), nonce: wire.nonce, hash };
  });
}

function paymasterOf(data: Hex) {
  if (data === '0x') return undefined;
  const paymasterData: Hex = `0x${data.slice(42)}`;
  const none = { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n };
  return { paymaster: data.slice(0, 42) as Address, paymasterData, ...none };
}

async function signed(
  operations: readonly UserOperationV06[],
  { gateway, paymaster }: { gateway: PinnedServer; paymaster: BenchPaymaster },
): Promise<readonly Hex[]> {
  const ask = async (operation: UserOperationV06): Promise<Hex> => {
    const answer = await fetch(`http://127.0.0.1:${gateway.port}${paymaster.path}`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' }, body: requestBody(operation) },
    });
    const { result } = (await answer.json()) as { result: { paymasterAndData: Hex } };
    return result.paymasterAndData;
  };
  const signatures: Hex[] = [];
  for (let at = 0; at < operations.length; at += CONNECTIONS)
    signatures.push(...(await Promise.all(operations.slice(at, at + CONNECTIONS).map(ask))));
  return signatures;
}

const call = (method: string, params: readonly unknown[]): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** So that the contract, too, would pay. */
async function deposit({ rpcUrl, contract }: BenchWorld, { fundingWallet }: FundedPaymaster): Promise<void> {
  await rpc(rpcUrl, 'anvil_impersonateAccount', [fundingWallet]);
  await rpc(rpcUrl, 'anvil_setBalance', [fundingWallet, `${DEPOSIT}00`]);
  const data = PAYMASTER.encodeFunctionData('depositFor', [fundingWallet]);
  await rpc(rpcUrl, 'eth_sendTransaction', [{ from: fundingWallet, to: contract, data, value: DEPOSIT }]);
}

/** A bundler that takes every operation, and knows every hash as landed. */
async function startStub(hashes: ReadonlyMap<string, Hex>): Promise<Server> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { id: asked, method, params } = JSON.parse(body) as { id: unknown; method: string; params: unknown[] };
      const result =
        method === 'eth_sendUserOperation'
          ? hashes.get((params[0] as { nonce: string }).nonce)
          : receiptOf(params[0] as Hex);
      const answer = JSON.stringify({ jsonrpc: '2.0', id: asked, result });
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

function receiptOf(hash: Hex) {
  const data = AbiCoder.defaultAbiCoder().encode(['uint256', 'bool', 'uint256', 'uint256'], [1n, true, 1n, 1n]);
  const transactionHash = `0x${'7f'.repeat(32)}`;
  const somebody = zeroPadValue(SENDER, 32);
  const event = { address: ENTRY_POINT, topics: [EVENT, hash, somebody, somebody], data, transactionHash };
  return {
    userOpHash: hash,
    receipt: { transactionHash, blockHash: `0x${'80'.repeat(32)}`, status: '0x1', logs: [event] },
  };
}
