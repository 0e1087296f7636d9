import Ajv from 'ajv';
import { parse } from 'yaml';

/** One service of docker/compose.yaml, merge keys resolved. */
export interface ComposeService {
  image?: string;
  build?: { context: string; dockerfile: string };
  user?: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  tmpfs?: string[];
  ports?: string[];
  networks?: string[];
  network_mode?: string;
  profiles?: string[];
  restart?: string;
  init?: boolean;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  mem_limit?: string;
  pids_limit?: number;
  healthcheck?: { test?: string[]; disable?: boolean };
  depends_on?: Record<string, { condition: string; required?: boolean }>;
}

export interface Compose {
  name: string;
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
  volumes: Record<string, object>;
  secrets: Record<string, { file: string }>;
}

const text = { type: 'string', minLength: 1 };
const texts = { type: 'array', items: text, minItems: 1, uniqueItems: true };
const command = { type: 'array', items: { type: 'string' }, minItems: 1 };
const duration = { type: 'string', pattern: '^\\d+(ms|s|m|h)$' };
const size = { type: 'string', pattern: '^\\d+[kmg]$' };
const closed = (properties: object, required: string[] = []) => ({
  ...{ type: 'object', properties, required, additionalProperties: false },
});
const mapOf = (value: object) => ({ type: 'object', additionalProperties: value });

const service = closed(
  {
    ...{ image: text, build: closed({ context: text, dockerfile: text }, ['context', 'dockerfile']) },
    ...{ user: text, working_dir: text, entrypoint: command, command, environment: mapOf(text), secrets: texts },
    ...{
      volumes: texts,
      tmpfs: texts,
      ports: texts,
      networks: texts,
      network_mode: { const: 'none' },
      profiles: texts,
    },
    restart: { type: 'string', pattern: '^(unless-stopped|always|on-failure(:\\d+)?)$' },
    ...{ init: { type: 'boolean' }, read_only: { type: 'boolean' }, cap_drop: texts, cap_add: texts },
    ...{ security_opt: texts, mem_limit: size, shm_size: size, pids_limit: { type: 'integer', minimum: 1 } },
    ...{ stop_signal: { enum: ['SIGTERM', 'SIGINT'] }, stop_grace_period: duration },
    logging: closed({ driver: text, options: mapOf(text) }, ['driver']),
    healthcheck: closed({
      ...{ test: command, disable: { type: 'boolean' } },
      ...{ interval: duration, timeout: duration, start_period: duration, retries: { type: 'integer', minimum: 1 } },
    }),
    depends_on: mapOf(
      closed(
        {
          condition: { enum: ['service_started', 'service_healthy', 'service_completed_successfully'] },
          required: { type: 'boolean' },
        },
        ['condition'],
      ),
    ),
  },
  ['image'],
);

/** The part of the Compose Specification that is used here; a key that is not in it has to be added, and so looked at. */
const schema = {
  ...closed(
    {
      name: text,
      services: mapOf(service),
      networks: mapOf(closed({ internal: { type: 'boolean' } })),
      volumes: mapOf(closed({})),
      secrets: mapOf(closed({ file: text }, ['file'])),
    },
    ['name', 'services', 'networks', 'volumes', 'secrets'],
  ),
  patternProperties: { '^x-': {} },
};

const validate = new Ajv({ allErrors: true }).compile(schema);

/** Reads a compose file, with its merge keys, and what its schema says against it. */
export function parseCompose(source: string): { compose: Compose; problems: string[] } {
  const compose = parse(source, { merge: true }) as Compose;
  validate(compose);
  const problems = (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const key = (params as { additionalProperty?: string }).additionalProperty;
    return `${instancePath || '/'} ${message}${key === undefined ? '' : `: ${key}`}`;
  });
  return { compose, problems };
}
