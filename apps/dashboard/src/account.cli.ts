import 'reflect-metadata';
import { parseArgs } from 'node:util';
import { loadConfig, run } from '@paymaster/nest-kit';
import type { DataSource } from 'typeorm';
import { AccountsRepository } from './access/accounts/accounts.repository';
import { AccountsService } from './access/accounts/accounts.service';
import { AuditLogRepository } from './platform/audit/audit-log.repository';
import { AccountCommandConfig } from './platform/config/public-url.config';
import { isUuid } from './platform/database/uuid';
import { InvitationsRepository } from './access/people/invitations.repository';
import { Memberships } from './access/people/memberships';
import { Operators } from './access/people/operators';
import { PeopleRepository } from './access/people/people.repository';
import { FIXED_ROLES } from './access/people/role';
import { RolesRepository } from './access/people/roles.repository';
import { SecondFactorsRepository } from './access/people/second-factors.repository';
import { Sessions } from './access/people/sessions';
import { CODE_VALID_MINUTES, SignInCodes } from './access/people/sign-in-codes';
import { PasskeysRepository } from './access/sign-in/passkeys.repository';
import { dataSourceOptions, openDataSource } from './schema/data-source';

const HELP = `Accounts of the dashboard, their auth tokens, and codes with which people sign in to the page.

  create --name NAME   a new account and a token of it, shown once; refused when there is an account of that name
  create --account-id ID
                       a further token of an account
  list                 every token's id, state, account (id and name) and name; never a token
  revoke TOKEN_ID      the token stops working at once
  sign-in-code --account NAME | --account-id ID
                       a code that signs a person in once within ${CODE_VALID_MINUTES} minutes, and the link with it; an
                       account of that NAME is made when there is none, and refused when a person chose the name
    --person NAME      the member whom this command made under that name (made when there is none); by default the
                       NAME of --account
    --person-id ID     a member of the account instead
    --role ROLE        ${FIXED_ROLES.join(', ')}; a new member is an owner by default, another keeps its role. Only
                       with --person-id it changes the role of a member
    --operator         the person becomes an operator of the installation; a member only with --person-id
  operators            the operators of the installation, and who became one or ceased to be one, when
  revoke-operator PERSON_ID
                       that person is an operator no more, from the next request on
  take-second-factor PERSON_ID
                       for a person who has lost the device and the recovery codes, or the passkeys: the second factor
                       and all passkeys go, all sessions of the person end, and the audit logs of the person's accounts
                       tell it. Make sure first that it is that person who asks
  forget-wrong-codes PERSON_ID
                       for a person whose second factor is blocked by wrong codes: codes are taken again at once
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

type Options = ReturnType<typeof readArguments>['values'];

async function main(): Promise<void> {
  const { values, positionals } = readArguments();
  if (values.help) return print(HELP);
  const [command, argument] = positionals;
  const { name, account, 'account-id': accountId, person, 'person-id': personId } = values;
  if (command === 'create' && isOne(name, accountId)) return withAccounts((accounts) => create(accounts, values));
  if (command === 'list') return withAccounts((accounts) => list(accounts, values));
  if (command === 'revoke' && argument) return withAccounts((accounts) => revoke(accounts, argument));
  if (command === 'operators') return withDatabase((dataSource) => operators(new Operators(dataSource), values));
  if (command === 'revoke-operator' && argument)
    return withDatabase((dataSource) => revokeOperator(new Operators(dataSource), argument));
  if (command === 'take-second-factor' && argument)
    return withDatabase((dataSource) => takeSecondFactor(dataSource, argument));
  if (command === 'forget-wrong-codes' && argument)
    return withDatabase((dataSource) => forgetWrongCodes(dataSource, argument));
  const namesPerson = isOne(person, personId) || (account && !person && !personId);
  if (command === 'sign-in-code' && isOne(account, accountId) && namesPerson)
    return withDatabase((dataSource, config) => signInCode(dataSource, config, values));
  throw new UsageError(command ? `${command} is not complete or not known.` : 'Which command?');
}

/** Whether one of both was given, and not the other. */
function isOne(left: string | undefined, right: string | undefined): boolean {
  return Boolean(left) !== Boolean(right);
}

async function create(accounts: AccountsService, { name, 'account-id': id, json }: Options): Promise<void> {
  const issued = await accounts.issueToken(await (id ? accounts.find(id) : accounts.create(name ?? '')));
  if (json) return print(`${JSON.stringify(issued)}\n`);
  print(
    `Account ${issued.accountName} (${issued.accountId}), token ${issued.tokenId}.\n` +
      `The authToken, shown only now:\n${issued.authToken}\n`,
  );
}

async function list(accounts: AccountsService, { json }: { json?: boolean }): Promise<void> {
  const tokens = await accounts.listTokens();
  if (json) return print(`${JSON.stringify(tokens)}\n`);
  for (const { id, accountId, accountName, name, createdAt, revokedAt } of tokens) {
    const state = revokedAt ? `revoked ${revokedAt.toISOString()}` : 'active';
    print(`${id}  ${createdAt.toISOString()}  ${state}  ${accountId}  ${accountName}  ${name}\n`);
  }
}

async function revoke(accounts: AccountsService, tokenId: string): Promise<void> {
  if (!isUuid(tokenId) || !(await accounts.revokeToken(tokenId)))
    throw new Error(`There is no active token ${tokenId}.`);
  print(`Token ${tokenId} is revoked.\n`);
}

async function operators(known: Operators, { json }: Options): Promise<void> {
  const [list, changes] = [await known.list(), await known.changes()];
  if (json) return print(`${JSON.stringify({ operators: list, changes })}\n`);
  for (const { personId, name } of list) print(`${personId}  ${name}  is an operator\n`);
  for (const { at, personId, name, isOperator } of changes)
    print(
      `${at.toISOString()}  ${personId}  ${name}  ${isOperator ? 'became an operator' : 'ceased to be an operator'}\n`,
    );
}

async function revokeOperator(known: Operators, personId: string): Promise<void> {
  if (!(await known.remove(personId))) throw new Error(`There is no operator ${personId}.`);
  print(`${personId} is an operator no more.\n`);
}

async function takeSecondFactor(dataSource: DataSource, personId: string): Promise<void> {
  const factors = new SecondFactorsRepository(dataSource);
  const people = new PeopleRepository(dataSource);
  const auditLog = new AuditLogRepository(dataSource);
  const wrongCodes = await dataSource.transaction(async (manager) => {
    if (isUuid(personId)) await people.lock(manager, personId);
    const factor = isUuid(personId) ? await factors.find(personId, manager) : null;
    const keys = isUuid(personId) ? await new PasskeysRepository(dataSource).deleteAllOf(manager, personId) : [];
    if (!factor && keys.length === 0)
      throw new Error(`There is no person ${personId} with a second factor or a passkey.`);
    await factors.delete(manager, personId);
    const tries = await factors.forgetTriesOf(manager, personId);
    await new Sessions(dataSource).endAllOf(personId, manager);
    const since = factor?.confirmedAt?.toISOString() ?? null;
    const changes = [
      ...(factor ? [{ subject: 'secondFactor', subjectId: personId.toLowerCase(), before: { since } } as const] : []),
      ...keys.map(({ id, createdAt }) => {
        const before = { addedAt: createdAt.toISOString() };
        return { subject: 'passkey', subjectId: id, before } as const;
      }),
    ];
    for (const { account } of await people.membershipsOf(personId, manager))
      for (const change of changes)
        await auditLog.appendOfAccount(manager, { accountId: account.id }, { ...change, after: null });
    return tries;
  });
  print(`${personId} has no second factor and no passkey any more, and is signed out everywhere.\n`);
  if (wrongCodes > 0) print(warningOf(wrongCodes));
}

async function forgetWrongCodes(dataSource: DataSource, personId: string): Promise<void> {
  const people = new PeopleRepository(dataSource);
  const auditLog = new AuditLogRepository(dataSource);
  const wrongCodes = await dataSource.transaction(async (manager) => {
    const count = isUuid(personId) ? await new SecondFactorsRepository(dataSource).forgetTriesOf(manager, personId) : 0;
    if (count === 0) throw new Error(`No wrong codes of a person ${personId} were tried in the last day.`);
    const change = { before: { wrongCodes: count }, after: { wrongCodes: 0 } };
    const entry = { subject: 'secondFactor', subjectId: personId.toLowerCase(), ...change } as const;
    for (const { account } of await people.membershipsOf(personId, manager))
      await auditLog.appendOfAccount(manager, { accountId: account.id }, entry);
    return count;
  });
  print(warningOf(wrongCodes));
}

const warningOf = (wrongCodes: number): string =>
  `${wrongCodes} wrong codes were tried in the last day, and count no more.\n` +
  'Who tries codes has a first factor. If it was not the person, the key of the wallet, the mailbox or a one-time code ' +
  'is stolen: that has to change first.\n';

async function signInCode(
  dataSource: DataSource,
  { publicUrl }: AccountCommandConfig,
  {
    account: accountName,
    'account-id': accountId,
    person: name,
    'person-id': personId,
    operator,
    json,
    ...of
  }: Options,
): Promise<void> {
  const role = FIXED_ROLES.find((each) => each === of.role);
  if (of.role !== undefined && !role) throw new UsageError(`--role must be one of ${FIXED_ROLES.join(', ')}.`);
  const repository = new AccountsRepository(dataSource);
  const people = new PeopleRepository(dataSource);
  const invitations = new InvitationsRepository(dataSource);
  const auditLog = new AuditLogRepository(dataSource);
  const accounts = new AccountsService(dataSource, repository, auditLog);
  const known = new Operators(dataSource);
  const roles = new RolesRepository(dataSource);
  const memberships = new Memberships(dataSource, repository, people, invitations, auditLog, known, roles);
  const account = await (accountId ? accounts.find(accountId) : accounts.findOrCreate(accountName ?? ''));
  const wish = { name: name ?? accountName ?? '', personId, role, isOperator: operator ?? false };
  const person = await memberships.findOrAdd(account, wish);
  const code = await new SignInCodes(dataSource).issue(person.id);
  // In the fragment, which browsers keep to themselves: no server and no proxy writes it into a log.
  const link = publicUrl ? `${publicUrl}/sign-in#code=${code}` : null;
  if (json) {
    const shown = { accountId: account.id, personId: person.id, personName: person.name, role: person.role };
    return print(`${JSON.stringify({ ...shown, code, link })}\n`);
  }
  print(
    `${person.name} (${person.id}), ${person.role} of the account ${account.name} (${account.id}), ` +
      `signs in once within ${CODE_VALID_MINUTES} minutes.\n` +
      `The code, shown only now:\n${code}\n` +
      (link ? `or the link:\n${link}\n` : 'With PUBLIC_URL, there would be a link to the page here.\n'),
  );
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        ...{ name: { type: 'string' }, account: { type: 'string' }, 'account-id': { type: 'string' } },
        ...{ person: { type: 'string' }, 'person-id': { type: 'string' }, role: { type: 'string' } },
        ...{ operator: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : 'Unknown arguments.');
  }
}

async function withAccounts(use: (accounts: AccountsService) => Promise<void>): Promise<void> {
  await withDatabase((dataSource) =>
    use(new AccountsService(dataSource, new AccountsRepository(dataSource), new AuditLogRepository(dataSource))),
  );
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
