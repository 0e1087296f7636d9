import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { startNats, startPostgres } from '@paymaster/devnet';
import { parseCompose, type Compose } from '../deployment/compose-schema';

/** What containers of docker/compose.yaml would meet: a Postgres, a NATS with its users, secret files, chains.json. */
export interface ImageWorld {
  readonly compose: Compose;
  /** The environment that compose gives a service, with the addresses and folders of this world. */
  environmentOf(service: string): Record<string, string>;
  stop(): Promise<void>;
}

/**
 * Starts the servers, and makes the secret files by docker/make-secrets, in a folder.
 *
 * @param context the checkout
 * @param folder an empty folder, which every user can enter
 */
export async function startImageWorld({ context, folder }: { context: string; folder: string }): Promise<ImageWorld> {
  const { compose, problems } = parseCompose(readFileSync(join(context, 'docker/compose.yaml'), 'utf8'));
  if (problems.length > 0) throw new Error(`docker/compose.yaml: ${problems.join('; ')}`);
  const secrets = makeSecrets({ context, folder });
  const chains = join(folder, 'chains');
  cpSync(join(context, 'docker/chains'), chains, { recursive: true });

  const postgres = await startPostgres();
  writeFileSync(join(secrets, 'database_url'), postgres.url);
  const env: NodeJS.ProcessEnv = {};
  for (const user of ['dashboard', 'paymaster_rpc', 'settlement', 'stream_maker']) {
    const password = readFileSync(join(secrets, `nats_${user}_password`), 'utf8');
    env[`NATS_${user.toUpperCase()}_PASSWORD`] = JSON.stringify(password);
  }
  const nats = await startNats({ config: { file: join(context, 'k8s/base/nats/nats.conf'), env } }).catch(
    async (error: unknown) => {
      await postgres.stop();
      throw error;
    },
  );

  const here = (value: string): string => {
    const secret = /^\/run\/secrets\/(.+)$/.exec(value)?.[1];
    if (secret) return join(secrets, basename(compose.secrets[secret]?.file ?? secret));
    return value.replace(/^\/etc\/paymaster\/chains\//, `${chains}/`).replace('nats://nats:4222', nats.url);
  };
  return {
    compose,
    environmentOf: (service) =>
      Object.fromEntries(
        Object.entries(compose.services[service]?.environment ?? {}).map(([name, value]) => [name, here(value)]),
      ),
    stop: async () => {
      await nats.stop();
      await postgres.stop();
    },
  };
}

/** The files as containers see them: mounted one by one, so that the folder which keeps others out is not in the way. */
function makeSecrets({ context, folder }: { context: string; folder: string }): string {
  const docker = join(folder, 'docker');
  mkdirSync(docker);
  for (const part of ['make-secrets', 'devnet'])
    cpSync(join(context, 'docker', part), join(docker, part), { recursive: true });
  execFileSync(join(docker, 'make-secrets'), ['--devnet'], { stdio: 'ignore' });
  const mounted = join(folder, 'secrets');
  cpSync(join(docker, 'secrets/devnet'), mounted, { recursive: true });
  chmodSync(mounted, 0o755);
  chmodSync(join(mounted, 'database_url'), 0o644);
  return mounted;
}
