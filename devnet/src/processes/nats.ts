import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onFreePort } from './free-port';
import { natsServerBinary } from './nats-binary';
import { startProcess, type LogLine, type RunningProcess } from './process-registry';

export interface NatsOptions {
  /** Folder of JetStream; a temporary one, removed on stop, when absent. */
  readonly dataDir?: string;
  /** Wanted port; another one is taken when it is busy. */
  readonly port?: number;
  /** A server configuration, such as one with users, and the environment it refers to. */
  readonly config?: { readonly file: string; readonly env: NodeJS.ProcessEnv };
  readonly log?: LogLine;
}

export interface Nats extends RunningProcess {
  readonly url: string;
  readonly port: number;
}

/** A real nats-server with JetStream, on loopback. */
export async function startNats(options: NatsOptions = {}): Promise<Nats> {
  const { config } = options;
  const binary = await natsServerBinary(options.log);
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'paymaster-nats-'));
  mkdirSync(dataDir, { recursive: true });
  return onFreePort(options.port, async (port) => {
    const child = await startProcess({
      name: 'nats-server',
      command: binary,
      args: [...(config ? ['-c', config.file] : []), '-js', '-sd', dataDir, '-a', '127.0.0.1', '-p', String(port)],
      env: config?.env,
      ready: { line: (line) => line.includes('Server is ready') },
      log: options.log,
    });
    return {
      ...child,
      port,
      url: `nats://127.0.0.1:${port}`,
      async stop() {
        await child.stop();
        if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
      },
    };
  });
}
