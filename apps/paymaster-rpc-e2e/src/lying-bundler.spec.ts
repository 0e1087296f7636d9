import { lyingProxy, Misbehaviour, type LyingProxy, type Mutator, type Mutators } from '@paymaster/chain/testing';
import { readStack, startGatewayWithBundlers, type Application, type Bundler } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { publicClient } from './support/chain';
import { freshPaymaster } from './support/fresh-paymaster';
import { aBundler, landings, receiptOf, send, signedOperation } from './support/own-bundlers';

const stack = readStack();
const chain = publicClient(stack);
/** So long an operation may take to land, also on a busy machine. */
const PATIENCE_MS = 72_000;

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
