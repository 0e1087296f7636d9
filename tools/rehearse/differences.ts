/**
 * All that is not as in the manifests, because a rehearsal has one machine, loopback and no cluster. Whatever is not here
 * is taken from the manifests and the Dockerfiles as it stands there; `npm run rehearse -- --help` refers to this file.
 */

/** Pods of a Deployment: as many as the acceptance asks for, where the manifests leave it to an autoscaler. */
export const REPLICAS: Readonly<Record<string, number>> = { 'paymaster-rpc': 3, dashboard: 2 };

/** Variables that get another value, or none. Those that hold a container's own port get the pod's port on this machine. */
export const variables = (world: { natsUrl: string }): Readonly<Record<string, string | undefined>> => ({
  // Pods share one address; each listens on ports of its own.
  HOST: '127.0.0.1',
  // The cluster's names mean nothing here. One server in place of three, on loopback and so without TLS.
  NATS_URL: world.natsUrl,
  NATS_CA_FILE: undefined,
  STREAM_REPLICAS: '1',
  // Nobody collects traces here.
  OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
});

/** Settings of server.conf that the start of a NATS server on this machine says itself. */
export const NATS_SETTINGS_LEFT_OUT = ['listen', 'http', 'pid_file', 'store_dir'];

/** Files of the broker's configuration that are empty here: TLS, and the other two servers. */
export const NATS_FILES_LEFT_EMPTY = ['tls.conf', 'cluster.conf'];

/** What stands in a cluster's secrets is made for each rehearsal; `database-url` and the signer are those of its world. */
export interface SecretValues {
  /** By the secret's name, then by its key. */
  readonly [secret: string]: Readonly<Record<string, string>>;
}

/** The ConfigMap with the operator's chains: there they are his, here it is the one of this world. */
export const CHAINS_CONFIG_MAP = 'chains';

/** Time between a change of readiness and every proxy's knowing it; milliseconds. */
export const ENDPOINT_DELAY_MS = 1_000;
