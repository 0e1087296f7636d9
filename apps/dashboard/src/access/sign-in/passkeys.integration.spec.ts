import { randomUUID } from 'node:crypto';
import {
  databaseOf,
  PAGE,
  startDashboard,
  type DashboardUnderTest,
  type TestCall,
} from '../../testing/dashboard-under-test';
import { cookieOf, fromPage, openSession, signedInMember, type TestMember } from '../../testing/people';
import { refusal } from '../../testing/requests';
import { beginSecondFactor, codeOf } from '../../testing/second-factor';
import {
  addPasskey,
  passkeyAnswer,
  SoftwareAuthenticator,
  type Deviations,
} from '../../testing/software-authenticator';
import { MailAddressesRepository } from './mail-addresses.repository';

let dashboard: DashboardUnderTest;
let member: TestMember;
beforeAll(async () => {
  dashboard = await startDashboard();
});
beforeEach(async () => {
  member = await signedInMember(dashboard, randomUUID(), 'owner');
});
afterAll(() => dashboard.stop());

const get = async (path: string, cookie = member.cookie) =>
  dashboard.call({ method: 'GET', path, headers: { cookie, accountId: member.accountId } });
const send = (method: TestCall['method'], path: string, body?: object, cookie = member.cookie) =>
  dashboard.call({ method, path, headers: fromPage(cookie), body });
const signIn = (body: object) =>
  dashboard.call({ method: 'POST', path: '/session/passkey', headers: { origin: PAGE }, body });
const list = async () => (await get('/passkeys')).body.data as unknown as { passkeyId: string; name: string }[];
const newPasskey = async (otherwise: Deviations = {}, authenticator = new SoftwareAuthenticator()) => {
  const { data } = (await get('/passkeys/options')).body;
  return { name: 'a device', ...authenticator.create(data as never, otherwise) };
};
const REFUSED = refusal(
  401,
  'SIGN_IN_REFUSED',
  'The passkey is not known here, or its answer proves nothing or is too old: try again',
);
const NOT_ACCEPTED = { statusCode: 400, message: expect.stringMatching(/^attestationObject cannot be accepted/) };
const SIGN_IN_AGAIN = { statusCode: 403, reason: 'SIGN_IN_AGAIN' };
const OTHERWISE: readonly (readonly [string, Deviations])[] = [
  ['made for another page', { origin: 'https://evil.example' }],
  ['made for a page whose name begins alike', { origin: `${PAGE}.evil.example` }],
  ['kept for another host name', { rpId: 'evil.example' }],
  ['to a challenge that we did not make', { challenge: 'YTFiMmMzZDRlNWY2' }],
  ['without a check of the person', { isVerified: false }],
];

describe('a passkey', () => {
  it.each(['ES256', 'EdDSA'] as const)('of %s is added, and signs its person in', async (algorithm) => {
    const device = await addPasskey(dashboard, member.cookie, new SoftwareAuthenticator(algorithm));
    const answer = await signIn(await passkeyAnswer(dashboard, device));
    expect(answer.body).toMatchObject({
      ...{ statusCode: 200, message: 'Signed in' },
      data: { person: { personId: member.personId }, accounts: [{ accountId: member.accountId, role: 'owner' }] },
    });
    expect((await get('/session', cookieOf(answer))).status).toBe(200);
    expect(await list()).toMatchObject([{ name: 'a device', lastUsedAt: expect.any(String) }]);
  });

  it('is one of several, which have names, and is removed', async () => {
    const [first, second] = [await addPasskey(dashboard, member.cookie), await addPasskey(dashboard, member.cookie)];
    const { data } = (await get('/passkeys/options')).body;
    expect(data).toMatchObject({
      ...{ rpId: 'paymaster.example.org', personId: member.personId },
      credentialIds: [first.credentialId, second.credentialId],
    });
    const [{ passkeyId } = { passkeyId: '' }] = await list();
    const renamed = await send('PATCH', `/passkeys/${passkeyId}`, { name: 'My phone' });
    expect(renamed.body.data).toMatchObject({ passkeyId, name: 'My phone', lastUsedAt: null });

    const stranger = await signedInMember(dashboard, randomUUID(), 'owner');
    const notFound = refusal(404, 'PASSKEY_NOT_FOUND', 'Passkey not found');
    for (const method of ['PATCH', 'DELETE'] as const) {
      const body = method === 'PATCH' ? { name: 'Mine' } : undefined;
      for (const id of [passkeyId, 'x'])
        expect((await send(method, `/passkeys/${id}`, body, stranger.cookie)).body).toEqual(notFound);
    }
    expect((await send('DELETE', `/passkeys/${passkeyId}`)).status).toBe(200);
    expect(await list()).toMatchObject([{ name: 'a device' }]);
    expect((await signIn(await passkeyAnswer(dashboard, first))).body).toEqual(REFUSED);
    expect((await signIn(await passkeyAnswer(dashboard, second))).status).toBe(200);
  });

  it('is in the audit log of each account of its person, without the name of the device', async () => {
    await addPasskey(dashboard, member.cookie);
    const [{ passkeyId } = { passkeyId: '' }] = await list();
    await send('PATCH', `/passkeys/${passkeyId}`, { name: 'My phone' });
    await send('DELETE', `/passkeys/${passkeyId}`);
    const log = (await get('/account/audit-log?subject=passkey')).body.data as unknown as { entries: object[] };
    const of = { subject: 'passkey', subjectId: passkeyId, personId: member.personId, paymasterId: null };
    const state = { addedAt: expect.any(String) };
    expect(log.entries).toMatchObject([
      { ...of, action: 'deleted', before: state, after: null },
      { ...of, action: 'created', before: null, after: state },
    ]);
    expect(JSON.stringify(log)).not.toContain('device');
  });

  it.each(OTHERWISE)('is not added by an answer that was %s', async (_what, otherwise) => {
    expect((await send('POST', '/passkeys', await newPasskey(otherwise))).body).toMatchObject(NOT_ACCEPTED);
    expect(await list()).toEqual([]);
  });

  it.each(OTHERWISE)('signs nobody in by an answer that was %s', async (_what, otherwise) => {
    const device = await addPasskey(dashboard, member.cookie);
    expect((await signIn(await passkeyAnswer(dashboard, device, otherwise))).body).toEqual(REFUSED);
    expect((await signIn(await passkeyAnswer(dashboard, device))).status).toBe(200);
  });

  it('signs in once by an answer, also when it is sent twice at once, and is added once', async () => {
    const body = await newPasskey();
    const added = await Promise.all([send('POST', '/passkeys', body), send('POST', '/passkeys', body)]);
    expect(added.map(({ status }) => status).sort()).toEqual([200, 400]);
    const device = await addPasskey(dashboard, member.cookie);
    const answer = await passkeyAnswer(dashboard, device);
    const both = await Promise.all([signIn(answer), signIn(answer)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await signIn(answer)).body).toEqual(REFUSED);
  });

  it('that counts its uses is refused when it counts back, as a copy of it does', async () => {
    const device = await addPasskey(dashboard, member.cookie, new SoftwareAuthenticator('ES256', 5));
    for (const _ of [1, 2]) expect((await signIn(await passkeyAnswer(dashboard, device))).status).toBe(200);
    device.countBack();
    expect((await signIn(await passkeyAnswer(dashboard, device))).body).toEqual(REFUSED);
    expect((await signIn(await passkeyAnswer(dashboard, device))).status).toBe(200);
  });

  it('is refused with the signature, the name or the person of another', async () => {
    const [device, other] = [await addPasskey(dashboard, member.cookie), await addPasskey(dashboard, member.cookie)];
    const stranger = await signedInMember(dashboard, randomUUID(), 'owner');
    const theirs = await addPasskey(dashboard, stranger.cookie);
    const answer = await passkeyAnswer(dashboard, device);
    for (const changed of [
      { signature: (await passkeyAnswer(dashboard, other)).signature },
      { credentialId: other.credentialId },
      { credentialId: new SoftwareAuthenticator().credentialId },
      { userHandle: (await passkeyAnswer(dashboard, theirs)).userHandle },
      { clientDataJSON: 'bm90IEpTT04' },
      { authenticatorData: 'AA' },
    ])
      expect((await signIn({ ...answer, ...changed })).body).toEqual(REFUSED);
    expect((await signIn({ ...answer, signature: '=' })).body).toMatchObject({
      ...{ statusCode: 400, message: 'signature must be bytes in base64url' },
    });
    expect((await signIn(answer)).status).toBe(200);
  });

  it('is not added to another person by a challenge of this one, nor by one for a sign-in', async () => {
    const stranger = await signedInMember(dashboard, randomUUID(), 'owner');
    expect((await send('POST', '/passkeys', await newPasskey(), stranger.cookie)).body).toMatchObject(NOT_ACCEPTED);
    const { data } = (await dashboard.call({ method: 'GET', path: '/session/passkey' })).body;
    const forSignIn = await newPasskey({ challenge: String(data?.['challenge']) });
    expect((await send('POST', '/passkeys', forSignIn)).body).toMatchObject(NOT_ACCEPTED);
  });

  it('that another person has, or a statement with certificates, is not added', async () => {
    const device = await addPasskey(dashboard, member.cookie);
    const stranger = await signedInMember(dashboard, randomUUID(), 'owner');
    await expect(addPasskey(dashboard, stranger.cookie, device)).rejects.toThrow('This device has its passkey already');
    const x5c = [Buffer.from('3000', 'hex')];
    const statement = { fmt: 'packed', attStmt: new Map<string, never>([['x5c', x5c as never]]) };
    expect((await send('POST', '/passkeys', await newPasskey({ statement }))).body).toMatchObject(NOT_ACCEPTED);
  });

  it('is added and removed within 15 minutes of a sign-in only', async () => {
    await addPasskey(dashboard, member.cookie);
    const [{ passkeyId } = { passkeyId: '' }] = await list();
    const age = (minutes: number) =>
      databaseOf(dashboard).query(
        `UPDATE dashboard.sessions SET created_at = now() - $2 * interval '1 minute' WHERE person_id = $1`,
        [member.personId, minutes],
      );
    await age(16);
    expect((await send('POST', '/passkeys', await newPasskey())).body).toMatchObject(SIGN_IN_AGAIN);
    expect((await send('DELETE', `/passkeys/${passkeyId}`)).body).toMatchObject(SIGN_IN_AGAIN);
    await age(14);
    expect((await send('DELETE', `/passkeys/${passkeyId}`)).status).toBe(200);
  });

  it('guards how its person signs in: a session with a first factor alone changes nothing of it', async () => {
    const thief = await openSession(dashboard, member.personId);
    const { secret } = await beginSecondFactor(dashboard, thief);
    const device = await addPasskey(dashboard, member.cookie);
    const [{ passkeyId } = { passkeyId: '' }] = await list();
    const addresses = dashboard.app.get(MailAddressesRepository, { strict: false });
    const code = await addresses.issueCode(member.personId, `${randomUUID()}@example.org`);
    for (const [method, path, body] of [
      ['POST', '/person/second-factor', {}],
      ['POST', '/person/second-factor/confirm', { code: codeOf(secret) }],
      ['POST', '/passkeys', await newPasskey()],
      ['DELETE', `/passkeys/${passkeyId}`, undefined],
      ['POST', '/person/mail-address/confirm', { code }],
      ['DELETE', '/person/mail-address', undefined],
    ] as const)
      expect((await send(method, path, body, thief)).body).toMatchObject({
        ...SIGN_IN_AGAIN,
        message: 'Sign in with your passkey: only then you can change how you sign in',
      });
    const strong = cookieOf(await signIn(await passkeyAnswer(dashboard, device)));
    expect((await send('POST', '/person/mail-address/confirm', { code }, strong)).status).toBe(200);
    // The session that added it has shown it.
    expect((await send('POST', '/passkeys', await newPasskey())).status).toBe(200);
  });

  it('ends the sessions that passkeys opened when it is removed, but the one that removes it', async () => {
    const device = await addPasskey(dashboard, member.cookie);
    const [{ passkeyId } = { passkeyId: '' }] = await list();
    const opened = async () => cookieOf(await signIn(await passkeyAnswer(dashboard, device)));
    const [elsewhere, here] = [await opened(), await opened()];
    const withCode = await openSession(dashboard, member.personId, 'code');
    expect((await send('DELETE', `/passkeys/${passkeyId}`, undefined, here)).status).toBe(200);
    const statuses = [elsewhere, here, withCode].map(async (cookie) => (await get('/session', cookie)).status);
    expect(await Promise.all(statuses)).toEqual([401, 200, 200]);
  });

  it('is one of at most 20 of a person', async () => {
    await addPasskey(dashboard, member.cookie);
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.passkeys (id, person_id, credential_id, public_key, sign_count, name)
       SELECT gen_random_uuid(), $1, gen_random_uuid()::text, '', 0, 'a device' FROM generate_series(1, 19)`,
      [member.personId],
    );
    expect((await send('POST', '/passkeys', await newPasskey())).body).toMatchObject({ reason: 'LIMIT_REACHED' });
  });
});
