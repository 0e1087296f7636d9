import { join } from 'node:path';
import type { NatsOptions } from '../processes/nats';
import type { ApplicationOptions } from './applications';
import type { Secrets } from './secrets';

/** Who may do what, as in production. */
const CONFIG = join(__dirname, '../../../k8s/base/nats/nats.conf');

type Passwords = Pick<
  Secrets,
  'natsDashboardPassword' | 'natsSettlementPassword' | 'natsStreamMakerPassword' | 'natsPaymasterRpcPassword'
>;

/** A NATS that knows the users of each app. */
export function natsConfigOf(secrets: Passwords): NonNullable<NatsOptions['config']> {
  // In double quotes, or the server would read one of digits as a number.
  return {
    file: CONFIG,
    env: {
      NATS_DASHBOARD_PASSWORD: `"${secrets.natsDashboardPassword}"`,
      NATS_SETTLEMENT_PASSWORD: `"${secrets.natsSettlementPassword}"`,
      NATS_STREAM_MAKER_PASSWORD: `"${secrets.natsStreamMakerPassword}"`,
      NATS_PAYMASTER_RPC_PASSWORD: `"${secrets.natsPaymasterRpcPassword}"`,
    },
  };
}

/** Who an app, or the command that makes the event stream, is to that NATS. */
export function natsUserOf(name: ApplicationOptions['name'] | 'stream-maker', secrets: Passwords): NodeJS.ProcessEnv {
  const password = {
    dashboard: secrets.natsDashboardPassword,
    settlement: secrets.natsSettlementPassword,
    'stream-maker': secrets.natsStreamMakerPassword,
    'paymaster-rpc': secrets.natsPaymasterRpcPassword,
  };
  const events = name === 'dashboard' ? { NATS_EVENTS_USER: 'dashboard-events' } : {};
  return { NATS_USER: name, NATS_PASSWORD: password[name], ...events };
}
