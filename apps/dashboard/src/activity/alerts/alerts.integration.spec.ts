import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SmtpReceiver } from '@paymaster/devnet';
import { until } from '@paymaster/domain/testing';
import type { GatewayResponder, LimitUse } from '@paymaster/messaging';
import { isWebhookSignature } from '@paymaster/webhooks';
import { answers, WebhookReceiver } from '@paymaster/webhooks/testing';
import { createApp } from '../../create-app';
import { startAnsweringGateway } from '../../testing/answering-gateway';
import { CHAIN_ID, databaseOf, startDashboard, type DashboardUnderTest } from '../../testing/dashboard-under-test';
import { fromPage, signedInMember } from '../../testing/people';
import { createPaymaster, paymasterIdOf, refusal, type Keys } from '../../testing/requests';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { AlertWatch } from './alert.watch';
import { quietUntil } from './quiet-hours';

type Shown = Readonly<Record<string, unknown>>;

const WALLET = `0x${'c'.repeat(40)}`;
const COIN = 10n ** 18n;
const BOT_TOKEN = `123456:${'Ab-_'.repeat(9)}`;
const word = (value: bigint) => value.toString(16).padStart(64, '0');

/** A node of which only the newest block and three functions of our contract are asked. */
const chain = { balanceWei: COIN, down: false };
let node: Server;
let mailServer: SmtpReceiver;
let receiver: WebhookReceiver;
let gateway: GatewayResponder;
let limits: LimitUse[] = [];
let dashboard: DashboardUnderTest;
let keys: Keys;
let paymasterId: string;

beforeAll(async () => {
  node = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (chain.down) return void response.writeHead(503).end();
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
        id: number;
        method: string;
        params: [{ data: string }];
      };
      const results: Record<string, unknown> = {
        eth_chainId: `0x${CHAIN_ID.toString(16)}`,
        eth_getBlockByNumber: { number: '0x10', timestamp: '0x6ab13b80', baseFeePerGas: '0x1' },
        '0x70a08231': `0x${word(chain.balanceWei)}`,
        '0x14bf9d2b': `0x${word(0n)}${word(1n)}`,
        '0x2b88348d': `0x${word(604_800n)}`,
      };
      const result = results[method === 'eth_call' ? params[0].data.slice(0, 10) : method];
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
  });
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  mailServer = await SmtpReceiver.start();
  receiver = await WebhookReceiver.start();
  dashboard = await startDashboard({
    chainRpcUrl: `http://127.0.0.1:${(node.address() as AddressInfo).port}`,
    env: {
      ...{ WEBHOOK_SIGNING_KEY: '33'.repeat(32), WEBHOOK_ALLOW_INSECURE: 'true', TELEGRAM_API_URL: receiver.url },
      ...{ SMTP_URL: mailServer.url, SMTP_FROM: 'Paymaster <paymaster@example.org>' },
    },
  });
  // It looks when a test says so.
  await dashboard.app.get(AlertWatch).beforeApplicationShutdown();
  gateway = startAnsweringGateway({ natsUrl: dashboard.natsUrl }, { limits: () => Promise.resolve(limits) });
});
beforeEach(async () => {
  Object.assign(chain, { balanceWei: COIN, down: false });
  limits = [];
  receiver.requests.length = 0;
  receiver.behaviour = answers(200, 'ok');
  mailServer.mails.length = 0;
  mailServer.refuse = undefined;
  keys = await createPaymaster(dashboard);
  paymasterId = await paymasterIdOf(dashboard, keys);
  await query('UPDATE dashboard.paymasters SET funding_wallet = $2 WHERE id = $1', [paymasterId, WALLET]);
});
afterEach(() => query('UPDATE dashboard.alerts SET active = false', []));
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
  await receiver.stop();
  await mailServer.stop();
  node.closeAllConnections();
  await new Promise((resolve) => node.close(resolve));
});

const query = (text: string, values: unknown[] = [paymasterId]): Promise<Shown[]> =>
  databaseOf(dashboard).query(text, values) as Promise<Shown[]>;
const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', body?: object) =>
  dashboard.call({ method, path: `/alerts${path}`, ...keys, body });

const MAIL = { name: 'On call', kind: 'MAIL', mail: 'owner@example.org' };
const WALLET_LOW = { about: ['walletLow'], walletBelowWei: (COIN / 2n).toString() };

async function create(body: object): Promise<Shown> {
  const answer = await send('POST', '', body);
  expect(answer.body.message).toBe('Alert created');
  return answer.body.data as Shown;
}

/** The timer of the process is stopped. */
const lookOnce = (watch: AlertWatch): Promise<void> => {
  Object.assign(watch as object, { stopped: false });
  return watch.look();
};

/** Looks now, as the timer of one of the processes does. */
async function look(of = [dashboard.app.get(AlertWatch)]): Promise<void> {
  await query('UPDATE dashboard.alert_looks SET next_look_at = now() WHERE paymaster_id = $1');
  await Promise.all(of.map(lookOnce));
}

const deliveriesOf = async (alertId: unknown) =>
  (await send('GET', `/${String(alertId)}/deliveries`)).body.data as unknown as Shown[];
const allDelivered = (alertId: unknown, count: number) =>
  until(async () => (await deliveriesOf(alertId)).filter(({ status }) => status === 'delivered').length === count);
const tryAgain = () => query('UPDATE dashboard.alert_deliveries SET next_attempt_at = now()', []);

async function happened(hoursAgo: number, counts: { granted: number; refused: number }): Promise<void> {
  await query(
    `INSERT INTO dashboard.usage_hours (paymaster_id, hour, granted, refused, spent_wei)
     VALUES ($1, date_trunc('hour', now()) - $2 * interval '1 hour', $3, $4, 0)`,
    [paymasterId, hoursAgo, counts.granted, counts.refused],
  );
}

describe('a wallet alert by mail', () => {
  it('tells once that the wallet is low, and again only after it was filled well above', async () => {
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW });
    await look();
    expect(await deliveriesOf(alertId)).toEqual([]);
    chain.balanceWei = (COIN * 4n) / 10n;
    await look();
    await look();
    await allDelivered(alertId, 1);
    expect(mailServer.mails).toHaveLength(1);
    expect(mailServer.mails[0]).toMatchObject({ to: ['owner@example.org'], from: 'paymaster@example.org' });
    expect(mailServer.mails[0]?.subject).toMatch(/^Paymaster paymaster .*: an alert$/);
    expect(mailServer.mails[0]?.text).toContain('can spend 0.4 ETH (EntryPoint v0.7), less than 0.5 ETH.');
    expect(mailServer.mails[0]?.text).toContain(`https://paymaster.example.org/a/`);
    // Above the bound, and not by a tenth.
    chain.balanceWei = (COIN * 52n) / 100n;
    await look();
    chain.balanceWei = (COIN * 4n) / 10n;
    await look();
    chain.down = true;
    await look();
    expect(await deliveriesOf(alertId)).toHaveLength(1);
    Object.assign(chain, { balanceWei: COIN, down: false });
    await look();
    chain.balanceWei = (COIN * 4n) / 10n;
    await look();
    await allDelivered(alertId, 2);
    expect(mailServer.mails).toHaveLength(2);
  });

  it('is not told again by a change of its name or hours, and is told after a pause in which it ended', async () => {
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW });
    chain.balanceWei = (COIN * 4n) / 10n;
    await look();
    await allDelivered(alertId, 1);
    await send('PATCH', `/${String(alertId)}`, { ...WALLET_LOW, name: 'Night shift' });
    await look();
    expect(await deliveriesOf(alertId)).toHaveLength(1);
    await send('PATCH', `/${String(alertId)}`, { active: false });
    await query('UPDATE dashboard.alert_deliveries SET status = $1', ['pending']);
    await send('PATCH', `/${String(alertId)}`, { active: true });
    expect(await deliveriesOf(alertId)).toEqual([]);
    await look();
    await allDelivered(alertId, 1);
    await send('PATCH', `/${String(alertId)}`, { walletBelowWei: ((COIN * 45n) / 100n).toString() });
    await look();
    await allDelivered(alertId, 2);
  });

  it('is told once more of a paymaster that was archived and is restored, and not of an archived one', async () => {
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW });
    chain.balanceWei = (COIN * 4n) / 10n;
    await look();
    await allDelivered(alertId, 1);
    const own = async (deed: string) =>
      dashboard.call({ method: 'POST', path: `/paymaster/${paymasterId}/${deed}`, ...keys });
    expect((await own('archive')).status).toBe(200);
    await query('UPDATE dashboard.alert_deliveries SET status = $1', ['pending']);
    await look();
    expect(await deliveriesOf(alertId)).toEqual([]);
    expect((await own('restore')).status).toBe(200);
    await look();
    await look();
    await allDelivered(alertId, 1);
    expect(await deliveriesOf(alertId)).toHaveLength(1);
  });

  it('that is sent again has the id of its first mail, and another alert has another', async () => {
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW });
    chain.balanceWei = (COIN * 4n) / 10n;
    await look();
    await allDelivered(alertId, 1);
    await query(`UPDATE dashboard.alert_deliveries SET status = 'pending', next_attempt_at = now()`, []);
    await until(() => mailServer.mails.length === 2);
    await create({ ...MAIL, ...WALLET_LOW });
    await look();
    await until(() => mailServer.mails.length === 3);
    const ids = mailServer.mails.map(({ raw }) => /^Message-ID: <([0-9a-f]{32})@example\.org>/im.exec(raw)?.[1]);
    expect(ids).toEqual([expect.any(String), ids[0], expect.any(String)]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it('that is tried while its server does not answer says so within seconds', async () => {
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW });
    let release = (): void => undefined;
    mailServer.hold = new Promise((resolve) => (release = resolve));
    try {
      const { data } = (await send('POST', `/${String(alertId)}/test`)).body;
      const problem = 'the mail server did not take the mail in time';
      expect(data).toMatchObject({ delivered: false, problem });
      expect(Number(data?.['tookMs'])).toBeLessThan(8_000);
    } finally {
      release();
      mailServer.hold = undefined;
    }
  });

  it('stays with the process that is sending it when the alert is changed meanwhile', async () => {
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW });
    const leaseOf = async (left: number) => {
      await query(
        `INSERT INTO dashboard.alert_deliveries (alert_id, event_id, subject, type, body, attempts, next_attempt_at)
         SELECT id, gen_random_uuid(), 'x', 'x', '{}', 1, now() + $2 * interval '1 second' FROM dashboard.alerts WHERE id = $1`,
        [alertId, left],
      );
    };
    await leaseOf(29);
    await leaseOf(3_000);
    await send('PATCH', `/${String(alertId)}`, { name: 'Night shift' });
    const due = await query(
      `SELECT next_attempt_at <= now() OR status <> 'pending' AS due FROM dashboard.alert_deliveries
        WHERE alert_id = $1 ORDER BY created_at`,
      [alertId],
    );
    expect(due).toEqual([{ due: false }, { due: true }]);
  });

  it('is tried again while the mail server refuses it, and given up at last', async () => {
    mailServer.refuse = '451 try later';
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW });
    chain.balanceWei = 1n;
    await look();
    await until(async () => (await deliveriesOf(alertId))[0]?.['attempts'] === 1);
    await until(async () => (await deliveriesOf(alertId))[0]?.['lastStatus'] === 451);
    expect((await deliveriesOf(alertId))[0]).toMatchObject({
      ...{ status: 'pending', type: 'wallet.low', lastProblem: 'the mail server refused the mail' },
      lastAnswer: expect.stringContaining('try later') as string,
    });
    await query('UPDATE dashboard.alert_deliveries SET attempts = 7, next_attempt_at = now()', []);
    await until(async () => (await deliveriesOf(alertId))[0]?.['status'] === 'dead');
    expect(mailServer.mails).toEqual([]);
  });
});

describe('a chat or server', () => {
  const to = {
    SLACK: () => ({ url: `${receiver.url}/services/T0/B0/s3cretS3cret` }),
    DISCORD: () => ({ url: `${receiver.url}/api/webhooks/1/s3cretS3cret` }),
    TELEGRAM: () => ({ botToken: BOT_TOKEN, chatId: '-100123' }),
    WEBHOOK: () => ({ url: `${receiver.url}/hook?token=s3cretS3cret` }),
  };
  const said = () => JSON.parse(receiver.requests[0]?.body ?? '{}') as Shown;
  const text = expect.stringContaining('can spend 0.0 ETH') as string;

  it.each([
    ['SLACK', '/services/T0/B0/s3cretS3cret', () => ({ text })],
    ['DISCORD', '/api/webhooks/1/s3cretS3cret', () => ({ content: text, allowed_mentions: { parse: [] } })],
    [
      'TELEGRAM',
      `/bot${BOT_TOKEN}/sendMessage`,
      () => ({ chat_id: '-100123', text, link_preview_options: { is_disabled: true } }),
    ],
    [
      'WEBHOOK',
      '/hook?token=s3cretS3cret',
      () => ({
        ...{ type: 'alert', id: expect.any(String) as string, title: expect.stringContaining('an alert') as string },
        alerts: [expect.objectContaining({ type: 'wallet.low', text, isOver: false })],
      }),
    ],
  ] as const)(
    '%s is told as it documents, and its secrets are in no answer, log or table',
    async (kind, path, body) => {
      chain.balanceWei = 0n;
      const { alertId, secret } = await create({ name: 'n', kind, ...to[kind](), ...WALLET_LOW });
      await look();
      await allDelivered(alertId, 1);
      expect(receiver.requests).toHaveLength(1);
      expect(receiver.requests[0]).toMatchObject({ method: 'POST', path });
      expect(said()).toEqual(body());
      const [id, timestamp, signature] = ['id', 'timestamp', 'signature'].map(
        (name) => receiver.requests[0]?.headers[`webhook-${name}`],
      );
      if (kind === 'WEBHOOK') {
        const message = {
          id: String(id),
          timestampSeconds: Number(timestamp),
          body: String(receiver.requests[0]?.body),
        };
        expect(isWebhookSignature(String(signature), message, [String(secret)])).toBe(true);
      } else expect([id, timestamp, signature, secret]).toEqual([undefined, undefined, undefined, undefined]);
      const rows = await Promise.all(
        ['alerts', 'alert_deliveries', 'audit_log', 'account_events'].map((table) =>
          query(`SELECT * FROM dashboard.${table}`, []),
        ),
      );
      const shown = [rows, (await send('GET')).body, await deliveriesOf(alertId)];
      expect(JSON.stringify(shown)).not.toMatch(/s3cretS3cret|Ab-_Ab-_/);
    },
  );

  it.each([
    ['SLACK', 404, 'no_service', {}, 'no_service'],
    ['DISCORD', 404, { message: 'Unknown Webhook', code: 10015 }, {}, 'Unknown Webhook'],
    ['TELEGRAM', 401, { ok: false, error_code: 401, description: 'Unauthorized' }, {}, 'Unauthorized'],
  ] as const)('%s that refuses is shown with what it said', async (kind, status, body, _headers, answer) => {
    receiver.behaviour = answers(status, body);
    const { alertId } = await create({ name: 'n', kind, ...to[kind](), ...WALLET_LOW });
    const test = (await send('POST', `/${String(alertId)}/test`)).body;
    expect(test).toMatchObject({ message: 'Alert tested', data: { delivered: false, status, problem: null } });
    expect(test.data?.['answer']).toContain(answer);
  });

  it.each([
    ['SLACK', { 'retry-after': '90' }, 'rate_limited'],
    ['DISCORD', {}, '{"message": "You are being rate limited.", "retry_after": 90.5, "global": false}'],
    ['TELEGRAM', {}, '{"ok":false,"error_code":429,"description":"x","parameters":{"retry_after":90}}'],
  ] as const)('%s that wants a pause gets it', async (kind, headers, body) => {
    receiver.behaviour = (response) => void response.writeHead(429, headers).end(body);
    chain.balanceWei = 0n;
    const { alertId } = await create({ name: 'n', kind, ...to[kind](), ...WALLET_LOW });
    await look();
    await until(async () => (await deliveriesOf(alertId))[0]?.['lastStatus'] === 429);
    const [delivery] = await deliveriesOf(alertId);
    const waitMs = Date.parse(String(delivery?.['nextAttemptAt'])) - Date.now();
    expect(waitMs).toBeGreaterThan(60_000);
    expect(waitMs).toBeLessThan(95_000);
    receiver.behaviour = answers(204, '');
    await tryAgain();
    await allDelivered(alertId, 1);
  });

  it('that says the secret back is shown without it', async () => {
    const { alertId } = await create({ name: 'n', kind: 'SLACK', ...to.SLACK(), ...WALLET_LOW });
    receiver.behaviour = (response, { path }) => void response.writeHead(404).end(`no such page: ${path}`);
    const { data } = (await send('POST', `/${String(alertId)}/test`)).body;
    expect(data?.['answer']).toBe('no such page: /…');
  });

  it('in a private network is not asked', async () => {
    const inside = await startDashboard({ env: { WEBHOOK_SIGNING_KEY: '33'.repeat(32) } });
    try {
      const own = await createPaymaster(inside);
      const post = (url: string) =>
        inside.call({
          ...{ method: 'POST', path: '/alerts', ...own },
          body: { name: 'n', kind: 'SLACK', url, ...WALLET_LOW },
        });
      for (const url of [
        'https://10.0.0.1/x',
        'https://metadata.internal/',
        'http://hooks.example.org/',
        'https://a/',
      ]) {
        const { status, body } = await post(url);
        expect([status, body.message]).toEqual([400, expect.stringMatching(/^url is refused: the webhook's URL /)]);
      }
      // A name that leads inside is found when it is asked.
      const { body } = await post('https://localtest.me/x');
      const test = await inside.call({
        method: 'POST',
        path: `/alerts/${String(body.data?.['alertId'])}/test`,
        ...own,
      });
      expect(test.body.data).toMatchObject({ delivered: false, status: null });
      const mail = await inside.call({ method: 'POST', path: '/alerts', ...own, body: { ...MAIL, ...WALLET_LOW } });
      expect(mail.body).toMatchObject({ reason: 'MAIL_NOT_SET_UP' });
    } finally {
      await inside.stop();
    }
  });
});

describe('of two dashboards at once', () => {
  it('each alert is told by one, once', async () => {
    const config = dashboard.app.get(DashboardConfig);
    const others = await Promise.all([createApp(config), createApp(config)]);
    await Promise.all(others.map((app) => app.init()));
    try {
      const watches = [dashboard.app, ...others].map((app) => app.get(AlertWatch));
      chain.balanceWei = 0n;
      const made = [];
      for (let count = 0; count < 8; count++) {
        made.push(await create({ name: `n${count}`, kind: 'SLACK', url: `${receiver.url}/${count}`, ...WALLET_LOW }));
      }
      for (let round = 0; round < 3; round++) {
        await Promise.all(
          watches.map(async (watch) => {
            await query('UPDATE dashboard.alert_looks SET next_look_at = now() WHERE paymaster_id = $1');
            await lookOnce(watch);
          }),
        );
      }
      for (const { alertId } of made) await allDelivered(alertId, 1);
      await sleep(1_500);
      expect(receiver.requests.map(({ path }) => path).sort()).toEqual(made.map((_, count) => `/${count}`));
      const rows = await query(
        'SELECT count(*)::int AS count FROM dashboard.alert_deliveries WHERE attempts <> 1 AND alert_id = ANY ($1)',
        [made.map(({ alertId }) => alertId)],
      );
      expect(rows).toEqual([{ count: 0 }]);
    } finally {
      await Promise.all(others.map((app) => app.close()));
    }
  });
});

describe('what there is to tell', () => {
  const SLACK = () => ({ name: 'n', kind: 'SLACK', url: `${receiver.url}/x` });
  const told = async (alertId: unknown) => (await deliveriesOf(alertId)).map(({ text }) => String(text)).reverse();

  it('a limit at each percentage, and not again while it swings', async () => {
    await dashboard.call({
      ...{ method: 'POST', path: '/paymaster-policy', ...keys },
      body: {
        ...{ name: 'Budget', policyType: 'PAYMASTER_SA_LIMIT' },
        policyData: {
          type: 'PAYMASTER',
          cycleDuration: { value: 1, unit: 'day' },
          threshold: 20,
          thresholdType: 'COUNT',
        },
      },
    });
    const { alertId } = await create({ ...SLACK(), about: ['limitUsed'], limitPercents: [90, 50] });
    for (const used of [5, 10, 9, 10, 17, 18, 17, 20, 0, 10]) {
      limits = [
        { rule: 'Budget', perUser: false, unit: 'count', amount: '20', used: `${used}`, resetsAtSeconds: null },
      ];
      await look();
    }
    expect(await told(alertId)).toEqual([
      '50 % of a limit is used: Budget. It is 10 of 20 operations.',
      '90 % of a limit is used: Budget. It is 18 of 20 operations.',
      '50 % of a limit is used: Budget. It is 10 of 20 operations.',
    ]);
  });

  it('refusals that rise', async () => {
    const { alertId } = await create({ ...SLACK(), about: ['refusalsRising'] });
    await happened(5, { granted: 950, refused: 50 });
    await happened(0, { granted: 0, refused: 3 });
    await look();
    expect(await told(alertId)).toEqual([]);
    await query(
      `UPDATE dashboard.usage_hours SET granted = 60, refused = 40 WHERE paymaster_id = $1 AND hour > now() - interval '1 hour'`,
    );
    await look();
    await look();
    expect(await told(alertId)).toEqual([
      'Refusals rise: 40 of 100 operations of the last hour (40 %), 5 % in the 24 hours before.',
    ]);
  });

  it('the brake and a suspension, again after they ended', async () => {
    const { alertId } = await create({ ...SLACK(), about: ['walletBraked', 'paymasterSuspended'] });
    const brake = () =>
      query(
        `INSERT INTO dashboard.wallet_stops (paymaster_id, contract, funding_wallet, released_ms, stopped_at)
         VALUES ($1, $2, $3, $4, now()) ON CONFLICT (paymaster_id, contract, funding_wallet)
         DO UPDATE SET released_ms = excluded.released_ms`,
        [paymasterId, `0x${'9a'.repeat(20)}`, WALLET, Date.now()],
      );
    const suspend = (reason: string | null) =>
      query(
        'UPDATE dashboard.paymasters SET suspension_reason = $2, suspended_at = CASE WHEN $2::text IS NULL THEN NULL ELSE now() END WHERE id = $1',
        [paymasterId, reason],
      );
    await suspend('It drains wallets.');
    await look();
    await brake();
    await look();
    await suspend(null);
    await dashboard.call({ method: 'POST', path: '/paymaster-settings/release-brake', ...keys });
    await look();
    await suspend('Again.');
    await look();
    expect(await told(alertId)).toEqual([
      'The operator of this installation suspended the paymaster: It drains wallets.',
      'The spending brake stopped the paymaster: it signs nothing until you release the brake.',
      'The operator of this installation suspended the paymaster: Again.',
    ]);
  });
});

describe('quiet hours', () => {
  const hour = (offset: number) => `${String((new Date().getUTCHours() + 24 + offset) % 24).padStart(2, '0')}:00`;

  it('hold everything back, and sum it up when they end', async () => {
    const quietHours = { from: hour(-1), to: hour(2), timeZone: 'UTC' };
    const body = { ...MAIL, about: ['walletLow', 'paymasterSuspended'], walletBelowWei: '5', quietHours };
    const { alertId } = await create(body);
    chain.balanceWei = 1n;
    await look();
    await query(`UPDATE dashboard.paymasters SET suspended_at = now(), suspension_reason = 'r' WHERE id = $1`);
    await look();
    chain.balanceWei = COIN;
    await look();
    const end = quietUntil(quietHours, new Date())?.toISOString();
    await until(async () => (await deliveriesOf(alertId)).every(({ nextAttemptAt }) => nextAttemptAt === end));
    expect(mailServer.mails).toEqual([]);
    expect((await deliveriesOf(alertId)).map(({ attempts, status }) => [attempts, status])).toEqual([
      [0, 'pending'],
      [0, 'pending'],
    ]);
    // They are over: now, and not at the end that was.
    expect((await send('PATCH', `/${String(alertId)}`, { quietHours: null })).status).toBe(200);
    await allDelivered(alertId, 2);
    expect(mailServer.mails).toHaveLength(1);
    expect(mailServer.mails[0]?.subject).toMatch(/: 2 alerts$/);
    expect(mailServer.mails[0]?.text).toMatch(
      /UTC: The wallet can spend [^]* It is over by now\.\n\n[^]*UTC: The operator .* suspended the paymaster: r\n/,
    );
  });

  it('do not hold back a test', async () => {
    const quietHours = { from: hour(-1), to: hour(2), timeZone: 'UTC' };
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW, quietHours });
    expect((await send('POST', `/${String(alertId)}/test`)).body.data).toMatchObject({ delivered: true, status: null });
    expect(mailServer.mails[0]?.text).toBe('This is a test: alerts of this paymaster arrive here.');
  });
});

describe('/alerts', () => {
  it('creates, shows, changes and deletes, and the audit log says so', async () => {
    const { alertId, ...made } = await create({ ...MAIL, ...WALLET_LOW });
    expect(made).toEqual({
      ...{ version: 1, name: 'On call', kind: 'MAIL', destination: 'owner@example.org', active: true },
      ...{ ...WALLET_LOW, limitPercents: [], quietHours: null },
    });
    const change = {
      ...{ name: 'Night shift', about: ['limitUsed'], limitPercents: [100, 50], active: false, expectedVersion: 1 },
      ...{ mail: 'night@example.org', quietHours: { from: '09:00', to: '17:30', timeZone: 'Europe/Berlin' } },
    };
    expect((await send('PATCH', `/${String(alertId)}`, change)).body.data).toEqual({
      ...{ alertId, version: 2, name: 'Night shift', kind: 'MAIL', destination: 'night@example.org', active: false },
      ...{ about: ['limitUsed'], walletBelowWei: null, limitPercents: [50, 100], quietHours: change.quietHours },
    });
    expect((await send('PATCH', `/${String(alertId)}`, change)).body).toEqual(
      refusal(
        409,
        'VERSION_CONFLICT',
        'expectedVersion is not that of the alert, which has changed meanwhile: it is at version 2',
      ),
    );
    expect((await send('DELETE', `/${String(alertId)}`)).body.message).toBe('Alert deleted');
    expect((await send('GET')).body.data).toEqual([]);
    for (const [method, path] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined;
      const answer = await send(method, `/${String(alertId)}${path}`, body);
      expect(answer.body).toEqual(refusal(404, 'ALERT_NOT_FOUND', 'Alert not found'));
    }
    const logged = await query(
      `SELECT action, before, after FROM dashboard.audit_log WHERE subject = 'alert' AND subject_id = $1 ORDER BY id`,
      [alertId],
    );
    expect(logged.map(({ action }) => action)).toEqual(['created', 'updated', 'deleted']);
  });

  it('keeps the token of a bot when only the chat changes', async () => {
    const { alertId } = await create({ name: 'n', kind: 'TELEGRAM', botToken: BOT_TOKEN, chatId: '1', ...WALLET_LOW });
    const { data } = (await send('PATCH', `/${String(alertId)}`, { chatId: '@ops_room' })).body;
    expect(data).toMatchObject({ destination: 'chat @ops_room' });
    await send('POST', `/${String(alertId)}/test`);
    expect(receiver.requests[0]?.path).toBe(`/bot${BOT_TOKEN}/sendMessage`);
    expect(receiver.requests[0]?.body).toContain('"chat_id":"@ops_room"');
  });

  it.each([
    [{ mail: 'two@example.org,x@example.org' }, 'mail must be one mail address'],
    [{ mail: 'a@b.c\r\nBcc: d@e.f' }, 'mail must be one mail address'],
    [{ mail: undefined }, 'mail must be there for the kind MAIL'],
    [{ url: 'https://hooks.example.org/' }, 'url is not of the kind MAIL'],
    [{ kind: 'PIGEON' }, 'kind must be one of the following values: MAIL, SLACK, DISCORD, TELEGRAM, WEBHOOK'],
    [{ kind: 'TELEGRAM', mail: undefined, botToken: 'x' }, 'botToken must be the token of a bot'],
    [{ kind: 'SLACK', mail: undefined, url: 'ftp://a.example' }, 'url is refused'],
    [{ about: [] }, 'about should not be empty'],
    [{ about: ['weather'] }, 'each value in about must be one of the following values'],
    [{ walletBelowWei: undefined }, 'walletBelowWei must be there for walletLow'],
    [{ walletBelowWei: '0' }, 'walletBelowWei must be a string of decimal digits, above zero'],
    [{ about: ['limitUsed'] }, 'limitPercents must be there for limitUsed'],
    [{ limitPercents: [60] }, 'each value in limitPercents must be one of the following values'],
    [{ quietHours: { from: '25:00', to: '07:00', timeZone: 'UTC' } }, 'from must be a time such as 22:00'],
    [{ quietHours: { from: '07:00', to: '07:00', timeZone: 'UTC' } }, 'from and to must be different times'],
    [{ quietHours: { from: '22:00', to: '07:00', timeZone: 'Mars' } }, 'timeZone must be a time zone'],
    [{ quietHours: 5 }, 'quietHours'],
    [{ colour: 'red' }, 'property colour should not exist'],
  ])('refuses %j', async (change, message) => {
    const answer = await send('POST', '', { ...MAIL, ...WALLET_LOW, ...change });
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringContaining(message)]);
    expect((await send('GET')).body.data).toEqual([]);
  });

  it('has ten at most, and ten tests in ten minutes', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => send('POST', '', { ...MAIL, ...WALLET_LOW })));
    expect(made.filter(({ status }) => status === 200)).toHaveLength(10);
    const ids = ((await send('GET')).body.data as unknown as Shown[]).map(({ alertId }) => String(alertId));
    const tests = [];
    for (const id of [...ids, ...ids.slice(0, 2)]) tests.push(await send('POST', `/${id}/test`));
    expect(tests.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(tests.at(-1)).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.stringMatching(/^[45]\d\d|600$/) as string },
    });
    expect(mailServer.mails).toHaveLength(10);
  });

  it('shows a viewer the alerts, and lets him change nothing', async () => {
    const [{ account_id: id }] = (await query('SELECT account_id FROM dashboard.paymasters WHERE id = $1')) as [Shown];
    const { alertId } = await create({ ...MAIL, ...WALLET_LOW });
    const viewer = await signedInMember(dashboard, { id: String(id) }, 'viewer');
    const headers = { ...fromPage(viewer.cookie, String(id)), paymasterId };
    const as = (method: 'GET' | 'POST' | 'DELETE', path: string) =>
      dashboard.call({ method, path: `/alerts${path}`, headers });
    expect((await as('GET', '')).body.data).toHaveLength(1);
    for (const [method, path] of [
      ['GET', '/deliveries'],
      ['POST', '/test'],
      ['DELETE', ''],
    ] as const) {
      expect(await as(method, `/${String(alertId)}${path}`)).toMatchObject({ status: 403 });
    }
  });
});

it('a destination is bound to its paymaster', async () => {
  const { alertId } = await create({ name: 'n', kind: 'TELEGRAM', botToken: BOT_TOKEN, chatId: '1', ...WALLET_LOW });
  const other = await paymasterIdOf(dashboard, await createPaymaster(dashboard));
  await query('UPDATE dashboard.alerts SET paymaster_id = $2, id = $3 WHERE id = $1', [alertId, other, randomUUID()]);
  const [moved] = await query('SELECT id FROM dashboard.alerts WHERE paymaster_id = $1', [other]);
  const watch = dashboard.app.get(AlertWatch);
  await query('UPDATE dashboard.alert_looks SET next_look_at = now()', []);
  await expect(watch.look()).resolves.toBeUndefined();
  expect(moved).toBeDefined();
  expect(receiver.requests).toEqual([]);
});
