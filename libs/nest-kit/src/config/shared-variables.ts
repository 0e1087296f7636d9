/** Variables that mean the same in several apps: a configuration class gives each a property and its default. */
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUrl,
  Matches,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { NATS_URL_PATTERN, NATS_URL_RULE } from '@paymaster/messaging';
import { Env, EnvInteger } from './env.decorator';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const HostVariable = (): PropertyDecorator =>
  applyDecorators(Env('HOST', 'The address to listen on.'), IsString(), IsNotEmpty());

export const PortVariable = (description = 'The port to listen on.'): PropertyDecorator =>
  EnvInteger('PORT', description, { from: 0, to: 65_535 });

/** For `monitorPort`, which is undefined where the app has no second port. */
export const MonitorPortVariable = (): PropertyDecorator =>
  applyDecorators(
    EnvInteger(
      'MONITOR_PORT',
      'A second port, for probes and Prometheus only: health and metrics. Without it there is none.',
      { from: 0, to: 65_535 },
    ),
    IsOptional(),
    ValidateBy({
      name: 'isAnotherPort',
      validator: {
        validate: (port, given) => port === 0 || port !== (given?.object as { port?: unknown }).port,
        defaultMessage: () => 'must not be PORT',
      },
    }),
  );

/** For `databaseUrl`, a secret. */
export const DatabaseUrlVariable = (
  description = 'The Postgres database, for example postgres://user:password@host:5432/paymaster.',
): PropertyDecorator =>
  applyDecorators(Env('DATABASE_URL', description, { secret: true }), Matches(/^postgres(ql)?:\/\/\S+$/));

/** For `databasePoolSize`. */
export const DatabasePoolSizeVariable = ({ least, most }: { least: number; most: number }): PropertyDecorator =>
  EnvInteger('DATABASE_POOL_SIZE', 'How many Postgres connections one process keeps at most.', {
    from: least,
    to: most,
  });

export const NatsUrlVariable = (): PropertyDecorator =>
  applyDecorators(
    Env('NATS_URL', 'Where NATS is, for example nats://nats:4222; several servers are separated by commas.'),
    Matches(NATS_URL_PATTERN, { message: NATS_URL_RULE }),
  );

/** For `natsUser`; with {@link NatsPasswordVariable} or not at all. */
export const NatsUserVariable = (): PropertyDecorator =>
  applyDecorators(
    Env('NATS_USER', 'The user this app is on NATS; none when NATS asks for none.'),
    ...inPairWith('natsPassword'),
  );

/** For `natsPassword`; with {@link NatsUserVariable} or not at all. */
export const NatsPasswordVariable = (): PropertyDecorator =>
  applyDecorators(Env('NATS_PASSWORD', 'The password of NATS_USER.', { secret: true }), ...inPairWith('natsUser'));

export const NatsCaFileVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'NATS_CA_FILE',
      "A PEM file with the authority of NATS' certificate; with it, or with tls://, only TLS is used.",
    ),
    IsOptional(),
    IsString(),
    IsNotEmpty(),
  );

export const WebhookAllowInsecureVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'WEBHOOK_ALLOW_INSECURE',
      'Whether webhooks may have http and local addresses, true or false: for a local world, where nothing is secret.',
    ),
    Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value)),
    IsBoolean(),
  );

/** @param use what the app asks it for */
export const PriceApiUrlVariable = (use: string): PropertyDecorator =>
  applyDecorators(
    Env(
      'PRICE_API_URL',
      `An HTTP price API of the shape of CoinGecko, ${use}, for example https://api.coingecko.com/api/v3.`,
    ),
    IsOptional(),
    IsUrl({ require_tld: false, require_protocol: true, protocols: ['http', 'https'] }),
  );

export const PriceApiKeyVariable = (): PropertyDecorator =>
  applyDecorators(
    Env('PRICE_API_KEY', 'The key of the price API, if it asks for one.', { secret: true }),
    IsOptional(),
    IsString(),
    IsNotEmpty(),
  );

export const PriceApiKeyHeaderVariable = (): PropertyDecorator =>
  applyDecorators(
    Env('PRICE_API_KEY_HEADER', 'The HTTP header that carries PRICE_API_KEY.'),
    Matches(/^[A-Za-z0-9-]+$/),
  );

export const DrainSecondsVariable = (): PropertyDecorator =>
  EnvInteger(
    'DRAIN_SECONDS',
    'Time between failing readiness and closing on SIGTERM, so that balancers stop sending.',
    { from: 0, to: 300 },
  );

export const LogLevelVariable = (): PropertyDecorator =>
  applyDecorators(Env('LOG_LEVEL', 'The least severe log level that is written.'), IsIn(LOG_LEVELS));

/** Required where this variable or its other half is set. */
function inPairWith(other: 'natsUser' | 'natsPassword'): PropertyDecorator[] {
  const isGiven = (config: object, value: unknown) =>
    value !== undefined || (config as Record<string, unknown>)[other] !== undefined;
  return [ValidateIf(isGiven), IsString(), IsNotEmpty()];
}
