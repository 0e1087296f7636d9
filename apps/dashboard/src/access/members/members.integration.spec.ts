import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Wallet } from 'ethers';
import { AccountsRepository } from '../accounts/accounts.repository';
import { AccountsService } from '../accounts/accounts.service';
import { INVITATION_CODE } from '../../platform/crypto/secret-text';
import { AccountTurns } from '../callers/account-turns';
import { Memberships } from '../people/memberships';
import { FIXED_ROLES, type Role } from '../people/role';
import {
  databaseOf,
  startDashboard,
  type DashboardUnderTest,
  type TestAnswer,
  type TestCall,
} from '../../testing/dashboard-under-test';
import {
  cookieOf,
  fromPage,
  openSession,
  signedInMember,
  signInWithWallet,
  type TestMember,
  type TestPerson,
} from '../../testing/people';
import { paymasterBody, paymasterIdOf, refusal } from '../../testing/requests';

let dashboard: DashboardUnderTest;
let owner: TestMember;
beforeAll(async () => {
  dashboard = await startDashboard({ env: { SIGN_UP: 'open' } });
});
beforeEach(async () => {
  owner = await signedInMember(dashboard, `account ${randomUUID()}`, 'owner');
});
afterAll(() => dashboard.stop());

const send = (by: TestPerson & { accountId?: string }, method: TestCall['method'], path: string, body?: object) =>
  dashboard.call({ method, path, headers: fromPage(by.cookie, by.accountId), body });
const dataOf = ({ status, body }: TestAnswer) => (expect({ status, body }).toMatchObject({ status: 200 }), body.data!);
const join = async (role: Role): Promise<TestMember> => {
  const [account] = await databaseOf(dashboard).query('SELECT name FROM dashboard.accounts WHERE id = $1', [
    owner.accountId,
  ]);
  return signedInMember(dashboard, String(account.name), role);
};
const visitor = async (): Promise<TestPerson> => {
  const answer = await signInWithWallet(dashboard, Wallet.createRandom());
  const { personId } = dataOf(answer)['person'] as { personId: string };
  return { personId, cookie: cookieOf(answer) };
};
const logOfAccount = (accountId: string): Promise<Record<string, unknown>[]> =>
  databaseOf(dashboard).query(
    `SELECT subject, subject_id AS "subjectId", action, before, after, person_id AS "personId", paymaster_id, version,
            token_id_prefix FROM dashboard.audit_log WHERE account_id = $1 ORDER BY id`,
    [accountId],
  );

describe('members', () => {
  it('are listed with their roles, change them, and go', async () => {
    const editor = await join('editor');
    const list = dataOf(await send(owner, 'GET', '/members')) as unknown as object[];
    expect(list).toMatchObject([
      { personId: owner.personId, role: 'owner', walletAddress: null },
      { personId: editor.personId, role: 'editor' },
    ]);
    const changed = await send(owner, 'PATCH', `/members/${editor.personId}`, { role: 'viewer' });
    expect(dataOf(changed)).toMatchObject({ personId: editor.personId, role: 'viewer' });
    expect((await send(editor, 'POST', '/shared-policy', {})).status).toBe(403);
    expect((await send(owner, 'DELETE', `/members/${editor.personId}`)).status).toBe(200);
    expect((await send(editor, 'GET', '/shared-policy')).body).toEqual(
      refusal(404, 'ACCOUNT_NOT_FOUND', 'Account not found'),
    );
    expect(await logOfAccount(owner.accountId)).toMatchObject([
      { subject: 'member', action: 'created', subjectId: owner.personId, personId: null, after: { role: 'owner' } },
      { subject: 'member', action: 'created', subjectId: editor.personId, personId: null },
      {
        ...{ subject: 'member', action: 'updated', subjectId: editor.personId, personId: owner.personId },
        ...{ before: { role: 'editor' }, after: { role: 'viewer' }, paymaster_id: null, version: null },
      },
      { subject: 'member', action: 'deleted', subjectId: editor.personId, before: { role: 'viewer' }, after: null },
    ]);
  });

  it('are never without an owner, also when the last two leave at once', async () => {
    const lastOwner = refusal(
      400,
      'LAST_OWNER',
      'An account keeps at least one owner: make another member an owner first',
    );
    expect((await send(owner, 'DELETE', `/members/${owner.personId}`)).body).toEqual(lastOwner);
    expect((await send(owner, 'PATCH', `/members/${owner.personId}`, { role: 'editor' })).body).toEqual(lastOwner);
    const second = await join('owner');
    const both = await Promise.all([owner, second].map((each) => send(each, 'DELETE', `/members/${each.personId}`)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  it('of another account, and ids that are none, are not found', async () => {
    const stranger = await signedInMember(dashboard, randomUUID(), 'viewer');
    for (const personId of [stranger.personId, randomUUID(), 'x']) {
      const answers = [
        await send(owner, 'DELETE', `/members/${personId}`),
        await send(owner, 'PATCH', `/members/${personId}`, { role: 'owner' }),
      ];
      for (const { body } of answers) expect(body).toEqual(refusal(404, 'MEMBER_NOT_FOUND', 'Member not found'));
    }
  });

  it('have a role that exists', async () => {
    const answer = await send(owner, 'PATCH', `/members/${owner.personId}`, { role: 'god' });
    expect(answer.body).toMatchObject({
      ...{
        statusCode: 400,
        message: `role must be one of ${FIXED_ROLES.join(', ')}, or the id of a role of the account`,
      },
    });
  });
});

describe('an invitation', () => {
  it('makes the first person who shows its code a member', async () => {
    const created = dataOf(await send(owner, 'POST', '/invitations', { role: 'support', name: 'Ada' }));
    expect(created).toMatchObject({ role: 'support', name: 'Ada', code: expect.stringMatching(/^pm_invite_/) });
    const { code, ...shown } = created;
    expect(dataOf(await send(owner, 'GET', '/invitations'))).toEqual([shown]);
    const days = (Date.parse(String(shown['expiresAt'])) - Date.parse(String(shown['createdAt']))) / 86_400_000;
    expect(days).toBeCloseTo(7, 3);

    const [ada, eve] = [await visitor(), await visitor()];
    const both = await Promise.all([ada, eve].map((each) => send(each, 'POST', '/invitations/accept', { code })));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
    const winner = both[0]?.status === 200 ? ada : eve;
    const { accountId } = owner;
    const me = dataOf(await send(winner, 'GET', '/session'));
    expect(me['accounts']).toMatchObject([{ accountId, role: 'support' }]);
    expect(dataOf(await send(owner, 'GET', '/invitations'))).toEqual([]);
    expect((await logOfAccount(accountId)).slice(1)).toMatchObject([
      { subject: 'invitation', action: 'created', personId: owner.personId, after: { role: 'support', name: 'Ada' } },
      { subject: 'member', action: 'created', personId: winner.personId, subjectId: winner.personId },
      { subject: 'invitation', action: 'deleted', personId: winner.personId },
    ]);
  });

  it.each([
    ['was withdrawn', (id: unknown) => send(owner, 'DELETE', `/invitations/${String(id)}`)],
    [
      'is seven days old',
      (id: unknown) =>
        databaseOf(dashboard).query('UPDATE dashboard.invitations SET expires_at = now() WHERE id = $1', [id]),
    ],
  ])('is worth nothing when it %s', async (_when, end) => {
    const { code, invitationId } = dataOf(await send(owner, 'POST', '/invitations', { role: 'viewer' }));
    await end(invitationId);
    const notFound = refusal(
      404,
      'INVITATION_NOT_FOUND',
      'Invitation not found: it is unknown, accepted, withdrawn or too old',
    );
    const guest = await visitor();
    expect((await send(guest, 'POST', '/invitations/accept', { code })).body).toEqual(notFound);
    const made = { code: INVITATION_CODE.generate() };
    expect((await send(guest, 'POST', '/invitations/accept', made)).body).toEqual(notFound);
    expect((await send(owner, 'DELETE', `/invitations/${String(invitationId)}`)).body).toEqual(notFound);
    expect(dataOf(await send(owner, 'GET', '/invitations'))).toEqual([]);
  });

  it.each([
    ['is an owner no more', (id: string) => send(owner, 'PATCH', `/members/${id}`, { role: 'viewer' })],
    ['is a member no more', (id: string) => send(owner, 'DELETE', `/members/${id}`)],
  ])('is worth nothing when the owner who made it %s', async (_when, end) => {
    const maker = await join('owner');
    const { code } = dataOf(await send(maker, 'POST', '/invitations', { role: 'owner' }));
    expect((await end(maker.personId)).status).toBe(200);
    for (const guest of [maker, await visitor()]) {
      const answer = await send(guest, 'POST', '/invitations/accept', { code });
      expect(answer.body).toMatchObject({ statusCode: 404, reason: 'INVITATION_NOT_FOUND' });
    }
  });

  it('is left for another person by a member of the account', async () => {
    const { code } = dataOf(await send(owner, 'POST', '/invitations', { role: 'viewer' }));
    expect((await send(owner, 'POST', '/invitations/accept', { code })).body).toEqual(
      refusal(409, 'ALREADY_MEMBER', 'You are a member of this account already'),
    );
    expect((await send(await visitor(), 'POST', '/invitations/accept', { code })).status).toBe(200);
  });

  it('lies in the database without its code', async () => {
    const { code } = dataOf(await send(owner, 'POST', '/invitations', { role: 'viewer' }));
    const rows = await databaseOf(dashboard).query(
      `SELECT to_json(i)::text FROM dashboard.invitations i UNION ALL SELECT to_json(a)::text FROM dashboard.audit_log a`,
    );
    expect(JSON.stringify(rows)).not.toContain(String(code).slice(10, 53));
  });
});

describe('an account', () => {
  it('is made by a person, who is its owner, and renamed', async () => {
    const person = await visitor();
    const name = `account ${randomUUID()}`;
    const account = dataOf(await send(person, 'POST', '/account', { name }));
    expect(account).toEqual({
      ...{ accountId: expect.any(String), name, role: 'owner', roleName: 'owner' },
      rights: ['read', 'policies', 'keys', 'money', 'team'],
    });
    const exists = refusal(400, 'ACCOUNT_NAME_EXISTS', 'Account name already exists');
    expect((await send(person, 'POST', '/account', { name })).body).toEqual(exists);
    const asOwner = { ...person, accountId: String(account['accountId']) };
    expect((await send({ ...owner }, 'PATCH', '/account', { name })).body).toEqual(exists);
    expect(dataOf(await send(asOwner, 'PATCH', '/account', { name: `${name} 2` }))).toEqual({
      ...{ accountId: asOwner.accountId, name: `${name} 2` },
    });
    expect(await logOfAccount(asOwner.accountId)).toMatchObject([
      { subject: 'account', action: 'created', personId: person.personId, after: { name } },
      { subject: 'member', action: 'created', personId: person.personId, after: { role: 'owner' } },
      { subject: 'account', action: 'updated', before: { name }, after: { name: `${name} 2` } },
    ]);
  });

  it('is not made by a person who is in 20 accounts, also when two are asked for at once', async () => {
    const person = await visitor();
    await databaseOf(dashboard).query(
      `WITH made AS (INSERT INTO dashboard.accounts (id, name)
                     SELECT gen_random_uuid(), gen_random_uuid()::text FROM generate_series(1, 19) RETURNING id)
       INSERT INTO dashboard.members (account_id, person_id, role) SELECT id, $1, 'viewer' FROM made`,
      [person.personId],
    );
    const make = () => send(person, 'POST', '/account', { name: randomUUID() });
    const both = await Promise.all([make(), make()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(both.find(({ status }) => status === 400)?.body).toMatchObject({ reason: 'LIMIT_REACHED' });
  });

  it('is not made where the operator lets people in by invitation only', async () => {
    const closed = await startDashboard();
    try {
      const { cookie } = await signedInMember(closed, 'account', 'owner');
      const call = { method: 'POST', path: '/account', headers: fromPage(cookie), body: { name: 'mine' } } as const;
      expect((await closed.call(call)).body).toEqual(
        refusal(403, 'SIGN_UP_BY_INVITATION', 'This installation takes new people and accounts by invitation only'),
      );
    } finally {
      await closed.stop();
    }
  });
});

describe('a person', () => {
  it('changes the name that other members see', async () => {
    expect(dataOf(await send(owner, 'PATCH', '/person', { name: ' Ada ' }))).toMatchObject({ name: 'Ada' });
    expect(dataOf(await send(owner, 'GET', '/members'))).toMatchObject([{ name: 'Ada' }]);
    expect((await send(owner, 'PATCH', '/person', { name: 'A\u202eda' })).status).toBe(400);
  });
});

describe('the operator’s command', () => {
  const accounts = () => dashboard.app.get(AccountsService);
  const member = (wish: Partial<Parameters<Memberships['findOrAdd']>[1]>) => {
    const memberships = dashboard.app.get(Memberships, { strict: false });
    return memberships.findOrAdd({ id: owner.accountId }, { name: 'Ada', isOperator: false, ...wish });
  };

  it('takes an account that it made by its name, and makes no second one', async () => {
    const name = randomUUID();
    const made = await accounts().create(`  ${name} `);
    expect(await accounts().findOrCreate(name)).toEqual(made);
    await expect(accounts().create(name)).rejects.toThrow(`The name ${name} is taken by the account ${made.id}`);
    await expect(accounts().find(randomUUID())).rejects.toThrow('There is no account');
  });

  it('does not take an account by a name that a person chose', async () => {
    const [made, renamed] = [randomUUID(), randomUUID()];
    const person = await visitor();
    const { accountId } = dataOf(await send(person, 'POST', '/account', { name: made }));
    await send(owner, 'PATCH', '/account', { name: renamed });
    for (const [name, id] of [
      [made, String(accountId)],
      [renamed, owner.accountId],
    ] as const) {
      const warning = 'A person chose this name on the page: the account may be a stranger’s.';
      await expect(accounts().create(name)).rejects.toThrow(warning);
      await expect(accounts().findOrCreate(name)).rejects.toThrow(warning);
      expect(await accounts().find(id)).toMatchObject({ id, name });
    }
  });

  it('knows a member by the name that it gave, not by one that the person took', async () => {
    const eve = await member({ name: 'Eve', role: 'viewer' });
    const cookie = await openSession(dashboard, eve.id);
    await send({ cookie, personId: eve.id }, 'PATCH', '/person', { name: 'Ada' });
    const ada = await member({ role: 'owner' });
    expect(ada.id).not.toBe(eve.id);
    expect(await member({})).toEqual({ ...ada, role: 'owner' });
    expect(await member({ name: 'Eve' })).toEqual({ id: eve.id, name: 'Ada', role: 'viewer' });
  });

  it('changes what a member may do by id only', async () => {
    const { id } = await member({ role: 'viewer' });
    for (const more of [{ role: 'owner' as const }, { isOperator: true }]) {
      await expect(member(more)).rejects.toThrow(`Ada is the member ${id} already, with the role viewer.`);
    }
    const byId = { personId: id.toUpperCase(), role: 'editor', isOperator: true } as const;
    expect(await member(byId)).toEqual({ id, name: 'Ada', role: 'editor' });
    expect(await member({ isOperator: true })).toMatchObject({ id, role: 'editor' });
    const stranger = await signedInMember(dashboard, randomUUID(), 'owner');
    await expect(member({ personId: stranger.personId })).rejects.toThrow('has no member');
  });
});

describe('a request that waits for its turn', () => {
  const document = { formatVersion: 1, policies: [] };
  /** An import, which every caller waits for; it starts when the account's turn that is taken here ends. */
  async function sendLate(headers: Record<string, string>, meanwhile: () => Promise<unknown>): Promise<TestAnswer> {
    const turns = dashboard.app.get(AccountTurns);
    const { accountId } = owner;
    const response = { req: { socket: new EventEmitter() } } as unknown as ServerResponse;
    const endTurn = await turns.begin({ accountId, bytes: 0, response: Object.assign(new EventEmitter(), response) });
    const begin = jest.spyOn(turns, 'begin');
    const isWaiting = new Promise((resolve) =>
      begin.mockImplementationOnce((request) => {
        const turn = AccountTurns.prototype.begin.call(turns, request);
        resolve(undefined);
        return turn;
      }),
    );
    const answer = dashboard.call({ method: 'POST', path: '/paymaster-policy/import', headers, body: document });
    await isWaiting;
    await meanwhile();
    endTurn(0);
    return answer;
  }

  const versionOf = async (paymasterId: string): Promise<unknown> =>
    databaseOf(dashboard).query('SELECT policy_version FROM dashboard.paymasters WHERE id = $1', [paymasterId]);

  it.each([
    [
      '401 when its token was revoked',
      401,
      async () => {
        const made = dataOf(await send(owner, 'POST', '/auth-tokens', { name: 'CI', scope: 'write' }));
        const end = () => send(owner, 'DELETE', `/auth-tokens/${String(made['tokenId'])}`);
        return { headers: { authtoken: String(made['authToken']) }, end };
      },
    ],
    [
      '401 when its session was ended',
      401,
      async () => {
        const { cookie, personId } = await join('editor');
        return {
          headers: fromPage(cookie, owner.accountId),
          end: () => send({ cookie, personId }, 'DELETE', '/session'),
        };
      },
    ],
    [
      '403 when its role was taken away',
      403,
      async () => {
        const { cookie, personId } = await join('editor');
        const end = () => send(owner, 'PATCH', `/members/${personId}`, { role: 'viewer' });
        return { headers: fromPage(cookie, owner.accountId), end };
      },
    ],
  ] as const)('is answered %s meanwhile, and changes nothing', async (_what, status, caller) => {
    const apiKey = String(dataOf(await send(owner, 'POST', '/paymaster', paymasterBody()))['apiKey']);
    const paymasterId = await paymasterIdOf(dashboard, { apiKey });
    const { headers, end } = await caller();
    const before = await versionOf(paymasterId);
    expect((await sendLate({ ...headers, paymasterid: paymasterId }, end)).status).toBe(status);
    expect(await versionOf(paymasterId)).toEqual(before);
    const next = await dashboard.call({
      ...{ method: 'POST', path: '/paymaster-policy/import', body: document },
      headers: { ...fromPage(owner.cookie, owner.accountId), paymasterid: paymasterId },
    });
    expect(next.status).toBe(200);
  });
});

describe('an owner whose role is taken away', () => {
  it.each([
    ['gives himself no role back', (by: TestMember) => send(by, 'PATCH', `/members/${by.personId}`, { role: 'owner' })],
    ['removes nobody', (by: TestMember) => send(by, 'DELETE', `/members/${owner.personId}`)],
    ['invites nobody', (by: TestMember) => send(by, 'POST', '/invitations', { role: 'owner' })],
    ['makes no token', (by: TestMember) => send(by, 'POST', '/auth-tokens', { name: 'CI', scope: 'write' })],
    ['renames nothing', (by: TestMember) => send(by, 'PATCH', '/account', { name: randomUUID() })],
  ])('%s by a request that was let in before', async (_what, request) => {
    const second = await join('owner');
    await join('owner');
    const database = databaseOf(dashboard);
    const state = () =>
      database.query(
        `SELECT (SELECT json_agg(m ORDER BY m.person_id) FROM dashboard.members m WHERE m.account_id = $1) AS members,
                (SELECT count(*) FROM dashboard.invitations WHERE account_id = $1) AS invitations,
                (SELECT count(*) FROM dashboard.auth_tokens WHERE account_id = $1) AS tokens,
                (SELECT name FROM dashboard.accounts WHERE id = $1)`,
        [owner.accountId],
      );
    const lock = jest.spyOn(dashboard.app.get(AccountsRepository, { strict: false }), 'lock');
    const demoting = database.createQueryRunner();
    await demoting.startTransaction();
    await demoting.query('SELECT FROM dashboard.accounts WHERE id = $1 FOR UPDATE', [owner.accountId]);
    const isLocking = new Promise((resolve) =>
      lock.mockImplementationOnce((manager, accountId) => {
        const locked = AccountsRepository.prototype.lock.call(undefined, manager, accountId);
        resolve(undefined);
        return locked;
      }),
    );
    const answer = request(second);
    await isLocking;
    await demoting.query(`UPDATE dashboard.members SET role = 'viewer' WHERE person_id = $1`, [second.personId]);
    await demoting.commitTransaction();
    await demoting.release();
    const after = await state();
    expect((await answer).body).toMatchObject({ statusCode: 403, reason: 'NOT_ALLOWED' });
    expect(await state()).toEqual(after);
  });
});
