import { randomUUID } from 'node:crypto';
import { Wallet } from 'ethers';
import { MAX_SESSIONS } from '../people/sessions';
import { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import { RateLimits } from '../../platform/http/rate-limits';
import { SignInCodes } from '../people/sign-in-codes';
import {
  databaseOf,
  PAGE,
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
} from '../../testing/people';
import { paymasterBody, refusal } from '../../testing/requests';
import { addSecondFactor, beginSecondFactor, codeOf, confirmSecondFactor } from '../../testing/second-factor';
import { addPasskey, passkeyAnswer } from '../../testing/software-authenticator';

let dashboard: DashboardUnderTest;
let member: TestMember;
beforeAll(async () => (dashboard = await startDashboard({ env: { SIGN_UP: 'open' } })));
beforeEach(async () => (member = await signedInMember(dashboard, randomUUID(), 'owner')));
afterAll(() => dashboard.stop());

const FACTOR = '/person/second-factor';
const send = (method: TestCall['method'], path: string, cookie = member.cookie, body?: object) =>
  dashboard.call({ method, path, headers: fromPage(cookie, member.accountId), body });
const WRONG = { statusCode: 400, message: 'code is wrong, spent or too old' };
const REFUSED = { statusCode: 401, reason: 'SIGN_IN_REFUSED' };
const WAITS = refusal(401, 'SECOND_FACTOR_REQUIRED', 'You are not signed in yet: give a code of your second factor');

/** The first step of a sign-in, by a code of the operator. */
async function signIn(headers: Record<string, string> = { origin: PAGE }): Promise<TestAnswer> {
  const code = await dashboard.app.get(SignInCodes, { strict: false }).issue(member.personId);
  return dashboard.call({ method: 'POST', path: '/session/code', headers, body: { code } });
}
/** @returns the cookie of a session that waits for a code */
const waiting = async (): Promise<string> => cookieOf(await signIn());
const complete = (cookie: string, code: string) => send('POST', '/session/second-factor', cookie, { code });
const sessionOf = async (cookie: string) => (await send('GET', '/session', cookie)).status;
const age = (table: string, column: string, seconds: number) =>
  databaseOf(dashboard).query(
    `UPDATE dashboard.${table} SET ${column} = ${column} - $1 * interval '1 second' WHERE person_id = $2`,
    [seconds, member.personId],
  );
const logged = async (cookie = member.cookie) =>
  (await send('GET', '/account/audit-log?subject=secondFactor', cookie)).body.data?.['entries'] as object[];

describe('a sign-in of a person with a second factor', () => {
  it('waits for a code, reads and changes nothing until then, and goes on under another cookie', async () => {
    const { secret } = await addSecondFactor(dashboard, member.cookie);
    const first = await signIn();
    expect(first.body).toEqual(WAITS);
    const cookie = cookieOf(first);
    for (const [method, path, sent] of [
      ...['/session', '/sessions', '/members', '/passkeys', FACTOR, '/paymaster', '/events', '/operator/chains'].map(
        (path) => ['GET', path, undefined] as const,
      ),
      ['PATCH', '/person', { name: 'Eve' }],
      ['DELETE', '/sessions', undefined],
      ['POST', FACTOR, {}],
      ['DELETE', FACTOR, { code: codeOf(secret) }],
      ['POST', '/account', { name: randomUUID() }],
      ['POST', '/invitations/accept', { code: 'x' }],
    ] as const) {
      const { body } = await send(method, path, cookie, sent);
      expect(body).toMatchObject({ statusCode: 401, message: WAITS.message });
      expect(Object.keys(body)).not.toContain('data');
    }
    const answer = await complete(cookie, ` ${codeOf(secret).slice(0, 3)} ${codeOf(secret).slice(3)}`);
    expect(answer.body.data).toMatchObject({ person: { personId: member.personId } });
    expect(cookieOf(answer)).toMatch(/^__Host-paymaster-session=pm_session_/);
    expect(cookieOf(answer)).not.toBe(cookie);
    expect([await sessionOf(cookie), await sessionOf(cookieOf(answer))]).toEqual([401, 200]);
    expect((await complete(cookieOf(answer), codeOf(secret, 1))).body).toMatchObject({
      ...REFUSED,
      message: 'This session waits for no code',
    });
  });

  it('can be given up, and ends by itself after ten minutes', async () => {
    await addSecondFactor(dashboard, member.cookie);
    const cookie = await waiting();
    expect((await send('DELETE', '/session', cookie)).status).toBe(200);
    expect((await complete(cookie, '000000')).body).toMatchObject({ reason: 'NOT_SIGNED_IN' });
    const late = await waiting();
    await age('sessions', 'expires_at', 600);
    expect((await complete(late, '000000')).body).toMatchObject({ reason: 'NOT_SIGNED_IN' });
  });

  it('counts a code once: in one of two sessions that send it at once, and in none later', async () => {
    const { secret, recoveryCodes } = await addSecondFactor(dashboard, member.cookie);
    const [left, right, third] = [await waiting(), await waiting(), await waiting()];
    for (const code of [codeOf(secret, 1), recoveryCodes[0] ?? '']) {
      const [one, two] = [await waiting(), await waiting()];
      const both = await Promise.all([complete(one, code), complete(two, code)]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
      expect((await complete(third, code)).body).toMatchObject(REFUSED);
    }
    // Nor does one of a step before: somebody may have seen it over a shoulder.
    await age('second_factor_tries', 'at', 901);
    expect((await complete(left, codeOf(secret))).body).toMatchObject(REFUSED);
    expect((await complete(right, (recoveryCodes[1] ?? '').toUpperCase())).status).toBe(200);
  });

  it('is refused by the code with which the device was added, and by codes of another person and of another time', async () => {
    const { secret } = await addSecondFactor(dashboard, member.cookie);
    const other = await signedInMember(dashboard, randomUUID(), 'owner');
    const { recoveryCodes, ...stranger } = await addSecondFactor(dashboard, other.cookie);
    for (const code of [codeOf(secret, -1), codeOf(secret, 3), codeOf(stranger.secret), recoveryCodes[0] ?? ''])
      expect((await complete(await waiting(), code)).body).toMatchObject(REFUSED);
  });

  it('takes five wrong codes in a quarter of an hour and 20 in a day, however many sessions send them', async () => {
    const { secret, recoveryCodes } = await addSecondFactor(dashboard, member.cookie);
    const cookies = await Promise.all(Array.from({ length: 12 }, waiting));
    const answers = await Promise.all(cookies.map((cookie) => complete(cookie, '000000')));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(5).fill(401), ...Array(7).fill(429)]);
    const blocked = await complete(await waiting(), codeOf(secret));
    expect(blocked.body).toMatchObject({
      ...{ statusCode: 429, reason: 'TOO_MANY_CODES', message: 'Too many wrong codes: try again in 15 minutes' },
    });
    expect(Number(blocked.headers['retry-after'])).toBeGreaterThan(800);
    expect((await send('DELETE', FACTOR, member.cookie, { code: codeOf(secret) })).status).toBe(429);
    // Nobody guesses 80 bits: so who has the first factor alone cannot keep out who has a recovery code.
    for (let tried = 0; tried < 6; tried++)
      expect((await complete(await waiting(), 'abcd-efgh-ijkm-npqr')).body).toMatchObject(REFUSED);
    expect((await complete(await waiting(), recoveryCodes[0] ?? '')).status).toBe(200);

    for (let round = 0; round < 3; round++) {
      await age('second_factor_tries', 'at', 901);
      for (let tried = 0; tried < 5; tried++)
        expect((await complete(await waiting(), '000000')).body).toMatchObject(REFUSED);
    }
    await age('second_factor_tries', 'at', 901);
    expect((await complete(await waiting(), codeOf(secret))).body.message).toMatch(
      /^Too many .* again in 2[34] hours$/,
    );
    await age('second_factor_tries', 'at', 86_400);
    const wait = await waiting();
    expect((await complete(wait, '000000')).status).toBe(401);
    // A right one does not count.
    for (let tried = 0; tried < 2; tried++) await complete(await waiting(), codeOf(secret, tried));
    const [{ count }] = await databaseOf(dashboard).query(
      `SELECT count(*)::int FROM dashboard.second_factor_tries WHERE person_id = $1 AND at > now() - interval '1 hour'`,
      [member.personId],
    );
    expect(count).toBe(1);
  });

  it('uses up no try by a code that the server cannot check', async () => {
    const { secret } = await addSecondFactor(dashboard, member.cookie);
    const vault = jest.spyOn(dashboard.app.get(ApiKeyVault, { strict: false }), 'decrypt');
    vault.mockImplementation(() => {
      throw new Error('the key is not there');
    });
    const cookie = await waiting();
    for (let tried = 0; tried < 6; tried++) expect((await complete(cookie, '000000')).status).toBe(500);
    vault.mockRestore();
    expect((await complete(cookie, codeOf(secret))).status).toBe(200);
  });

  it('that waits counts for its address, and spends none of the requests of its person', async () => {
    const { secret } = await addSecondFactor(dashboard, member.cookie);
    const cookie = await waiting();
    const recognized = jest.spyOn(dashboard.app.get(RateLimits, { strict: false }), 'recognize');
    await complete(cookie, '000000');
    await sessionOf(cookie);
    expect(recognized).not.toHaveBeenCalled();
    await sessionOf(cookieOf(await complete(cookie, codeOf(secret))));
    expect(recognized).toHaveBeenCalledTimes(1);
    recognized.mockRestore();
  });

  it('with a passkey needs no code', async () => {
    await addSecondFactor(dashboard, member.cookie);
    const device = await addPasskey(dashboard, member.cookie);
    const body = await passkeyAnswer(dashboard, device);
    const answer = await dashboard.call({ method: 'POST', path: '/session/passkey', headers: { origin: PAGE }, body });
    expect(answer.body.data).toMatchObject({ person: { personId: member.personId } });
  });

  it('with a wallet accepts no invitation before the code', async () => {
    const wallet = Wallet.createRandom();
    const cookie = cookieOf(await signInWithWallet(dashboard, wallet));
    await addSecondFactor(dashboard, cookie);
    const { code } = (await send('POST', '/invitations', member.cookie, { role: 'viewer' })).body.data as {
      code: string;
    };
    expect((await signInWithWallet(dashboard, wallet, { invitation: code })).body).toEqual(WAITS);
    expect((await send('GET', '/members')).body.data).toHaveLength(1);
    expect((await send('POST', '/invitations/accept', cookie, { code })).status).toBe(200);
  });

  it('ends no session that has shown the code, however often somebody with the first factor alone begins', async () => {
    await addSecondFactor(dashboard, member.cookie);
    for (let opened = 0; opened < MAX_SESSIONS + 2; opened++) await openSession(dashboard, member.personId);
    expect(await sessionOf(member.cookie)).toBe(200);
  });
});

describe('a second factor', () => {
  it('is added by its first code; all other sessions end, and codes and secret lie in the database as nobody reads them', async () => {
    const elsewhere = await openSession(dashboard, member.personId);
    const withPasskey = await openSession(dashboard, member.personId, 'passkey');
    expect((await send('GET', FACTOR)).body.data).toEqual({ since: null, recoveryCodesLeft: 0 });
    const { secret, uri } = await beginSecondFactor(dashboard, member.cookie);
    expect(uri).toMatch(/^otpauth:\/\/totp\/Paymaster%20paymaster\.example\.org:[\w-]+\?/);
    expect(Object.fromEntries(new URL(uri).searchParams)).toMatchObject({ secret, digits: '6', period: '30' });
    expect((await confirmSecondFactor(dashboard, member.cookie, codeOf(secret, 5))).body).toMatchObject(WRONG);
    expect(await sessionOf(elsewhere)).toBe(200);
    const { body } = await confirmSecondFactor(dashboard, member.cookie, codeOf(secret));
    const codes = body.data?.['recoveryCodes'] as string[];
    expect(codes).toHaveLength(10);
    for (const code of codes) expect(code).toMatch(/^([a-km-np-z2-9]{4}-){3}[a-km-np-z2-9]{4}$/);
    expect((await confirmSecondFactor(dashboard, member.cookie, codeOf(secret, 1))).body).toMatchObject(WRONG);
    const sessions = [elsewhere, withPasskey, member.cookie];
    expect(await Promise.all(sessions.map(sessionOf))).toEqual([401, 401, 200]);
    expect((await send('GET', FACTOR)).body.data).toEqual({ since: expect.any(String), recoveryCodesLeft: 10 });
    for (const table of ['second_factors', 'recovery_codes', 'audit_log']) {
      const rows = JSON.stringify(await databaseOf(dashboard).query(`SELECT * FROM dashboard.${table}`));
      for (const text of [secret, ...codes.flatMap((code) => [code, code.replaceAll('-', '')])])
        expect(rows).not.toContain(text);
    }
    expect(await logged()).toMatchObject([{ action: 'created', personId: member.personId, before: null }]);
  });

  it('is replaced by the old one alone, which counts until the new one has shown a code', async () => {
    const old = await addSecondFactor(dashboard, member.cookie);
    expect((await send('POST', FACTOR, member.cookie, {})).body).toMatchObject({
      ...{ statusCode: 400, message: expect.stringContaining('code is missing') },
    });
    expect((await send('POST', FACTOR, member.cookie, { code: '000000' })).body).toMatchObject(WRONG);
    const next = await beginSecondFactor(dashboard, member.cookie, { code: codeOf(old.secret) });
    expect((await complete(await waiting(), codeOf(old.secret, 1))).status).toBe(200);
    expect((await complete(await waiting(), codeOf(next.secret))).body).toMatchObject(REFUSED);
    expect((await confirmSecondFactor(dashboard, member.cookie, codeOf(next.secret))).status).toBe(200);
    expect((await complete(await waiting(), old.recoveryCodes[0] ?? '')).body).toMatchObject(REFUSED);
    expect((await complete(await waiting(), codeOf(next.secret, 1))).status).toBe(200);
    expect(await logged()).toMatchObject([{ action: 'updated' }, { action: 'created' }]);
  });

  it('is removed, and its recovery codes renewed, by a code or a recovery code alone', async () => {
    const { secret, recoveryCodes } = await addSecondFactor(dashboard, member.cookie);
    const [first = '', second = '', third = ''] = recoveryCodes;
    for (const [method, path] of [
      ['POST', `${FACTOR}/recovery-codes`],
      ['DELETE', FACTOR],
    ] as const)
      expect((await send(method, path, member.cookie, { code: 'abcd-efgh-ijkm-npqr' })).body).toMatchObject(WRONG);
    const renewed = await send('POST', `${FACTOR}/recovery-codes`, member.cookie, { code: first });
    const [fresh = ''] = renewed.body.data?.['recoveryCodes'] as string[];
    for (const code of [second, third])
      expect((await send('DELETE', FACTOR, member.cookie, { code })).body).toMatchObject(WRONG);
    const asks = await waiting();
    expect((await send('DELETE', FACTOR, member.cookie, { code: fresh })).status).toBe(200);
    // Who waited for a code is not let in by its removal.
    expect([await sessionOf(asks), await sessionOf(member.cookie)]).toEqual([401, 200]);
    expect((await send('DELETE', FACTOR, member.cookie, { code: codeOf(secret) })).body).toMatchObject(WRONG);
    expect((await signIn()).status).toBe(200);
    expect(await logged()).toMatchObject([
      ...[
        { action: 'deleted' },
        { after: { recoveryCodesLeft: 9 } },
        { after: { recoveryCodesMadeAt: expect.any(String) } },
      ],
      ...[{ after: { recoveryCodesLeft: 9 } }, { action: 'created' }],
    ]);
  });

  it('is added within 15 minutes of a sign-in, and within 15 minutes of its secret', async () => {
    const { secret } = await beginSecondFactor(dashboard, member.cookie);
    await age('second_factors', 'created_at', 900);
    expect((await confirmSecondFactor(dashboard, member.cookie, codeOf(secret))).body).toMatchObject(WRONG);
    await age('sessions', 'created_at', 901);
    for (const path of [FACTOR, `${FACTOR}/confirm`]) {
      const body = path === FACTOR ? {} : { code: codeOf(secret) };
      expect((await send('POST', path, member.cookie, body)).body).toMatchObject({ reason: 'SIGN_IN_AGAIN' });
    }
  });
});

describe('an account that asks for a second factor', () => {
  const require = (required: boolean, by = member) =>
    dashboard.call({
      ...{ method: 'PATCH', path: '/account/second-factor', body: { required } },
      headers: fromPage(by.cookie, by.accountId),
    });
  const accountOf = async (cookie: string) =>
    ((await send('GET', '/session', cookie)).body.data?.['accounts'] as object[])[0];
  const rename = (cookie: string) => send('POST', '/shared-policy', cookie, { name: 'x' });

  it('is made so by an owner who has one', async () => {
    const { roleId } = (await send('POST', '/roles', member.cookie, { name: 'lead', rights: ['read', 'team'] })).body
      .data as { roleId: string };
    const lead = await signedInMember(dashboard, { id: member.accountId }, roleId);
    await addSecondFactor(dashboard, lead.cookie);
    expect((await require(true, lead)).body).toMatchObject({
      statusCode: 403,
      message: 'Only owners of the account may do this',
    });
    expect((await require(true)).body).toMatchObject({
      statusCode: 403,
      message: expect.stringContaining('yourself first'),
    });
    await addSecondFactor(dashboard, member.cookie);
    expect((await require(true)).body.data).toEqual({ required: true });
    const { data } = (await send('GET', '/account/audit-log?subject=account')).body;
    expect(data?.['entries']).toMatchObject([
      { before: { secondFactorRequired: false }, after: { secondFactorRequired: true }, personId: member.personId },
    ]);
    expect((await send('GET', '/members')).body.data).toMatchObject([
      { hasSecondFactor: true },
      { hasSecondFactor: true },
    ]);
  });

  it('lets a member who may spend read and add one, and no more; others, and auth tokens, go on', async () => {
    await addSecondFactor(dashboard, member.cookie);
    const { data } = (await send('POST', '/auth-tokens', member.cookie, { name: 'a program', scope: 'write' })).body;
    const editor = await signedInMember(dashboard, { id: member.accountId }, 'editor');
    const viewer = await signedInMember(dashboard, { id: member.accountId }, 'viewer');
    const support = await signedInMember(dashboard, { id: member.accountId }, 'support');
    const before = await rename(editor.cookie);
    expect(before.body).toMatchObject({ statusCode: 400 });
    await require(true);
    const wanted = {
      ...{ statusCode: 403, reason: 'NOT_ALLOWED' },
      message: 'This account wants a second factor for this: add one on the screen You, or sign in with a passkey',
    };
    expect((await rename(editor.cookie)).body).toMatchObject(wanted);
    expect((await send('GET', '/account/audit-log', editor.cookie)).body).toMatchObject(wanted);
    expect((await send('GET', '/paymaster', editor.cookie)).body).toMatchObject({ message: wanted.message });
    expect((await send('PATCH', '/account', editor.cookie, { name: 'x' })).body.message).toContain(
      'Your role in this account',
    );
    expect((await send('GET', '/account/paymasters', editor.cookie)).status).toBe(200);
    expect(await accountOf(editor.cookie)).toMatchObject({ rights: ['read'], secondFactorMissing: true });
    expect(await accountOf(viewer.cookie)).toMatchObject({ rights: ['read'], secondFactorMissing: false });
    // Support spends nothing, and sees what lets others spend.
    expect((await send('GET', '/paymaster', support.cookie)).body).toMatchObject({ message: wanted.message });
    expect((await send('GET', '/members', support.cookie)).status).toBe(200);
    expect(await accountOf(support.cookie)).toMatchObject({ rights: ['read'], secondFactorMissing: true });
    const authToken = String(data?.['authToken']);
    const made = await dashboard.call({ method: 'POST', path: '/paymaster', authToken, body: paymasterBody() });
    expect(made.status).toBe(200);

    const { secret } = await addSecondFactor(dashboard, editor.cookie);
    expect((await rename(editor.cookie)).body).toMatchObject({ statusCode: 400 });
    expect(await accountOf(editor.cookie)).toMatchObject({ secondFactorMissing: false });
    await send('DELETE', FACTOR, editor.cookie, { code: codeOf(secret) });
    expect((await rename(editor.cookie)).body).toMatchObject(wanted);
    const withPasskey = await openSession(dashboard, editor.personId, 'passkey');
    expect((await rename(withPasskey)).body).toMatchObject({ statusCode: 400 });
    await require(false);
    expect((await rename(editor.cookie)).body).toMatchObject({ statusCode: 400 });
  });
});
