import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { SmtpReceiver } from '@paymaster/devnet';
import { loadConfig } from '@paymaster/nest-kit';
import { DashboardConfig } from '../config/dashboard.config';
import { MailError, Mailer } from './mailer';

const FROM = 'Paymaster <paymaster@example.org>';
const mail = { to: 'owner@example.org', subject: 'Wallet is low', text: 'First line\r\n.\nÄ second, in UTF-8 €' };

let server: SmtpReceiver;
/** On all addresses of this machine, of which some stand for others. */
beforeEach(async () => (server = await SmtpReceiver.start({ host: '0.0.0.0' })));
afterEach(() => server.stop());

const problemOf = (sending: Promise<void>) =>
  sending.then(
    () => undefined,
    (error: unknown) => error as MailError,
  );

describe('Mailer', () => {
  it('hands one mail to the server, with its login', async () => {
    await new Mailer({ smtpUrl: server.url, smtpFrom: FROM }).send(mail);
    expect(server.mails).toHaveLength(1);
    expect(server.mails[0]).toMatchObject({ from: 'paymaster@example.org', to: [mail.to], subject: mail.subject });
    expect(server.mails[0]?.text).toBe('First line\n.\nÄ second, in UTF-8 €');
    expect(server.mails[0]?.raw).toContain('Auto-Submitted: auto-generated');
    expect(server.logins).toEqual([SmtpReceiver.LOGIN]);
  });

  it.each([
    ['a line break in the address', { to: 'owner@example.org\r\nBcc: all@example.org' }],
    ['two addresses', { to: 'owner@example.org,all@example.org' }],
    ['a group', { to: 'all:owner@example.org;' }],
    ['a name', { to: 'Owner <owner@example.org>' }],
    ['no address', { to: '' }],
    ['a line break in the subject', { subject: 'a\r\nBcc: all@example.org' }],
    ['half a line break in the subject', { subject: 'a\nBcc: all@example.org' }],
  ])('sends nothing with %s', async (_title, change) => {
    const problem = await problemOf(new Mailer({ smtpUrl: server.url, smtpFrom: FROM }).send({ ...mail, ...change }));
    expect(problem?.message).toMatch(/must be one/);
    expect([server.mails, server.connections]).toEqual([[], 0]);
  });

  it('says what the server said when it refuses, and neither password nor text', async () => {
    server.refuse = '550 5.1.1 no such user';
    const problem = await problemOf(new Mailer({ smtpUrl: server.url, smtpFrom: FROM }).send(mail));
    expect(problem).toMatchObject({ message: 'the mail server refused the mail', status: 550 });
    expect(problem?.answer).toContain('no such user');
    const wrong = server.url.replace(SmtpReceiver.LOGIN.password, 'c4nary');
    const login = await problemOf(new Mailer({ smtpUrl: wrong, smtpFrom: FROM }).send(mail));
    expect(login).toMatchObject({ message: 'the mail server does not take the login', status: 535, answer: null });
    expect(JSON.stringify([login, login?.message, problem, problem?.message])).not.toMatch(/c4nary|First line/);
  });

  it('does not wait for ever for a server that says nothing, and finds none where there is none', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const smtpUrl = `smtp://127.0.0.1:${(silent.address() as AddressInfo).port}/?greetingTimeout=200`;
    expect(await problemOf(new Mailer({ smtpUrl, smtpFrom: FROM }).send(mail))).toBeInstanceOf(MailError);
    sockets.forEach((socket) => socket.destroy());
    silent.close();
    await server.stop();
    expect(await problemOf(new Mailer({ smtpUrl: server.url, smtpFrom: FROM }).send(mail))).toBeInstanceOf(MailError);
  });

  it('sends nothing in clear to another machine', async () => {
    const smtpUrl = server.url.replace('127.0.0.1', '127.0.0.2');
    const problem = await problemOf(new Mailer({ smtpUrl, smtpFrom: FROM }).send(mail));
    expect(problem).toBeInstanceOf(MailError);
    expect([server.mails, server.logins]).toEqual([[], []]);
    await new Mailer({ smtpUrl: `${smtpUrl}/?requireTLS=false`, smtpFrom: FROM }).send(mail);
    expect(server.mails).toHaveLength(1);
  });

  it('is off without SMTP_URL', async () => {
    const off = new Mailer({});
    expect(off.isOn).toBe(false);
    expect((await problemOf(off.send(mail)))?.message).toContain('SMTP_URL is missing');
    expect(new Mailer({ smtpUrl: server.url, smtpFrom: FROM }).isOn).toBe(true);
  });
});

describe('SMTP_URL and SMTP_FROM', () => {
  const problemsOf = (env: Record<string, string>): string => {
    try {
      loadConfig(DashboardConfig, env);
    } catch (error) {
      return (error as Error).message
        .split('\n')
        .filter((line) => line.includes('- SMTP_'))
        .join('\n');
    }
    return '';
  };

  it.each([
    [{}, ''],
    [{ SMTP_URL: 'smtps://a:b@c', SMTP_FROM: FROM }, ''],
    [{ SMTP_URL: 'smtp://c:587', SMTP_FROM: 'a@b' }, ''],
    [{ SMTP_URL: 'smtps://a:s3cret@c' }, 'SMTP_FROM must be an address'],
    [{ SMTP_URL: 'https://a:s3cret@c', SMTP_FROM: FROM }, 'SMTP_URL must be a URL that begins with smtps://'],
    [{ SMTP_FROM: 'a@b\r\nBcc: c@d' }, 'SMTP_FROM must be an address'],
  ])('%j', (env, problem) => {
    const found = problemsOf(env);
    expect(found).toContain(problem);
    expect(found === '').toBe(problem === '');
    expect(found).not.toContain('s3cret');
  });
});
