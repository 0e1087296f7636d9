import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { dirname, join } from 'node:path';
import { startNats, type Nats, type NatsOptions } from '../processes/nats';
import { stackFile } from './stack-file';

/** It takes a second; the rest is for a busy machine. */
const SWITCHED_MS = 90_000;

/** Asks the world that STACK_FILE describes to stop its nats-server; resolves when it no longer answers. */
export async function stopNatsOf(stack: { natsUrl: string }): Promise<void> {
  writeFileSync(offFile(), '');
  await untilPort(stack.natsUrl, 'closed');
}

/** The same the other way round: the same port and the same data. */
export async function startNatsOf(stack: { natsUrl: string }): Promise<void> {
  rmSync(offFile(), { force: true });
  await untilPort(stack.natsUrl, 'open');
}

/** NATS that is down while a file exists, so that tests in another process can have an outage. */
export interface SwitchableNats {
  readonly url: string;
  /** Resolves with a sentence when it ends although nobody wanted it to. */
  readonly died: Promise<string>;
  stop(): Promise<void>;
}

export async function startSwitchableNats(options: NatsOptions & { offFile: string }): Promise<SwitchableNats> {
  rmSync(options.offFile, { force: true });
  const first = await startNats(options);
  let running: Nats | undefined = first;
  let report: (sentence: string) => void = () => undefined;
  const died = new Promise<string>((resolve) => (report = resolve));
  void first.died.then(report);

  let following = Promise.resolve();
  const follow = async (): Promise<void> => {
    const wanted = !existsSync(options.offFile);
    if (running && !wanted) {
      await running.stop();
      running = undefined;
    } else if (!running && wanted) {
      const next = await startNats({ ...options, port: first.port });
      // Somebody has the port for a moment, and nobody would find NATS at another: the next look tries again.
      if (next.port !== first.port) return next.stop();
      running = next;
      void running.died.then(report);
    }
  };
  const timer = setInterval(() => {
    following = following.then(follow).catch((error: unknown) => report(String(error)));
  }, 100);
  timer.unref();
  return {
    url: first.url,
    died,
    async stop() {
      clearInterval(timer);
      await following;
      await running?.stop();
    },
  };
}

function offFile(): string {
  return join(dirname(stackFile()), 'nats.off');
}

async function untilPort(natsUrl: string, wanted: 'open' | 'closed'): Promise<void> {
  const { hostname, port } = new URL(natsUrl);
  for (const end = Date.now() + SWITCHED_MS; Date.now() < end;) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connectSocket({ host: hostname, port: Number(port) })
        .once('error', () => resolve(false))
        .once('connect', () => {
          socket.destroy();
          resolve(true);
        });
    });
    if (open === (wanted === 'open')) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(
    `nats-server at ${natsUrl} is not ${wanted} after ${SWITCHED_MS / 1_000} s: is it one that \`npm start\` runs?`,
  );
}
