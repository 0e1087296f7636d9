import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LogLine } from '../processes/process-registry';
import { startApplication, type Application } from './applications';
import { loadSecrets } from './secrets';
import { stackFile, type Stack } from './stack-file';
import { gatewayEnv } from './world-parts';

/**
 * One more gateway of the running local world, with the bounds that a chain has by default: tests run in a world whose
 * own gateway has wider ones. It ends with this process at the latest.
 */
export function startStrictGateway(stack: Stack, log: LogLine): Promise<Application> {
  const folder = dirname(stackFile());
  const { chains } = JSON.parse(readFileSync(join(folder, 'chains.json'), 'utf8')) as { chains: object[] };
  // In the same folder, which the path of the token list is relative to.
  const chainsFile = join(folder, 'chains.strict.json');
  writeFileSync(chainsFile, JSON.stringify({ chains: chains.map((chain) => ({ ...chain, bounds: undefined })) }));
  const { databaseUrl, natsUrl, priceServer } = stack;
  const secrets = loadSecrets(join(folder, 'secrets.json'));
  const env = gatewayEnv({ databaseUrl, natsUrl, priceApi: priceServer.url, chainsFile, secrets });
  return startApplication({ name: 'paymaster-rpc', env, log });
}
