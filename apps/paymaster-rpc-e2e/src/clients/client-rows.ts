import type { EntryPointVersion } from '@paymaster/domain';

/** A client at its pinned version with one kind of account on one EntryPoint: a row of docs/clients.md, and its tests. */
export interface ClientRow {
  readonly client: string;
  /** File of the client's folder that runs it. */
  readonly driver: string;
  /** npm package whose pinned version the row is about. */
  readonly package: string;
  readonly account: string;
  readonly version: EntryPointVersion;
  /** What an app has to set, besides its account and the bundler. */
  readonly set: string;
  /** What an app has to set besides to pay in a token. */
  readonly setForTokens: string;
  readonly code: AccountCode;
  /** Settings of the paymaster that such an account needs; the test leaves the others as a new paymaster has them. */
  readonly settings?: Readonly<Record<string, unknown>>;
}

/** Where the account's contracts on the local chain are from. */
export type AccountCode = 'published' | 'stand-in';

const PERMISSIONLESS = {
  client: 'permissionless, `createPimlicoClient`',
  driver: 'permissionless.mjs',
  package: 'permissionless',
  set: '`transport: http(url)`',
  setForTokens: '`paymasterContext: { token }`',
} as const;

const permissionless = (
  account: string,
  version: EntryPointVersion,
  code: AccountCode,
  more: Partial<ClientRow> = {},
): ClientRow => ({ ...PERMISSIONLESS, account, version, code, ...more });

/** Of thirdweb nobody but thirdweb knows which code is behind its default factories, so a paymaster's owner has to want them. */
const UNKNOWN_FACTORY = {
  set: `${PERMISSIONLESS.set}; \`allowUnknownFactories: true\` of the paymaster`,
  settings: { allowUnknownFactories: true },
} as const;

export const CLIENT_ROWS: readonly ClientRow[] = [
  permissionless('SimpleAccount', '0.6', 'published'),
  permissionless('SimpleAccount', '0.7', 'published'),
  permissionless('SimpleAccount', '0.8', 'published'),
  permissionless('LightAccount 2.0.0', '0.7', 'stand-in'),
  permissionless('Trust (Barz)', '0.6', 'stand-in'),
  permissionless('Kernel 2.4', '0.6', 'stand-in'),
  permissionless('Kernel 3.0', '0.7', 'stand-in'),
  permissionless('Kernel 3.1', '0.7', 'stand-in'),
  permissionless('Kernel 3.3', '0.7', 'stand-in'),
  permissionless('Biconomy V2', '0.6', 'stand-in'),
  permissionless('Nexus', '0.7', 'stand-in'),
  permissionless('thirdweb', '0.6', 'stand-in', UNKNOWN_FACTORY),
  permissionless('thirdweb', '0.7', 'stand-in', UNKNOWN_FACTORY),
  permissionless('Etherspot', '0.7', 'stand-in'),
];
