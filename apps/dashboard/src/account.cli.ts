import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadConfig, run } from '@paymaster/nest-kit';
import type { DataSource } from 'typeorm';
import { AccountsRepository } from './accounts/accounts.repository';
import { AccountsService } from './accounts/accounts.service';
import { AuditLogRepository } from './audit/audit-log.repository';
import { AccountCommandConfig } from './config/public-url.config';
import { isUuid } from './database/uuid';
import { Memberships } from './people/memberships';
import { PeopleRepository } from './people/people.repository';
import { ROLES } from './people/role';
import { CODE_VALID_MINUTES, SignInCodes } from './people/sign-in-codes';
import { dataSourceOptions, openDataSource } from './schema/data-source';

const HELP = `Accounts of the dashboard, their auth tokens, and codes with which people sign in to the page.

  create --name NAME   a new token for the account of that name (made when there is none); shown once
  list                 every token's id, account, name and state; never a token
  revoke TOKEN_ID      the token stops working at once
  sign-in-code --account NAME
                       a code that signs a person in once within ${CODE_VALID_MINUTES} minutes, and the link with it
    --person NAME      which member of the account (made when there is none); the account's name by default
    --role ROLE        ${ROLES.join(', ')}; a new member is an owner by default, another keeps its role
    --operator         the person becomes an operator of the installation
  --json               machine-readable output
  --help               this text

Reads DATABASE_URL, and PUBLIC_URL for the link.
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
  if (command === 'sign-in-code' && values.account)
    return withDatabase((dataSource, config) =>
      signInCode(dataSource, config, { ...values, account: values.account ?? '' }),
    );
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
  for (const { id, accountName, name, createdAt, revokedAt } of tokens) {
    const state = revokedAt ? `revoked ${revokedAt.toISOString()}` : 'active';
    print(`${id}  ${createdAt.toISOString()}  ${state}  ${accountName}  ${name}\n`);
  }
}

async function revoke(accounts: AccountsService, tokenId: string): Promise<void> {
  if (!isUuid(tokenId) || !(await accounts.revokeToken(tokenId)))
    throw new Error(`There is no active token ${tokenId}.`);
  print(`Token ${tokenId} is revoked.\n`);
}

async function signInCode(
  dataSource: DataSource,
  { publicUrl }: AccountCommandConfig,
  wish: { account: string; person?: string; role?: string; operator?: boolean; json?: boolean },
): Promise<void> {
  const role = ROLES.find((each) => each === wish.role);
  if (wish.role !== undefined && !role) throw new UsageError(`--role must be one of ${ROLES.join(', ')}.`);
  const accounts = new AccountsRepository(dataSource);
  const people = new PeopleRepository(dataSource);
  const memberships = new Memberships(dataSource, accounts, people, new AuditLogRepository(dataSource));
  const account = await new AccountsService(accounts).findOrCreate(wish.account);
  const name = wish.person ?? account.name;
  const person = await memberships.findOrAdd(account, { name, role, isOperator: wish.operator ?? false });
  const code = await new SignInCodes(dataSource).issue(person.id);
  // In the fragment, which browsers keep to themselves: no server and no proxy writes it into a log.
  const link = publicUrl ? `${publicUrl}/sign-in#code=${code}` : null;
  if (wish.json) {
    const { id: personId, name: personName } = person;
    return print(`${JSON.stringify({ accountId: account.id, personId, personName, role: person.role, code, link })}\n`);
  }
  print(
    `${person.name}, ${person.role} of the account ${account.name}, signs in once within ${CODE_VALID_MINUTES} minutes.\n` +
      `The code, shown only now:\n${code}\n` +
      (link ? `or the link:\n${link}\n` : 'With PUBLIC_URL, there would be a link to the page here.\n'),
  );
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        ...{
          name: { type: 'string' },
          account: { type: 'string' },
          person: { type: 'string' },
          role: { type: 'string' },
        },
        ...{ operator: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'Unknown arguments.');
  }
}

async function withAccounts(use: (accounts: AccountsService) => Promise<void>): Promise<void> {
  await withDatabase((dataSource) => use(new AccountsService(new AccountsRepository(dataSource))));
}

async function withDatabase(
  use: (dataSource: DataSource, config: AccountCommandConfig) => Promise<void>,
): Promise<void> {
  const config = loadConfig(AccountCommandConfig);
  const dataSource = await openDataSource(dataSourceOptions(config));
  try {
    await use(dataSource, config);
  } finally {
    await dataSource.destroy();
  }
}

function print(text: string): void {
  process.stdout.write(text);
}

run(main);
