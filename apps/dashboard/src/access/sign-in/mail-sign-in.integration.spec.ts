import { randomUUID } from 'node:crypto';
import { SmtpReceiver } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import {
  databaseOf,
  PAGE,
  startDashboard,
  type DashboardUnderTest,
  type TestCall,
} from '../../testing/dashboard-under-test';
import { cookieOf, fromPage, signedInMember, type TestMember } from '../../testing/people';
import { refusal } from '../../testing/requests';

let server: SmtpReceiver;
let dashboard: DashboardUnderTest;
let member: TestMember;
beforeAll(async () => {
  server = await SmtpReceiver.start();
  dashboard = await startDashboard({ env: { SMTP_URL: server.url, SMTP_FROM: 'Paymaster <pm@example.org>' } });
});
beforeEach(async () => {
  server.mails.length = 0;
  server.refuse = undefined;
  member = await signedInMember(dashboard, randomUUID(), 'owner');
  await databaseOf(dashboard).query('DELETE FROM dashboard.sent_mails');
});
afterAll(async () => {
  await dashboard.stop();
  await server.stop();
});

const send = (method: TestCall['method'], path: string, body?: object, by = member) =>
  dashboard.call({ method, path, headers: fromPage(by.cookie, by.accountId), body });
const askForLink = (address: string, cookie = '') =>
  dashboard.call({ method: 'POST', path: '/session/mail-link', headers: { origin: PAGE, cookie }, body: { address } });
/** Shows the code of a mail, in the browser of this cookie. */
const signInBy = (text: string, cookie: string) =>
  dashboard.call({
    ...{ method: 'POST', path: '/session/code', headers: { origin: PAGE, cookie } },
    body: { code: codeIn(text) },
  });
const codeIn = (text = '') => /pm_(?:mail|code)_[\w-]{49}/.exec(text)?.[0] ?? '';
/** A mail that does not come ends its test soon. */
const soon = <T>(look: () => T | Promise<T>) => until(look, String(look), 10_000);
const lastMail = () => soon(() => server.mails.at(-1));
const age = (table: string, column: string, minutes: number) =>
  databaseOf(dashboard).query(`UPDATE dashboard.${table} SET ${column} = ${column} - $1 * interval '1 minute'`, [
    minutes,
  ]);
const countedMails = async () => (await databaseOf(dashboard).query('SELECT FROM dashboard.sent_mails')).length;
const newAddress = () => `Ada.${randomUUID()}@example.org`;
async function confirmed(by = member): Promise<string> {
  const address = newAddress();
  expect((await send('POST', '/person/mail-address', { address }, by)).body.message).toBe('Mail sent');
  const code = codeIn(server.mails.at(-1)?.text);
  const answer = await send('POST', '/person/mail-address/confirm', { code }, by);
  expect(answer.body.data).toEqual({ address });
  server.mails.length = 0;
  return address;
}
const ON_ITS_WAY = { statusCode: 200, message: 'If a person has confirmed this address, a link is on its way' };
const WRONG_CODE = { statusCode: 400, message: 'code is unknown, used or too old: ask for another mail' };

describe('a link by mail', () => {
  it('is mailed to an address that was confirmed, and signs its person in once, by a POST', async () => {
    const address = await confirmed();
    expect((await send('GET', '/person/mail-address')).body.data).toEqual({ address });
    const asked = await askForLink(address.toUpperCase());
    expect(asked.body).toEqual(ON_ITS_WAY);
    const { to, text } = (await lastMail())!;
    expect(to).toEqual([address]);
    expect(text).toContain(`${PAGE}/sign-in#code=pm_code_`);
    const signIn = () => signInBy(text, cookieOf(asked));
    expect((await signIn()).body.data).toMatchObject({ person: { personId: member.personId } });
    expect((await signIn()).status).toBe(401);
  });

  it('signs in nobody in another browser than the one that asked, which does not use it up', async () => {
    const address = await confirmed();
    const asked = await askForLink(address);
    expect(asked.headers['set-cookie']).toMatch(
      /^__Host-paymaster-mail-link=pm_asked_[\w-]{49}; Max-Age=900; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    const { text } = (await lastMail())!;
    const unknown = await askForLink(newAddress());
    for (const cookie of ['', cookieOf(unknown), '__Host-paymaster-mail-link='])
      expect((await signInBy(text, cookie)).body).toMatchObject({ statusCode: 401, reason: 'SIGN_IN_REFUSED' });
    const rows = JSON.stringify(await databaseOf(dashboard).query('SELECT * FROM dashboard.sign_in_codes'));
    for (const secret of [codeIn(text), cookieOf(asked).split('=')[1] ?? ''])
      expect(rows).not.toContain(secret.slice(-49, -6));
    expect((await signInBy(text, cookieOf(asked))).status).toBe(200);
  });

  it('goes on when its browser asks again, also for a mail that is not sent; a sign-in ends that all', async () => {
    const address = await confirmed();
    const cookie = cookieOf(await askForLink(address));
    const { text } = (await lastMail())!;
    for (let asked = 0; asked < 3; asked++) {
      const again = await askForLink(address, cookie);
      expect(again.headers['set-cookie']).toMatch(`${cookie}; Max-Age=900;`);
    }
    for (const other of ['__Host-paymaster-mail-link=x', `${cookie}x`])
      expect(cookieOf(await askForLink(address, other))).toMatch(/=pm_asked_[\w-]{49}$/);
    const signedIn = await signInBy(text, cookie);
    expect(signedIn.headers['set-cookie']).toEqual([
      expect.stringContaining('__Host-paymaster-session=pm_'),
      expect.stringContaining('__Host-paymaster-mail-link=; Max-Age=0;'),
    ]);
  });

  it('is not made for an address that is removed at the same moment', async () => {
    const address = await confirmed();
    const database = databaseOf(dashboard).createQueryRunner();
    await database.startTransaction();
    await database.query('UPDATE dashboard.people SET mail_address = NULL WHERE id = $1', [member.personId]);
    await askForLink(address);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await database.commitTransaction();
    await database.release();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(server.mails).toEqual([]);
    const codes = await databaseOf(dashboard).query('SELECT FROM dashboard.sign_in_codes WHERE person_id = $1', [
      member.personId,
    ]);
    expect(codes).toEqual([]);
  });

  it('ends when its address is removed', async () => {
    const address = await confirmed();
    const asked = await askForLink(address);
    const { text } = (await lastMail())!;
    await send('DELETE', '/person/mail-address');
    expect((await signInBy(text, cookieOf(asked))).status).toBe(401);
  });

  it('is worth nothing after 15 minutes', async () => {
    const address = await confirmed();
    const asked = await askForLink(address);
    const { text } = (await lastMail())!;
    await age('sign_in_codes', 'expires_at', 15);
    expect((await signInBy(text, cookieOf(asked))).status).toBe(401);
  });

  it('is answered alike for an address that nobody has, whose mail is looked for after the answer', async () => {
    const address = await confirmed();
    server.refuse = '550 5.1.1 no such user';
    for (const asked of [address, newAddress()]) expect((await askForLink(asked)).body).toEqual(ON_ITS_WAY);
    // The database would keep the answer waiting, if it waited for it.
    const database = databaseOf(dashboard).createQueryRunner();
    await database.startTransaction();
    await database.query('LOCK TABLE dashboard.people IN ACCESS EXCLUSIVE MODE');
    try {
      for (const asked of [address, newAddress()]) expect((await askForLink(asked)).body).toEqual(ON_ITS_WAY);
    } finally {
      await database.rollbackTransaction();
      await database.release();
    }
    expect(server.mails).toEqual([]);
    // The code and four links: what comes later would be counted in the next test.
    await soon(async () => (await countedMails()) === 5);
  });

  it('counts questions for addresses that nobody has alike, and apart from codes that confirm an address', async () => {
    const unknown = newAddress();
    for (let asked = 0; asked < 4; asked++) await askForLink(unknown);
    await soon(async () => (await countedMails()) === 3);
    expect((await send('POST', '/person/mail-address', { address: unknown })).body.message).toBe('Mail sent');
  });

  it('is mailed to one address three times in a quarter of an hour for one network, and 12 times in an hour for all', async () => {
    const address = await confirmed();
    for (let network = 0; network < 5; network++) {
      for (let asked = 0; asked < 4; asked++) await askForLink(address);
      await soon(() => server.mails.length === Math.min(3 * network + 3, 12));
      await new Promise((resolve) => setTimeout(resolve, 100));
      await databaseOf(dashboard).query(`UPDATE dashboard.sent_mails SET sender = $1 WHERE sender !~ '^network'`, [
        `network ${network}`,
      ]);
    }
    expect(server.mails).toHaveLength(12);
  });

  it('is mailed three times in a quarter of an hour, and 20 times in an hour for one network', async () => {
    const address = await confirmed();
    await databaseOf(dashboard).query('DELETE FROM dashboard.sent_mails');
    await Promise.all(Array.from({ length: 8 }, () => askForLink(address)));
    await soon(() => server.mails.length === 3);
    await age('sent_mails', 'sent_at', 16);
    await askForLink(address);
    await soon(() => server.mails.length === 4);
    const [{ sender }] = await databaseOf(dashboard).query('SELECT sender FROM dashboard.sent_mails LIMIT 1');
    expect(sender).not.toContain('127.0.0.1');
    await databaseOf(dashboard).query(
      `INSERT INTO dashboard.sent_mails (recipient, sender)
       SELECT repeat(md5(n::text), 2), $1 FROM generate_series(1, 16) n`,
      [sender],
    );
    await age('sent_mails', 'sent_at', 20);
    await askForLink(address);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(server.mails).toHaveLength(4);
  });

  it.each(['x', 'a@b\r\nBcc: c@d.example', 'Ada <ada@example.org>', 7])('is not asked for with %j', async (address) => {
    const answer = await askForLink(address as string);
    expect(answer.body).toMatchObject({ statusCode: 400, message: 'address must be one mail address' });
  });
});

describe('a mail address', () => {
  it('is confirmed by the person who asked for the code, once, in time, and removed; the audit logs say so', async () => {
    const stranger = await signedInMember(dashboard, randomUUID(), 'owner');
    const address = newAddress();
    await send('POST', '/person/mail-address', { address });
    const { text } = (await lastMail())!;
    const confirm = (by = member) => send('POST', '/person/mail-address/confirm', { code: codeIn(text) }, by);
    expect((await confirm(stranger)).body).toMatchObject(WRONG_CODE);
    expect((await send('GET', '/person/mail-address')).body.data).toEqual({ address: null });
    expect((await confirm()).status).toBe(200);
    expect((await confirm()).body).toMatchObject(WRONG_CODE);
    expect((await send('DELETE', '/person/mail-address')).status).toBe(200);
    expect((await send('DELETE', '/person/mail-address')).status).toBe(200);
    server.mails.length = 0;
    await askForLink(address);
    const { data } = (await send('GET', '/account/audit-log?subject=mailAddress')).body;
    expect(data?.['entries']).toMatchObject([{ action: 'deleted' }, { action: 'created', personId: member.personId }]);
    expect(JSON.stringify(data)).not.toContain('example.org');
    expect(server.mails).toEqual([]);

    await send('POST', '/person/mail-address', { address });
    const late = codeIn((await lastMail())!.text);
    await age('mail_confirmations', 'expires_at', 15);
    expect((await send('POST', '/person/mail-address/confirm', { code: late })).body).toMatchObject(WRONG_CODE);
  });

  it('that another person has confirmed is not confirmed, and the code before another one works no more', async () => {
    const stranger = await signedInMember(dashboard, randomUUID(), 'owner');
    const address = await confirmed(stranger);
    const codes: string[] = [];
    for (const asked of [newAddress(), address.toLowerCase()]) {
      await send('POST', '/person/mail-address', { address: asked });
      codes.push(codeIn(server.mails.at(-1)?.text));
    }
    const [first, second] = codes;
    expect((await send('POST', '/person/mail-address/confirm', { code: first })).body).toMatchObject(WRONG_CODE);
    expect((await send('POST', '/person/mail-address/confirm', { code: second })).body).toMatchObject({
      reason: 'MAIL_ADDRESS_TAKEN',
    });
  });

  it('is changed within 15 minutes of a sign-in only, and its codes lie in the database as hashes', async () => {
    await send('POST', '/person/mail-address', { address: newAddress() });
    const code = codeIn(server.mails.at(-1)?.text);
    const rows = JSON.stringify(await databaseOf(dashboard).query('SELECT * FROM dashboard.mail_confirmations'));
    expect(rows).not.toContain(code.slice(8, 51));
    await age('sessions', 'created_at', 16);
    for (const [method, path, body] of [
      ['POST', '/person/mail-address', { address: newAddress() }],
      ['POST', '/person/mail-address/confirm', { code }],
      ['DELETE', '/person/mail-address', undefined],
    ] as const)
      expect((await send(method, path, body)).body).toMatchObject({ statusCode: 403, reason: 'SIGN_IN_AGAIN' });
  });

  it('is told when the mail server does not take the mail, and when too many were sent', async () => {
    server.refuse = '550 5.1.1 no such user';
    const address = newAddress();
    const refused = { statusCode: 503, reason: 'MAIL_NOT_SENT' };
    for (let sent = 0; sent < 3; sent++)
      expect((await send('POST', '/person/mail-address', { address })).body).toMatchObject(refused);
    expect((await send('POST', '/person/mail-address', { address })).body).toMatchObject({ reason: 'LIMIT_REACHED' });
  });
});

it('without SMTP_URL there are no links', async () => {
  const plain = await startDashboard();
  try {
    const body = { address: newAddress() };
    const answer = await plain.call({ method: 'POST', path: '/session/mail-link', headers: { origin: PAGE }, body });
    const sentence = 'Mail is not set up on this installation: SMTP_URL is missing';
    expect(answer.body).toEqual(refusal(400, 'MAIL_NOT_SET_UP', sentence));
  } finally {
    await plain.stop();
  }
});
