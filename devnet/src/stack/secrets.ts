import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/**
 * Keys of the services and their passwords for NATS, 32 bytes as hex. The first two belong to the database whose API
 * keys they encrypt.
 */
export interface Secrets {
  readonly apiKeyEncryptionKey: string;
  readonly apiKeyIndexKey: string;
  readonly webhookSigningKey: string;
  readonly natsDashboardPassword: string;
  readonly natsSettlementPassword: string;
  readonly natsStreamMakerPassword: string;
  readonly natsPaymasterRpcPassword: string;
}

const VARIABLES: Readonly<Record<keyof Secrets, string>> = {
  apiKeyEncryptionKey: 'API_KEY_ENCRYPTION_KEY',
  apiKeyIndexKey: 'API_KEY_INDEX_KEY',
  webhookSigningKey: 'WEBHOOK_SIGNING_KEY',
  natsDashboardPassword: 'NATS_DASHBOARD_PASSWORD',
  natsSettlementPassword: 'NATS_SETTLEMENT_PASSWORD',
  natsStreamMakerPassword: 'NATS_STREAM_MAKER_PASSWORD',
  natsPaymasterRpcPassword: 'NATS_PAYMASTER_RPC_PASSWORD',
};
const NAMES = Object.keys(VARIABLES) as Array<keyof Secrets>;

/** The keys of this world, each made at the first start that needs it; the environment wins. */
export function loadSecrets(file: string): Secrets {
  const found = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<Secrets>) : {};
  const kept = Object.fromEntries(NAMES.map((name) => [name, found[name] ?? key()])) as unknown as Secrets;
  if (NAMES.some((name) => !found[name])) writeFileSync(file, JSON.stringify(kept, null, 2), { mode: 0o600 });
  return Object.fromEntries(
    NAMES.map((name) => [name, process.env[VARIABLES[name]] ?? kept[name]]),
  ) as unknown as Secrets;
}

function key(): string {
  return randomBytes(32).toString('hex');
}
