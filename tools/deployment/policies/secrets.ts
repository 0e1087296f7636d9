import { containersOf, workloadsOf, type Policy } from './policy';

/** The secrets that an operator makes, and their keys: what k8s/README.md lists. */
export const SECRETS: Readonly<Record<string, readonly string[]>> = {
  dashboard: ['database-url', 'api-key-index-key', 'api-key-encryption-key', 'webhook-signing-key', 'nats-password'],
  'paymaster-rpc': [
    'database-url',
    'api-key-index-key',
    'webhook-signing-key',
    'signer-keystore.json',
    'signer-keystore-passphrase',
    'nats-password',
  ],
  settlement: ['database-url', 'nats-password'],
  'stream-maker': ['nats-password'],
  migrations: ['database-url'],
  'nats-tls': ['tls.crt', 'tls.key', 'ca.crt'],
  'nats-cluster-tls': ['tls.crt', 'tls.key', 'ca.crt'],
};

/** What a secret looks like, wherever it stands. */
const SECRET_VALUES: ReadonlyArray<[RegExp, string]> = [
  [/:\/\/[^\s/:@]*:[^\s/@]+@/, 'a URL with a password'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'a private key'],
  [/\b(0x)?[0-9a-fA-F]{64}\b/, 'a key of 32 bytes'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'an AWS access key'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\./, 'a JSON web token'],
  // A provider's key in the address of its endpoint: chains.json with such is a secret (k8s/README.md).
  [/https?:\/\/[^\s"']*(?:\/|=)(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*[A-Za-z])[A-Za-z0-9_-]{20,}/, 'a URL with a key'],
];
const SECRET_NAMES = /(PASSWORD|PASSPHRASE|SECRET|TOKEN|MNEMONIC|PRIVATE_KEY|DATABASE_URL|_KEY)$/;
/** What the name of a NATS password stands for: a reference that the kubelet fills in. */
const REFERENCE = /^"?\$\([A-Z0-9_]+\)"?$/;

/** Neither config maps nor the values of variables hold anything that has to stay unknown. */
export const noSecretInPlainSight: Policy = (objects) => {
  const values = [
    ...objects
      .filter(({ kind }) => kind === 'ConfigMap')
      .flatMap(({ metadata, data }) =>
        Object.entries(data as Record<string, string>).map(([key, value]) => ({
          at: `ConfigMap ${metadata.name}`,
          key,
          value,
        })),
      ),
    ...workloadsOf(objects).flatMap((workload) =>
      containersOf(workload).flatMap(({ env = [], command = [], args = [] }) => [
        ...env.map(({ name, value = '' }) => ({ at: workload.name, key: name, value })),
        ...[...command, ...args].map((value) => ({ at: workload.name, key: 'its command', value })),
      ]),
    ),
  ].filter(({ value }) => !REFERENCE.test(value));
  return values.flatMap(({ at, key, value }) => [
    ...(SECRET_NAMES.test(key) && value !== '' ? [`${at}: ${key} has a value`] : []),
    ...SECRET_VALUES.filter(([pattern]) => pattern.test(value)).map(([, what]) => `${at}: ${key} holds ${what}`),
  ]);
};
