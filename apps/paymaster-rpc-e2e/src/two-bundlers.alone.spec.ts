import { numberToHex, parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { lyingProxy, Misbehaviour, type LyingProxy, type Mutator, type Mutators } from '@paymaster/chain/testing';
import { readStack, startBundler, startGatewayWithBundlers, type Application, type Bundler } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { userOperationEvent } from './support/bundler';
import { execute } from './support/call-data';
import { publicClient } from './support/chain';
import { INCREMENT } from './support/demo-contract';
import { freshPaymaster } from './support/fresh-paymaster';
import { call, resultOf, type RpcAnswer } from './support/json-rpc';
import { draftOperation, newSimpleAccount } from './support/simple-account';
import { AS_SENT, LIMITS, sponsored } from './support/sponsor';
import { signOperation, type WireOperation } from './support/wire-operation';

const stack = readStack();
const chain = publicClient(stack);
const version = '0.7';
/** Under way at once, each of an account of its own. With 1,000 this is the proof that the issue asks for. */
const OPERATIONS = Number(process.env['TWO_BUNDLERS_OPERATIONS'] ?? 40);
/** The first bundler has taken so many of them when something happens to it. */
const TAKEN_BEFORE = OPERATIONS / 4;
/** How many are asked for at a time, so that the test does not measure its own machine. */
const AT_ONCE = 20;
const PATIENCE_MS = 60_000 + 300 * OPERATIONS;
/** They are signed and sent before, and counted after. */
const TEST_MS = PATIENCE_MS + 240_000;

const freeze = ({ pid }: Bundler) => process.kill(pid, 'SIGSTOP');
const goOn = ({ pid }: Bundler) => void process.kill(pid, 'SIGCONT');
/** What happens to the first bundler, and after all has landed. Returned is a bundler in its place. */
const HAPPENS: ReadonlyArray<
  readonly [
    string,
    happen: (bundler: Bundler) => Promise<Bundler> | boolean,
    heal: (bundler: Bundler) => void,
    isGatewayKilled: boolean,
  ]
> = [
  ['killed', ({ pid }) => process.kill(pid, 'SIGKILL'), () => undefined, false],
  ['frozen, and goes on when all has landed', freeze, goOn, false],
  [
    'restarted, and has forgotten all',
    async ({ pid, url }) => {
      process.kill(pid, 'SIGKILL');
      return aBundler(Number(new URL(url).port));
    },
    () => undefined,
    false,
  ],
  ['frozen, and the gateway that sent to it is killed', freeze, goOn, true],
];
/** A gateway writes what was taken within this time; milliseconds. */
const WRITTEN_MS = 1_000;

/** A bundler with an executor of its own: two that share a key take each other's nonces. */
async function aBundler(port?: number): Promise<Bundler> {
  const executor = generatePrivateKey();
  const { address } = privateKeyToAccount(executor);
  const params = [address, numberToHex(parseEther('1000'))];
  resultOf(await call({ url: stack.chainRpc, method: 'anvil_setBalance', params }));
  return startBundler({ chainRpc: stack.chainRpc, executors: [executor], ...(port !== undefined && { port }) });
}

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const takeItems = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeItems));
  return results;
}

async function signedOperation(url: string): Promise<WireOperation> {
  const account = await newSimpleAccount(stack, version);
  const callData = execute({ to: stack.demoContract.address, data: INCREMENT });
  const draft = { ...(await draftOperation(stack, account, { callData })), ...LIMITS, signature: '0x' as Hex };
  const operation = await sponsored({ url, operation: draft, mode: AS_SENT });
  return signOperation(operation, { stack, version, owner: account.owner });
}

const send = (url: string, operation: WireOperation): Promise<RpcAnswer> =>
  call({ url, method: 'eth_sendUserOperation', params: [operation, stack.entryPoints[version]] });

async function receiptOf(url: string, hash: Hex) {
  const answer = await call({ url, method: 'eth_getUserOperationReceipt', params: [hash] });
  return resultOf<{ userOpHash: Hex; success: boolean } | null>(answer);
}

/** How often each operation is on chain. */
async function landings(fromBlock: bigint): Promise<Map<Hex, number>> {
  const events = await chain.getLogs({ address: stack.entryPoints[version], events: userOperationEvent, fromBlock });
  const counts = new Map<Hex, number>();
  for (const { args } of events) counts.set(args.userOpHash!, (counts.get(args.userOpHash!) ?? 0) + 1);
  return counts;
}

describe.each(HAPPENS)('the first of two bundlers is %s', (_what, happen, heal, isGatewayKilled) => {
  let first: Bundler;
  let second: Bundler;
  let gateway: Application;
  let apiKey: string;
  let url: string;
  let fromBlock: bigint;
  let inItsPlace: Promise<Bundler> | undefined;

  async function startGateway(): Promise<void> {
    const named = [first, second].map((bundler, at) => ({ name: `bundler-${at}`, url: bundler.url, kind: 'alto' }));
    gateway = await startGatewayWithBundlers(stack, named, () => undefined);
    url = `${gateway.url}/api/v1/${stack.chainId}/${apiKey}`;
  }

  beforeAll(async () => {
    [first, second] = await Promise.all([aBundler(), aBundler()]);
    ({ apiKey } = await freshPaymaster(stack));
    await startGateway();
    fromBlock = await chain.getBlockNumber();
  });
  afterAll(async () => Promise.all([gateway?.stop(), first?.stop(), second?.stop(), (await inItsPlace)?.stop()]));

  it(
    'each operation lands exactly once, or its client is told',
    async () => {
      const operations = await inTurn(Array.from({ length: OPERATIONS }), () => signedOperation(url));
      let taken = 0;
      let happenedMs = 0;
      const answers = await inTurn(operations, async (operation) => {
        const answer = await send(url, operation);
        taken += 1;
        if (taken >= TAKEN_BEFORE && happenedMs === 0) {
          happenedMs = performance.now();
          const happened = happen(first);
          if (happened instanceof Promise) inItsPlace = happened;
        }
        return answer;
      });
      const hashes = answers.flatMap(({ body }) => (typeof body.result === 'string' ? [body.result as Hex] : []));
      const told = answers.filter(({ body }) => body.error !== undefined);
      expect(hashes.length + told.length).toBe(OPERATIONS);

      if (isGatewayKilled) {
        await new Promise((resolve) => setTimeout(resolve, WRITTEN_MS));
        process.kill(gateway.pid, 'SIGKILL');
        await gateway.ended;
        await startGateway();
      }

      const waiting = new Set(hashes);
      let tookOverMs = Infinity;
      for (const endMs = performance.now() + PATIENCE_MS; waiting.size > 0 && performance.now() < endMs;) {
        await inTurn([...waiting], async (hash) => {
          const receipt = await receiptOf(url, hash);
          if (!receipt) return;
          expect(receipt.success).toBe(true);
          waiting.delete(hash);
          tookOverMs = performance.now() - happenedMs;
        });
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      heal(first);
      expect(waiting.size).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      const counts = await landings(fromBlock);
      expect(hashes.filter((hash) => counts.get(hash) !== 1)).toEqual([]);
      process.stdout.write(
        `${OPERATIONS} operations: ${hashes.length} landed once, ${told.length} told; the last one ${(tookOverMs / 1_000).toFixed(1)} s after\n`,
      );
      expect(told.length).toBeLessThan(OPERATIONS / 10);
    },
    TEST_MS,
  );
});

/** A bundler that takes the operation, and then answers so. */
const takesAnd =
  (answer: Mutator): Mutator =>
  async (asked) => {
    await asked.truth().catch(() => undefined);
    return answer(asked);
  };
const ANSWERS: Readonly<Record<string, Mutator>> = {
  ...Object.fromEntries(
    (['hang', 'reset', 'http500', 'invalidJson', 'wrongId', 'cutOff', 'hugeBody'] as const).map((kind) => [
      kind,
      () => new Misbehaviour(kind),
    ]),
  ),
  'another hash': () => `0x${'7e'.repeat(32)}`,
};
const SEND = 'eth_sendUserOperation';
/** How the first bundler misbehaves when it is sent an operation: before it has taken it, after, and to all questions. */
const MISBEHAVES: ReadonlyArray<readonly [string, Mutators]> = [
  ...Object.entries(ANSWERS).flatMap(([name, answer]) => [
    [`${name}, not taken`, { [SEND]: answer }] as const,
    [`${name}, taken`, { [SEND]: takesAnd(answer) }] as const,
  ]),
  ['receipts of another operation', { eth_getUserOperationReceipt: () => ({ userOpHash: `0x${'7e'.repeat(32)}` }) }],
  ['hang, taken, and says nothing more', { [SEND]: takesAnd(ANSWERS['hang']!), '*': ANSWERS['hang']! }],
];
/** Of a request, by default. */
const DEADLINE_MS = 5_000;

describe('the first of two bundlers misbehaves', () => {
  let bundlers: Bundler[];
  let proxy: LyingProxy;
  let gateway: Application;
  let url: string;

  beforeAll(async () => {
    bundlers = await Promise.all([aBundler(), aBundler()]);
    proxy = await lyingProxy(bundlers[0]!.url);
    const named = [proxy, bundlers[1]!].map((each, at) => ({ name: `bundler-${at}`, url: each.url, kind: 'alto' }));
    gateway = await startGatewayWithBundlers(stack, named, () => undefined);
    const { apiKey } = await freshPaymaster(stack);
    url = `${gateway.url}/api/v1/${stack.chainId}/${apiKey}`;
  });
  afterAll(() => Promise.all([gateway?.stop(), proxy?.stop(), ...(bundlers ?? []).map((bundler) => bundler.stop())]));

  it.each(MISBEHAVES)('%s: the operation lands once', async (_how, lies) => {
    const fromBlock = await chain.getBlockNumber();
    const operation = await signedOperation(url);
    proxy.lie(lies);
    const { body, status, elapsedMs } = await send(url, operation);
    expect([status, body]).toEqual([200, expect.objectContaining({ result: expect.any(String) })]);
    expect(elapsedMs).toBeLessThan(DEADLINE_MS + 500);
    const hash = body.result as Hex;
    const receipt = await until(() => receiptOf(url, hash), 'the operation landed', PATIENCE_MS);
    expect(receipt).toMatchObject({ userOpHash: hash, success: true });
    proxy.beHonest();
    expect((await landings(fromBlock)).get(hash)).toBe(1);
  });

  it('both hang: the client is told within its deadline, and believes no more than that', async () => {
    const operation = await signedOperation(url);
    proxy.lie({ '*': ANSWERS['hang']! });
    process.kill(bundlers[1]!.pid, 'SIGSTOP');
    const { body, status, elapsedMs } = await send(url, operation);
    process.kill(bundlers[1]!.pid, 'SIGCONT');
    expect([status, body.error?.code, body.error?.data?.['dependency']]).toEqual([503, -32_011, 'bundler']);
    expect(elapsedMs).toBeLessThan(DEADLINE_MS + 500);
  });
});
