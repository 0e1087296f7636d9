import { startGatewayWithBundlers, readStack, type Application, type Bundler } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { publicClient } from './support/chain';
import { freshPaymaster } from './support/fresh-paymaster';
import { aBundler, landings, receiptOf, send, signedOperation } from './support/own-bundlers';

const stack = readStack();
const chain = publicClient(stack);
/** Under way at once, each of an account of its own. The long form has 1,000. */
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

async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const takeItems = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, takeItems));
  return results;
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
        // The chain says which receipts to ask for: of all that wait, four times a second, they would cost a core.
        const landed = await landings(fromBlock);
        const expected = [...waiting].filter((hash) => landed.has(hash));
        await inTurn(expected, async (hash) => {
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
