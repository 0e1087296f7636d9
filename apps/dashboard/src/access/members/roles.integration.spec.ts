import { randomUUID } from 'node:crypto';
import { Wallet } from 'ethers';
import { INVITATION_CODE } from '../../platform/crypto/secret-text';
import { RIGHTS, type Right } from '../people/role';
import { databaseOf, startDashboard, type DashboardUnderTest, type TestCall } from '../../testing/dashboard-under-test';
import { fromPage, signedInMember, signInWithWallet, type TestMember } from '../../testing/people';
import { paymasterBody, refusal } from '../../testing/requests';

let dashboard: DashboardUnderTest;
let owner: TestMember;
beforeAll(async () => {
  dashboard = await startDashboard();
});
beforeEach(async () => {
  owner = await signedInMember(dashboard, randomUUID(), 'owner');
});
afterAll(() => dashboard.stop());

const send = (by: TestMember, method: TestCall['method'], path: string, body?: object) =>
  dashboard.call({ method, path, headers: fromPage(by.cookie, by.accountId), body });
const makeRole = async (rights: readonly Right[], name: string = randomUUID(), by = owner): Promise<string> => {
  const { status, body } = await send(by, 'POST', '/roles', { name, rights });
  expect({ status, message: body.message }).toEqual({ status: 200, message: 'Role created' });
  return String(body.data?.['roleId']);
};
/** A member of the account with a role of these rights. */
const memberWith = async (...rights: Right[]): Promise<TestMember & { roleId: string }> => {
  const roleId = await makeRole(rights);
  const member = await signedInMember(dashboard, { id: owner.accountId }, 'viewer');
  expect((await send(owner, 'PATCH', `/members/${member.personId}`, { role: roleId })).status).toBe(200);
  return { ...member, roleId };
};
const MORE_THAN_OWN = refusal(
  403,
  'NOT_ALLOWED',
  'Nobody gives, changes or takes away rights that he does not have himself',
);

describe('a role of the account’s own', () => {
  it('is made, given, shown, changed and removed, and the audit log says so', async () => {
    const name = 'Finance';
    const roleId = await makeRole(['money', 'read'], name);
    const member = await signedInMember(dashboard, { id: owner.accountId }, 'viewer');
    const given = await send(owner, 'PATCH', `/members/${member.personId}`, { role: roleId });
    const grant = { role: roleId, roleName: name, rights: ['read', 'money'] };
    expect(given.body.data).toMatchObject({ personId: member.personId, ...grant });
    const { data: me } = (await send(member, 'GET', '/session')).body;
    expect(me?.['accounts']).toMatchObject([grant]);
    expect((await send(member, 'POST', '/shared-policy', {})).body).toEqual(
      refusal(403, 'NOT_ALLOWED', 'Your role in this account, Finance, does not allow this'),
    );
    expect((await send(member, 'GET', '/members')).status).toBe(403);

    // In force at once.
    const wider = await send(owner, 'PATCH', `/roles/${roleId}`, {
      name: 'Finance and team',
      rights: ['read', 'team'],
    });
    expect(wider.body.data).toMatchObject({ roleId, name: 'Finance and team', rights: ['read', 'team'] });
    expect((await send(member, 'GET', '/members')).status).toBe(200);
    expect((await send(member, 'GET', '/roles')).body.data).toMatchObject([{ roleId, rights: ['read', 'team'] }]);

    const inUse = { statusCode: 400, reason: 'ROLE_IN_USE' };
    expect((await send(owner, 'DELETE', `/roles/${roleId}`)).body).toMatchObject(inUse);
    await send(owner, 'PATCH', `/members/${member.personId}`, { role: 'support' });
    expect((await send(owner, 'DELETE', `/roles/${roleId}`)).status).toBe(200);
    expect((await send(owner, 'PATCH', `/members/${member.personId}`, { role: roleId })).body).toEqual(
      refusal(404, 'ROLE_NOT_FOUND', 'Role not found'),
    );

    const { data } = (await send(owner, 'GET', '/account/audit-log?subject=role')).body;
    expect(data?.['entries']).toMatchObject([
      { action: 'deleted', subjectId: roleId, after: null },
      { action: 'updated', before: { name, rights: ['read', 'money'] }, after: { rights: ['read', 'team'] } },
      { action: 'created', personId: owner.personId, before: null, after: { name, rights: ['read', 'money'] } },
    ]);
    const ofMember = (await send(owner, 'GET', '/account/audit-log?subject=member')).body.data as never;
    expect(JSON.stringify(ofMember)).toContain('"role":"Finance"');
  });

  it('is offered by an invitation, and cannot go while that is open', async () => {
    const roleId = await makeRole(['read', 'policies'], 'Rules');
    const { data } = (await send(owner, 'POST', '/invitations', { role: roleId })).body;
    expect(data).toMatchObject({ role: roleId, roleName: 'Rules' });
    expect((await send(owner, 'DELETE', `/roles/${roleId}`)).body).toMatchObject({ reason: 'ROLE_IN_USE' });
    const guest = await signInWithWallet(dashboard, Wallet.createRandom(), { invitation: String(data?.['code']) });
    expect(guest.body.data?.['accounts']).toMatchObject([{ role: roleId, rights: ['read', 'policies'] }]);
    await databaseOf(dashboard).query(`DELETE FROM dashboard.members WHERE role_id = $1`, [roleId]);
    const again = await send(owner, 'POST', '/invitations', { role: roleId });
    await databaseOf(dashboard).query(`UPDATE dashboard.invitations SET expires_at = now() WHERE role_id = $1`, [
      roleId,
    ]);
    expect(again.status).toBe(200);
    expect((await send(owner, 'DELETE', `/roles/${roleId}`)).status).toBe(200);
  });

  it('of another account is none', async () => {
    const roleId = await makeRole(RIGHTS);
    const stranger = await signedInMember(dashboard, randomUUID(), 'owner');
    const notFound = refusal(404, 'ROLE_NOT_FOUND', 'Role not found');
    expect((await send(stranger, 'PATCH', `/roles/${roleId}`, { name: 'Mine' })).body).toEqual(notFound);
    expect((await send(stranger, 'DELETE', `/roles/${roleId}`)).body).toEqual(notFound);
    expect((await send(stranger, 'POST', '/invitations', { role: roleId })).body).toEqual(notFound);
    const other = await signedInMember(dashboard, { id: stranger.accountId }, 'viewer');
    expect((await send(stranger, 'PATCH', `/members/${other.personId}`, { role: roleId })).body).toEqual(notFound);
  });

  it.each([
    [{ name: 'x', rights: [] }, 'rights'],
    [{ name: 'x', rights: ['god'] }, 'rights must be of read, policies, keys, money, team'],
    [{ name: 'x', rights: ['read', 'read'] }, 'rights'],
    [{ name: 'x', rights: 'read' }, 'rights'],
    [{ name: '', rights: ['read'] }, 'name'],
    [{ name: ' Viewer', rights: ['read'] }, 'name must not be owner, editor, viewer, support'],
    [{ rights: ['read'] }, 'name'],
  ])('is refused as %j, which names the field', async (body, field) => {
    const answer = await send(owner, 'POST', '/roles', body);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(field) } });
  });

  it('has a name that no other role of the account has, and is one of at most 50', async () => {
    await makeRole(['read'], 'Rules');
    const exists = { statusCode: 400, reason: 'ROLE_NAME_EXISTS' };
    expect((await send(owner, 'POST', '/roles', { name: 'Rules', rights: ['read'] })).body).toMatchObject(exists);
    const other = await makeRole(['read'], 'Others');
    expect((await send(owner, 'PATCH', `/roles/${other}`, { name: 'Rules' })).body).toMatchObject(exists);
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.roles (id, account_id, name, rights)
       SELECT gen_random_uuid(), $1, 'role ' || n, '{read}' FROM generate_series(1, 48) n`,
      [owner.accountId],
    );
    expect((await send(owner, 'POST', '/roles', { name: 'One more', rights: ['read'] })).body).toMatchObject({
      reason: 'LIMIT_REACHED',
    });
  });
});

describe('a member who may change the team', () => {
  it.each([
    ['invites nobody to', (by: TestMember) => send(by, 'POST', '/invitations', { role: 'editor' })],
    ['makes no role with', (by: TestMember) => send(by, 'POST', '/roles', { name: 'More', rights: ['read', 'keys'] })],
    ['makes no auth token with', (by: TestMember) => send(by, 'POST', '/auth-tokens', { name: 'a', scope: 'write' })],
    [
      'makes no auth token that reads secrets with',
      (by: TestMember) => send(by, 'POST', '/auth-tokens', { name: 'a', scope: 'read' }),
    ],
    ['gives himself no', (by: TestMember) => send(by, 'PATCH', `/members/${by.personId}`, { role: 'owner' })],
    ['has no support see', (by: TestMember) => send(by, 'PATCH', `/members/${by.personId}`, { role: 'support' })],
    ['takes the role from no owner, who has', (by: TestMember) => send(by, 'DELETE', `/members/${owner.personId}`)],
  ])('%s more than his own rights', async (_what, attempt) => {
    await signedInMember(dashboard, { id: owner.accountId }, 'owner');
    expect((await attempt(await memberWith('read', 'team'))).body).toEqual(MORE_THAN_OWN);
  });

  it('changes no role beyond his own rights, not even his own one, and gives what he has', async () => {
    const member = await memberWith('read', 'team');
    const wider = await makeRole(['read', 'money']);
    expect((await send(member, 'PATCH', `/roles/${member.roleId}`, { rights: [...RIGHTS] })).body).toEqual(
      MORE_THAN_OWN,
    );
    expect((await send(member, 'PATCH', `/roles/${wider}`, { rights: ['read'] })).body).toEqual(MORE_THAN_OWN);
    expect((await send(member, 'DELETE', `/roles/${wider}`)).body).toEqual(MORE_THAN_OWN);
    const reader = await makeRole(['read'], 'Reader', member);
    const { status } = await send(member, 'POST', '/invitations', { role: reader });
    expect(status).toBe(200);
    const viewer = await signedInMember(dashboard, { id: owner.accountId }, 'viewer');
    expect((await send(member, 'PATCH', `/members/${viewer.personId}`, { role: reader })).status).toBe(200);
  });

  it('offers no more what he offered, once his role has other rights', async () => {
    const member = await memberWith('read', 'team', 'policies');
    const role = await makeRole(['read', 'policies'], 'Rules', member);
    const { data } = (await send(member, 'POST', '/invitations', { role })).body;
    await send(owner, 'PATCH', `/roles/${member.roleId}`, { rights: ['read', 'team'] });
    for (const invitation of [String(data?.['code']), INVITATION_CODE.generate()])
      expect((await signInWithWallet(dashboard, Wallet.createRandom(), { invitation })).status).toBe(404);
  });
});

it('who may change policies alone sees no address of a webhook, and neither switches the brake nor sends tokens elsewhere', async () => {
  const token = await dashboard.createToken(randomUUID());
  const { data } = (
    await dashboard.call({ method: 'POST', path: '/paymaster', authToken: token, body: paymasterBody() })
  ).body;
  const keys = { authToken: token, apiKey: String(data?.['apiKey']) };
  const ofToken = (method: TestCall['method'], path: string, body?: object) =>
    dashboard.call({ method, path, ...keys, body });
  const policy = { name: 'Ask us', policyType: 'WEBHOOK', policyData: { url: 'https://asked.example/s3cret-path' } };
  expect((await ofToken('POST', '/paymaster-policy', policy)).status).toBe(200);
  const [{ id: paymasterId, account_id: accountId }] = await databaseOf(dashboard).query(
    'SELECT id, account_id FROM dashboard.paymasters ORDER BY created_at DESC LIMIT 1',
  );
  owner = await signedInMember(dashboard, { id: accountId }, 'owner');
  const member = await memberWith('read', 'policies');
  const headers = { ...fromPage(member.cookie, accountId), paymasterId };
  const ask = (method: TestCall['method'], path: string, body?: object) =>
    dashboard.call({ method, path, headers, body });

  const empty = { formatVersion: 1, policies: [] };
  const compared = await ask('POST', '/paymaster-policy/import?dryRun=true', empty);
  expect(compared.body.data?.['policies']).toMatchObject({
    removed: [{ before: { policyData: { url: 'asked.example' } } }],
  });
  expect(JSON.stringify(compared.body)).not.toContain('s3cret-path');
  const whole = await ofToken('POST', '/paymaster-policy/import?dryRun=true', empty);
  expect(JSON.stringify(whole.body)).toContain('s3cret-path');

  const tokenFeeReceiver = Wallet.createRandom().address;
  for (const settings of [{ spendingBrake: false }, { tokenFeeReceiver }]) {
    const needsMoney = refusal(403, 'NOT_ALLOWED', `Changing ${Object.keys(settings)[0]} needs the right money`);
    expect((await ask('PATCH', '/paymaster-settings', settings)).body).toEqual(needsMoney);
  }
  const withoutBrake = await ask('POST', '/paymaster-policy/import', { ...empty, settings: { spendingBrake: false } });
  expect(withoutBrake.body).toMatchObject({ statusCode: 403, reason: 'NOT_ALLOWED' });
  expect(
    (await ask('PATCH', '/paymaster-settings', { spendingBrake: true, sponsorNativeTransfers: true })).status,
  ).toBe(200);
  expect((await ofToken('PATCH', '/paymaster-settings', { spendingBrake: false, tokenFeeReceiver })).status).toBe(200);
});

it('who may change money alone links the wallet, and is answered no API key', async () => {
  const token = await dashboard.createToken(randomUUID());
  const { data } = (
    await dashboard.call({ method: 'POST', path: '/paymaster', authToken: token, body: paymasterBody() })
  ).body;
  const keys = { authToken: token, apiKey: String(data?.['apiKey']) };
  const [{ id: paymasterId, account_id: accountId }] = await databaseOf(dashboard).query(
    'SELECT id, account_id FROM dashboard.paymasters ORDER BY created_at DESC LIMIT 1',
  );
  owner = await signedInMember(dashboard, { id: accountId }, 'owner');
  const member = await memberWith('money');
  const headers = { ...fromPage(member.cookie, accountId), paymasterId };
  const ask = (method: TestCall['method'], path: string, body?: object) =>
    dashboard.call({ method, path, headers, body });
  const { fundingMessage } = (await ask('GET', '/funding-message')).body.data as { fundingMessage: string };
  const wallet = Wallet.createRandom();
  const body = { paymasterId, type: 'paymasterFundingId', address: wallet.address };
  const answer = await ask('PATCH', '/paymaster', { ...body, signature: await wallet.signMessage(fundingMessage) });
  expect(answer.body).toEqual({ statusCode: 200, message: 'Paymaster updated successfully' });
  expect((await dashboard.call({ method: 'GET', path: '/paymaster', ...keys })).status).toBe(200);
  expect((await ask('GET', '/paymaster')).status).toBe(403);
});

it('who may change policies alone is shown no whole URL by a change', async () => {
  const { apiKey } = (await send(owner, 'POST', '/paymaster', paymasterBody())).body.data as { apiKey: string };
  const [{ id: paymasterId }] = await databaseOf(dashboard).query(
    'SELECT id FROM dashboard.paymasters WHERE account_id = $1',
    [owner.accountId],
  );
  expect(apiKey).toBeDefined();
  const headers = (by: TestMember) => ({ ...fromPage(by.cookie, by.accountId), paymasterId });
  const policy = { name: 'Asked', policyType: 'WEBHOOK', policyData: { url: 'https://hooks.example.org/secret' } };
  const made = await dashboard.call({
    method: 'POST',
    path: '/paymaster-policy',
    headers: headers(owner),
    body: policy,
  });
  const path = `/paymaster-policy/${String(made.body.data?.['_id'])}`;
  const member = await memberWith('read', 'policies');
  const renamed = await dashboard.call({ method: 'PATCH', path, headers: headers(member), body: { name: 'Renamed' } });
  expect(renamed.body.data).toMatchObject({ name: 'Renamed', policyData: { url: 'hooks.example.org' } });
});
