import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, onFreePort } from '../processes/free-port';
import { startProcess, type LogLine, type RunningProcess } from '../processes/process-registry';

export interface ApplicationOptions {
  readonly name: 'dashboard' | 'settlement' | 'paymaster-rpc';
  readonly env: NodeJS.ProcessEnv;
  /** Wanted port; another one is taken when it is busy. */
  readonly port?: number;
  readonly log?: LogLine;
}

export interface Application extends RunningProcess {
  /** Base URL, without a path. */
  readonly url: string;
  /** Where it shows health and metrics; settlement, which nobody asks for anything else, has one port. */
  readonly monitor: string;
}

const DIST = join(__dirname, '../../../dist/apps');

/** Starts an app from its build and waits until it says that it is ready. */
export async function startApplication({ name, env, port: wanted, log }: ApplicationOptions): Promise<Application> {
  const monitorPort = env['MONITOR_PORT'] ?? String(await freePort());
  return onFreePort(wanted, async (port) => {
    // Browsers keep passkeys for names of hosts, not for numbers.
    const url = `http://${name === 'dashboard' ? 'localhost' : '127.0.0.1'}:${port}`;
    const monitor = name === 'settlement' ? url : `http://127.0.0.1:${monitorPort}`;
    const child = await startProcess({
      name,
      command: process.execPath,
      args: ['--enable-source-maps', builtFile(name, 'main.js')],
      env: {
        NODE_ENV: 'development',
        LOG_LEVEL: 'info',
        HOST: '127.0.0.1',
        DRAIN_SECONDS: '0',
        ...env,
        PORT: `${port}`,
        ...(name !== 'settlement' && { MONITOR_PORT: monitorPort }),
        ...(name === 'dashboard' && { PUBLIC_URL: url, WEB_PAGE_DIR: builtFile('dashboard-web', '') }),
      },
      ready: { probe: () => isReady(url) },
      readyTimeoutMs: 180_000,
      log,
    });
    return { ...child, url, monitor };
  });
}

/** Makes the event stream on NATS, as the job does that runs before settlement. */
export async function makeEventStream(env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(process.execPath, [builtFile('settlement', 'stream.js')], {
    env: { ...process.env, ...env },
    timeout: 180_000,
  });
}

/** @throws when the app was not built, saying how to */
export function builtFile(app: string, file: string): string {
  const path = join(DIST, app, file);
  if (existsSync(path)) return path;
  throw new Error(`dist/apps/${app}/${file} does not exist: run \`npm run build\`.`);
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) });
  return response.ok;
}
