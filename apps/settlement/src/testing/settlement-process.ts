import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';

export interface SettlementProcess {
  readonly url: string;
  /** The lines of the process's log so far. */
  readonly log: readonly string[];
  ready(): Promise<boolean>;
  /** `status` and `checks` of /health. */
  health(): Promise<{ status: string; checks: Record<string, { status: string; detail?: string }> }>;
  /** The value of one sample, as `settlement_leader{chain="1"}`; undefined when there is none. */
  metric(sample: string): Promise<number | undefined>;
  signal(signal: NodeJS.Signals): void;
  /** Ends the process, if it still runs, and waits for its end. */
  end(signal?: NodeJS.Signals): Promise<void>;
}

/** The service as a process of its own, from its sources; resolves when its HTTP port answers. */
export async function startSettlement(env: Readonly<Record<string, string>>): Promise<SettlementProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child: ChildProcess = spawn(
    process.execPath,
    ['-r', './devnet/load-typescript.cjs', join(__dirname, '../main.ts')],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        HOST: '127.0.0.1',
        PORT: String(port),
        POLL_INTERVAL_MS: '100',
        QUIET_POLL_INTERVAL_MS: '100',
        ...env,
      },
    },
  );
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => log.push(...text.split('\n').filter(Boolean)));
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const ask = (path: string) => fetch(`${url}${path}`, { signal: AbortSignal.timeout(60_000) });
  const started: SettlementProcess = {
    url,
    log,
    ready: () => ask('/health/ready').then(({ ok }) => ok, () => false), // prettier-ignore
    health: async () => (await ask('/health')).json() as never,
    async metric(sample) {
      const line = (await (await ask('/metrics')).text()).split('\n').find((each) => each.startsWith(`${sample} `));
      return line === undefined ? undefined : Number(line.slice(sample.length + 1));
    },
    signal: (signal) => void child.kill(signal),
    async end(signal = 'SIGKILL') {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await exited;
    },
  };
  try {
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
      return ask('/health/live').then(({ ok }) => ok, () => false); // prettier-ignore
    });
  } catch (error) {
    await started.end();
    throw new Error(`settlement did not come up; its last lines:\n${log.slice(-20).join('\n')}`, { cause: error });
  }
  return started;
}
