import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { startNats, type Nats } from '@paymaster/devnet';

const CONF = join(__dirname, '../../../../../k8s/base/nats/nats.conf');
const PASSWORD = 'no-digits-only';
const USERS = ['dashboard', 'paymaster-rpc', 'stream-maker', 'settlement', 'dashboard-events'] as const;
type User = (typeof USERS)[number];

/**
 * Who may publish to a subject, and who may subscribe to it; D: dashboard, E: dashboard as reader of events, G: gateway,
 * M: the job that makes the stream, S: settlement.
 */
const MATRIX: ReadonlyArray<readonly [subject: string, publish: string, subscribe: string]> = [
  ['paymaster.policy.resolve', 'G', 'D'],
  ['paymaster.policy.news', 'G', 'D'],
  ['paymaster.policy.changed', 'D', 'G'],
  ['paymaster.policy.*', '', ''],
  ['paymaster.policy.other', '', ''],
  ['paymaster.rate.paymaster-rpc', 'G', 'G'],
  ['paymaster.rate.dashboard', 'D', 'D'],
  ['paymaster.rate.*', '', ''],
  ...['explain', 'limits', 'prices', 'chains', 'wallets'].map(
    (kind) => [`paymaster.gateway.${kind}`, 'D', 'G'] as const,
  ),
  ['paymaster.gateway.*', '', ''],
  ['paymaster.gateway.other', '', ''],
  ['paymaster.requests', 'G', 'D'],
  ['paymaster.>', '', ''],
  ['sponsorship.31337.granted', 'S', ''],
  ['sponsorship.>', '', ''],
  ['_INBOX.abc', 'D', 'G'],
  ['_INBOX.>', '', 'G'],
  ['_INBOX_dashboard.abc', 'G', 'D'],
  ['_INBOX_dashboard-events.abc', '', 'E'],
  ['_INBOX_stream-maker.abc', '', 'M'],
  ['_INBOX_settlement.abc', '', 'S'],
  ['_INBOX_other.abc', '', ''],
  ['>', '', ''],
  ['*', '', ''],
  ['*.*', '', ''],
  ['anything', '', ''],
  // JetStream: each verb for our stream, for another one, and for all.
  ...Object.entries({ CREATE: 'M', UPDATE: 'M', INFO: 'MS', PURGE: 'S', 'MSG.GET': 'S' }).flatMap(([verb, who]) => [
    [`$JS.API.STREAM.${verb}.SPONSORSHIP`, who, ''] as const,
    [`$JS.API.STREAM.${verb}.OTHER`, '', ''] as const,
  ]),
  ...['DELETE', 'MSG.DELETE', 'SNAPSHOT', 'RESTORE', 'LEADER.STEPDOWN', 'PEER.REMOVE'].flatMap((verb) => [
    [`$JS.API.STREAM.${verb}.SPONSORSHIP`, '', ''] as const,
    [`$JS.API.STREAM.${verb}.OTHER`, '', ''] as const,
  ]),
  ...['CREATE', 'DURABLE.CREATE', 'INFO', 'MSG.NEXT'].flatMap((verb) => [
    [`$JS.API.CONSUMER.${verb}.SPONSORSHIP.operations`, 'E', ''] as const,
    [`$JS.API.CONSUMER.${verb}.OTHER.operations`, '', ''] as const,
  ]),
  ...['DELETE', 'PAUSE', 'LEADER.STEPDOWN'].map(
    (verb) => [`$JS.API.CONSUMER.${verb}.SPONSORSHIP.operations`, '', ''] as const,
  ),
  ['$JS.API.CONSUMER.LIST.SPONSORSHIP', 'S', ''],
  ['$JS.API.CONSUMER.LIST.OTHER', '', ''],
  ['$JS.API.CONSUMER.NAMES.SPONSORSHIP', '', ''],
  ['$JS.ACK.SPONSORSHIP.operations.1.1.1.1.0', 'E', ''],
  ['$JS.ACK.OTHER.operations.1.1.1.1.0', '', ''],
  ['$JS.API.INFO', '', ''],
  ['$JS.API.STREAM.LIST', '', ''],
  ['$JS.API.STREAM.NAMES', '', ''],
  ['$JS.API.DIRECT.GET.SPONSORSHIP', '', ''],
  ['$JS.API.ACCOUNT.PURGE.G', '', ''],
  ['$JS.API.SERVER.REMOVE', '', ''],
  ['$JS.API.META.LEADER.STEPDOWN', '', ''],
  ['$JS.API.>', '', ''],
  ['$JS.EVENT.ADVISORY.>', '', ''],
  ['$JS.FC.SPONSORSHIP.x', '', ''],
  ['$KV.rates.key', '', ''],
  ['$O.files.C.x', '', ''],
  ['$SYS.REQ.SERVER.PING', '', ''],
  ['$SYS.REQ.ACCOUNT.PING.CONNZ', '', ''],
  ['$SYS.ACCOUNT.$G.CONNECT', '', ''],
  ['$SYS.>', '', ''],
  ['$SRV.PING', '', ''],
];
const LETTERS: Readonly<Record<User, string>> = {
  dashboard: 'D',
  'paymaster-rpc': 'G',
  'stream-maker': 'M',
  settlement: 'S',
  'dashboard-events': 'E',
};

/** The protocol itself: what the server says to one command, before anything of a client's. */
class Line {
  private heard = '';
  private constructor(private readonly socket: Socket) {
    socket.on('data', (data: Buffer) => (this.heard += data.toString('utf8')));
  }

  static async open(nats: Nats, user: User): Promise<Line> {
    const socket = connect(nats.port, '127.0.0.1');
    await new Promise((resolve) => socket.once('data', resolve));
    const line = new Line(socket);
    const answer = await line.say(`CONNECT ${JSON.stringify({ user, pass: PASSWORD, verbose: false })}`);
    if (answer.includes('-ERR')) throw new Error(answer);
    return line;
  }

  /** @returns everything until the answer to a ping that follows */
  async say(command: string): Promise<string> {
    this.heard = '';
    this.socket.write(`${command}\r\nPING\r\n`);
    while (!this.heard.includes('PONG')) await new Promise((resolve) => this.socket.once('data', resolve));
    return this.heard;
  }

  close(): void {
    this.socket.destroy();
  }
}

let nats: Nats;
beforeAll(async () => {
  const env = Object.fromEntries(
    USERS.map((user) => [`NATS_${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`, `"${PASSWORD}"`]),
  );
  nats = await startNats({ config: { file: CONF, env } });
});
afterAll(() => nats.stop());

describe('the permissions of NATS', () => {
  it.each(USERS)('let %s publish and subscribe to its own subjects and to nothing else', async (user) => {
    const line = await Line.open(nats, user);
    const may = { publish: [] as string[], subscribe: [] as string[] };
    for (const [at, [subject]] of MATRIX.entries()) {
      // Nobody publishes to a wildcard: there the server's answer is about the subject, not about the user.
      const isWild = /(^|\.)[*>]/.test(subject);
      if (!isWild && !(await line.say(`PUB ${subject} 0\r\n`)).includes('-ERR')) may.publish.push(subject);
      if (!(await line.say(`SUB ${subject} ${at + 1}`)).includes('-ERR')) may.subscribe.push(subject);
      await line.say(`UNSUB ${at + 1}`);
    }
    line.close();
    const allowed = (column: 1 | 2) =>
      MATRIX.filter((row) => row[column].includes(LETTERS[user])).map(([subject]) => subject);
    expect(may).toEqual({ publish: allowed(1), subscribe: allowed(2) });
  });

  it('have a row for every subject of nats.conf, and a column for every user', () => {
    const conf = readFileSync(CONF, 'utf8');
    expect([...conf.matchAll(/user: (\S+)/g)].map(([, user]) => user)).toEqual([...USERS]);
    const subjects = [...conf.matchAll(/"([^"]+)"/g)].map(([, subject = '']) => subject);
    const tested = MATRIX.filter(([, publish, subscribe]) => publish + subscribe !== '').map(([subject]) => subject);
    const untested = subjects.filter((pattern) => {
      const start = pattern.replace(/>$/, '');
      return !tested.some((subject) => (start === pattern ? subject === pattern : subject.startsWith(start)));
    });
    expect(subjects.length).toBeGreaterThan(10);
    expect(untested).toEqual([]);
  });
});
