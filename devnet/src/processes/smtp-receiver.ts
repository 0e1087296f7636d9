import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** One mail as a mail server took it. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly raw: string;
}

export interface SmtpReceiverOptions {
  readonly host?: string;
  readonly onMail?: (mail: ReceivedMail) => void;
}

/** A mail server that sends nothing on: it keeps what it gets, and refuses what the test says. */
export class SmtpReceiver {
  static readonly LOGIN = { user: 'paymaster', password: 'p4ss' };
  readonly mails: ReceivedMail[] = [];
  readonly logins: { user: string | undefined; password: string | undefined }[] = [];
  connections = 0;
  /** A reply to each recipient, instead of taking the mail. */
  refuse: string | undefined;
  /** Until then no recipient is answered. */
  hold: Promise<void> | undefined;

  private constructor(private readonly server: SMTPServer) {}

  /** @param onMail is told each mail */
  static async start({ host = '127.0.0.1', onMail }: SmtpReceiverOptions = {}): Promise<SmtpReceiver> {
    const server: SMTPServer = new SMTPServer({
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      logger: false,
      onConnect: (_session, done) => {
        receiver.connections += 1;
        done();
      },
      onAuth: ({ username, password }, _session, done) => {
        const isRight = username === SmtpReceiver.LOGIN.user && password === SmtpReceiver.LOGIN.password;
        if (!isRight) return done(new Error('wrong login'));
        receiver.logins.push({ user: username, password });
        done(null, { user: username });
      },
      onRcptTo: (_address, _session, done) => {
        void Promise.resolve(receiver.hold).then(() => {
          if (receiver.refuse === undefined) return done();
          const [code = '', ...words] = receiver.refuse.split(' ');
          done(Object.assign(new Error(words.join(' ')), { responseCode: Number(code) }));
        });
      },
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const from = mailFrom === false ? '' : mailFrom.address;
          const to = rcptTo.map(({ address }) => address);
          const mail = { from, to, ...readMail(Buffer.concat(chunks).toString('utf8')) };
          receiver.mails.push(mail);
          onMail?.(mail);
          done();
        });
      },
    });
    const receiver = new SmtpReceiver(server);
    server.on('error', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, host, () => resolve()));
    return receiver;
  }

  /** With the login. */
  get url(): string {
    const { user, password } = SmtpReceiver.LOGIN;
    return `smtp://${user}:${password}@127.0.0.1:${(this.server.server.address() as AddressInfo | null)?.port ?? 1}`;
  }

  stop(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** Of a mail in one part of text, as ours are. */
function readMail(raw: string): Pick<ReceivedMail, 'subject' | 'text' | 'raw'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = head.replaceAll(/\r\n[ \t]+/g, ' ');
  const body = rest.join('\r\n\r\n').replaceAll('\r\n', '\n').replace(/\n$/, '');
  const encoding = /^Content-Transfer-Encoding: (.*)$/im.exec(headers)?.[1];
  return { subject: decodeWords(/^Subject: (.*)$/im.exec(headers)?.[1] ?? ''), text: decode(body, encoding), raw };
}

function decode(body: string, encoding: string | undefined): string {
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString('utf8').replaceAll('\r\n', '\n');
  if (encoding !== 'quoted-printable') return body;
  const bytes = body
    .replaceAll('=\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** RFC 2047. */
function decodeWords(header: string): string {
  return header
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi, (_all, kind: string, text: string) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decode(text.replaceAll('_', ' '), 'quoted-printable'),
    );
}
