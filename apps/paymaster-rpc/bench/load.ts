import { HttpConnection, type Reply } from './http-connection';

/** A reply and which of the prepared requests it answers. */
export interface Answered {
  readonly request: number;
  readonly reply: Reply;
}

export interface LoadResult {
  readonly seconds: number;
  readonly answered: readonly Answered[];
  /** From when a request was due to when its reply was read; milliseconds. */
  readonly latenciesMs: readonly number[];
}

interface Load {
  readonly port: number;
  readonly requests: readonly Buffer[];
  readonly connections: number;
  readonly seconds: number;
}

/** As much as the server takes: every connection sends its next request when it has the reply. */
export function closedLoop(load: Load): Promise<LoadResult> {
  return withConnections(load, (connections, result) => {
    const endsAtMs = result.startedAtMs + load.seconds * 1_000;
    let next = 0;
    return Promise.all(
      connections.map(
        (connection) =>
          new Promise<void>((resolve, reject) => {
            const sendNext = (): void => {
              const sentAtMs = performance.now();
              if (sentAtMs >= endsAtMs) return resolve();
              const request = next++ % load.requests.length;
              connection.send(load.requests[request] as Buffer, (reply) => {
                if (reply instanceof Error) return reject(reply);
                result.add({ request, reply }, sentAtMs);
                sendNext();
              });
            };
            sendNext();
          }),
      ),
    );
  });
}

/**
 * A constant rate, whatever the server does. A request that is due while all connections are busy waits, and its
 * waiting counts: latency starts when it was due.
 */
export function constantRate(load: Load & { perSecond: number }): Promise<LoadResult> {
  return withConnections(load, async (connections, result) => {
    const total = Math.floor(load.perSecond * load.seconds);
    const dueMs = (index: number): number => result.startedAtMs + (index * 1_000) / load.perSecond;
    const idle = [...connections];
    let next = 0;
    await new Promise<void>((resolve, reject) => {
      let left = total;
      const pump = (): void => {
        while (next < total && idle.length > 0 && dueMs(next) <= performance.now()) {
          const connection = idle.pop() as HttpConnection;
          const [index, request] = [next, next++ % load.requests.length];
          connection.send(load.requests[request] as Buffer, (reply) => {
            if (reply instanceof Error) return reject(reply);
            result.add({ request, reply }, dueMs(index));
            idle.push(connection);
            if (--left === 0) resolve();
            else pump();
          });
        }
        // Not busily: what this burns, a shared machine takes from the server.
        if (next < total && idle.length > 0) setTimeout(pump, 1);
      };
      pump();
    });
  });
}

interface Collecting {
  readonly startedAtMs: number;
  add(answered: Answered, sinceMs: number): void;
}

async function withConnections(
  load: Load,
  run: (connections: readonly HttpConnection[], result: Collecting) => Promise<unknown>,
): Promise<LoadResult> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => HttpConnection.open(load.port)));
  const answered: Answered[] = [];
  const latenciesMs: number[] = [];
  // What was made to get here is not collected while servers are measured.
  globalThis.gc?.();
  const startedAtMs = performance.now();
  try {
    await run(connections, {
      startedAtMs,
      add(one, sinceMs) {
        latenciesMs.push(performance.now() - sinceMs);
        answered.push(one);
      },
    });
    return { seconds: (performance.now() - startedAtMs) / 1_000, answered, latenciesMs };
  } finally {
    for (const connection of connections) connection.close();
  }
}
