import type { BenchWorld } from './bench-world';
import { postRequest } from './http-connection';
import { closedLoop } from './load';
import type { BenchOptions } from './measurement';
import { checkQuotes, quoteRequestBody } from './quote-requests';
import { sponsoredOperations } from './sponsored-requests';
import { median } from './statistics';

/** How many tokens one request asks for. */
const SIZES = [1, 10, 100] as const;
const OPERATIONS = 500;
const CONNECTIONS = 64;
const WARM_UP_SECONDS = 2;

/** The project's: CPU of each token after the first; microseconds. */
const TARGET_MICROS = 12;
/**
 * What the product asks its node for in the background, whatever the load: the head each second, prices each quarter of
 * a minute, the EntryPoint deposit every five seconds. A quote that asked anything would be far above it.
 */
const MOST_CALLS_PER_SECOND = 5;

/**
 * Target 8: quotes of 1, 10 and 100 tokens, limits given, prices fresh, policy warm. Every reply is checked.
 *
 * @throws when a reply is wrong, or when quotes make calls to the node
 */
export async function measureQuotes(world: BenchWorld, { rounds, seconds, say, judge }: BenchOptions): Promise<void> {
  const operations = sponsoredOperations(OPERATIONS, world.demo, world.senders);
  const loads = SIZES.map((size) => {
    const tokens = world.tokens.slice(0, size);
    const requests = operations.map((operation) =>
      postRequest(world.paymaster.path, quoteRequestBody(operation, tokens)),
    );
    return { size, tokens, load: { port: world.product.port, requests, connections: CONNECTIONS } };
  });
  const cpuMicros = new Map<number, number[]>(SIZES.map((size) => [size, []]));

  say('');
  say(`quotes of ${SIZES.join(', ')} tokens, ${CONNECTIONS} connections, every reply verified.`);
  for (const { load } of loads) await closedLoop({ ...load, seconds: WARM_UP_SECONDS });
  for (let round = 1; round <= rounds; round++) {
    for (const { size, tokens, load } of loads) {
      world.rpcCalls.take();
      const cpuBefore = world.product.cpuSeconds();
      const result = await closedLoop({ ...load, seconds });
      const micros = ((world.product.cpuSeconds() - cpuBefore) * 1e6) / result.answered.length;
      const calls = world.rpcCalls.take();
      assertNoCalls({ calls, seconds: result.seconds, quotes: result.answered.length });
      for (const answered of result.answered) checkQuotes(answered, tokens);
      cpuMicros.get(size)?.push(micros);
      say(
        `round ${round}  ${String(size).padStart(3)} tokens ${(result.answered.length / result.seconds).toFixed(0).padStart(6)} req/s  ${micros.toFixed(0).padStart(5)} us CPU/req  ${total(calls)} calls to the node`,
      );
    }
  }

  const cpu = (size: number): number => median(cpuMicros.get(size) ?? []);
  const perToken = (from: number, to: number): number => (cpu(to) - cpu(from)) / (to - from);
  const further = perToken(1, 100);
  say('');
  say(`CPU per quote, us: ${SIZES.map((size) => `${size}: ${cpu(size).toFixed(0)}`).join('   ')}`);
  say(`per further token up to ten, us: ${perToken(1, 10).toFixed(1)}`);
  judge({
    ...{ target: 8, what: 'CPU of each further token of a quote, us', value: further.toFixed(1) },
    ...{ bound: `<= ${TARGET_MICROS}`, met: further <= TARGET_MICROS },
  });
}

function total(calls: ReadonlyMap<string, number>): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

function assertNoCalls(run: { calls: ReadonlyMap<string, number>; seconds: number; quotes: number }): void {
  const { calls, seconds, quotes } = run;
  if (total(calls) <= MOST_CALLS_PER_SECOND * seconds) return;
  const byMethod = [...calls].map(([method, count]) => `${count} ${method}`).join(', ');
  throw new Error(`${quotes} quotes in ${seconds.toFixed(0)} s came with calls to the node: ${byMethod}`);
}
