import { ConfigError, loadConfig } from './load-config';
import {
  DatabasePoolSizeVariable,
  DatabaseUrlVariable,
  DrainSecondsVariable,
  HostVariable,
  LogLevelVariable,
  MonitorPortVariable,
  NatsCaFileVariable,
  NatsPasswordVariable,
  NatsUrlVariable,
  NatsUserVariable,
  PortVariable,
  WebhookAllowInsecureVariable,
  type LogLevel,
} from './shared-variables';

class ExampleConfig {
  @HostVariable()
  readonly host: string = '0.0.0.0';

  @PortVariable()
  readonly port: number = 3000;

  @MonitorPortVariable()
  readonly monitorPort?: number;

  @DatabaseUrlVariable()
  readonly databaseUrl!: string;

  @DatabasePoolSizeVariable({ least: 2, most: 50 })
  readonly databasePoolSize: number = 10;

  @NatsUrlVariable()
  readonly natsUrl!: string;

  @NatsUserVariable()
  readonly natsUser?: string;

  @NatsPasswordVariable()
  readonly natsPassword?: string;

  @NatsCaFileVariable()
  readonly natsCaFile?: string;

  @WebhookAllowInsecureVariable()
  readonly webhookAllowInsecure: boolean = false;

  @DrainSecondsVariable()
  readonly drainSeconds: number = 5;

  @LogLevelVariable()
  readonly logLevel: LogLevel = 'info';
}

const NATS_URL = 'nats://nats:4222';
const DATABASE_URL = 'postgres://paymaster@postgres:5432/paymaster';
const NEEDED = { NATS_URL, DATABASE_URL };

/** The variables that are wrong. */
function wrong(env: Record<string, string>): string[] {
  try {
    loadConfig(ExampleConfig, { ...NEEDED, ...env });
    return [];
  } catch (error) {
    return (error as ConfigError).problems.map((problem) => problem.split(' ')[0] ?? '');
  }
}

describe('shared variables', () => {
  it("take the class's defaults", () => {
    expect(loadConfig(ExampleConfig, NEEDED)).toEqual({
      ...{ host: '0.0.0.0', port: 3000, natsUrl: NATS_URL, databaseUrl: DATABASE_URL, databasePoolSize: 10 },
      ...{ webhookAllowInsecure: false, drainSeconds: 5, logLevel: 'info' },
    });
  });

  it('are converted to what the properties are', () => {
    const env = {
      PORT: '80',
      MONITOR_PORT: '9000',
      DRAIN_SECONDS: '0',
      WEBHOOK_ALLOW_INSECURE: 'true',
      LOG_LEVEL: 'silent',
    };
    expect(loadConfig(ExampleConfig, { ...NEEDED, ...env })).toMatchObject({
      ...{ port: 80, monitorPort: 9000, drainSeconds: 0, webhookAllowInsecure: true, logLevel: 'silent' },
    });
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', 'http'],
    ['MONITOR_PORT', 'metrics'],
    ['MONITOR_PORT', '3000'],
    ['DATABASE_URL', 'mysql://mysql:3306/paymaster'],
    ['DATABASE_POOL_SIZE', '1'],
    ['DATABASE_POOL_SIZE', '51'],
    ['NATS_URL', 'http://nats:4222'],
    ['WEBHOOK_ALLOW_INSECURE', 'yes'],
    ['DRAIN_SECONDS', '301'],
    ['DRAIN_SECONDS', '1.5'],
    ['LOG_LEVEL', 'loud'],
  ])('are named when they are wrong: %s=%s', (name, value) => {
    expect(wrong({ [name]: value })).toEqual([name]);
  });

  it('ask for user and password of NATS together, or for none of them', () => {
    expect(wrong({ NATS_USER: 'dashboard' })).toEqual(['NATS_PASSWORD']);
    expect(wrong({ NATS_PASSWORD: 'secret' })).toEqual(['NATS_USER']);
    expect(wrong({ NATS_USER: 'dashboard', NATS_PASSWORD: 'secret' })).toEqual([]);
  });
});
