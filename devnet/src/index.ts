/** The local world as a library: start its parts, or read the one that runs and talk to it. */
export { startAnvil, LOCAL_CHAIN_ID, type Anvil, type AnvilOptions } from './processes/anvil';
export { freePort } from './processes/free-port';
export { startNats, type Nats, type NatsOptions } from './processes/nats';
export { startPostgres, type Postgres, type PostgresOptions } from './processes/postgres';
export { stopAllProcesses } from './processes/process-registry';
