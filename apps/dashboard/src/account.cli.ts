import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadConfig, run } from '@paymaster/nest-kit';
import { AccountsRepository } from './accounts/accounts.repository';
import { AccountsService } from './accounts/accounts.service';
import { DatabaseConfig } from './config/database.config';
import { dataSourceOptions, openDataSource } from './schema/data-source';
import { isUuid } from './database/uuid';

const HELP = `Accounts of the dashboard and their auth tokens.

  create --name NAME   a new token for the account of that name (made when there is none); shown once
  list                 every token's id, account and state; never a token
  revoke TOKEN_ID      the token stops working at once
  --json               machine-readable output
  --help               this text

Reads DATABASE_URL.
`;

/** A command line that cannot be run; the help follows. */
class UsageError extends Error {
  constructor(problem: string) {
    super(`${problem}\n\n${HELP}`);
  }
}

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help) return print(HELP);
  const [command, argument] = positionals;
  if (command === 'create' && values.name)
    return withAccounts((accounts) => create(accounts, values.name ?? '', values));
  if (command === 'list') return withAccounts((accounts) => list(accounts, values));
  if (command === 'revoke' && argument) return withAccounts((accounts) => revoke(accounts, argument));
  throw new UsageError(command ? `${command} is not complete or not known.` : 'Which command?');
}

async function create(accounts: AccountsService, name: string, { json }: { json?: boolean }): Promise<void> {
  const issued = await accounts.createToken(name);
  if (json) return print(`${JSON.stringify(issued)}\n`);
  print(
    `Account ${issued.accountName} (${issued.accountId}), token ${issued.tokenId}.\n` +
      `The authToken, shown only now:\n${issued.authToken}\n`,
  );
}

async function list(accounts: AccountsService, { json }: { json?: boolean }): Promise<void> {
  const tokens = await accounts.listTokens();
  if (json) return print(`${JSON.stringify(tokens)}\n`);
  for (const { id, accountName, createdAt, revokedAt } of tokens) {
    const state = revokedAt ? `revoked ${revokedAt.toISOString()}` : 'active';
    print(`${id}  ${createdAt.toISOString()}  ${state}  ${accountName}\n`);
  }
}

async function revoke(accounts: AccountsService, tokenId: string): Promise<void> {
  if (!isUuid(tokenId) || !(await accounts.revokeToken(tokenId)))
    throw new Error(`There is no active token ${tokenId}.`);
  print(`Token ${tokenId} is revoked.\n`);
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: { name: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'Unknown arguments.');
  }
}

async function withAccounts(use: (accounts: AccountsService) => Promise<void>): Promise<void> {
  const dataSource = await openDataSource(dataSourceOptions(loadConfig(DatabaseConfig)));
  try {
    await use(new AccountsService(new AccountsRepository(dataSource)));
  } finally {
    await dataSource.destroy();
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

run(main);
