import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeRpcServer } from '@paymaster/chain/testing';
import { normalizeAddress } from '@paymaster/domain';
import { until } from '@paymaster/domain/testing';
import { fromStored } from '@paymaster/ledger/testing';
import { sponsorshipSubject, SPONSORSHIP_STREAM, type SponsorshipEventKind } from '@paymaster/messaging';
import { answers } from '@paymaster/webhooks/testing';
import { connect } from 'nats';
import { SPOKEN_DIALECTS, type Dialect } from '../../src/wire/json-rpc/rpc-method';
import { answerAsBundler } from '../../src/testing/answer-as-bundler';
import { startDashboardProcess } from '../../src/testing/dashboard-process';
import { call, executeCall, post, sponsoredMode, wireOperationV07, type RpcAnswer } from '../../src/testing/rpc-call';
import { startTokenWorld, type TokenWorld } from '../../src/testing/token-world';
import { INCREMENT, METHOD_ROWS, ofNothing, type Named } from './methods';
import { ENTRY_POINT, furnishTenant, grant, namedOf, type Tenant, type TenantPlace } from './tenant';

/** An operator's token list, without a token. */
const EMPTY_LIST = { name: 'None', timestamp: '2025-01-01T00:00:00.000Z', version: { major: 1, minor: 0, patch: 0 } };
const SIGNING = ['pm_getFeeQuoteOrData', 'pm_sponsorUserOperation', 'pm_getPaymasterData'];
const ESTIMATE = { callGasLimit: '0x61a80', verificationGasLimit: '0x3d090', preVerificationGas: '0xea60' };

let place: TenantPlace;
let world: TokenWorld;
/** Two paymasters of one account, and one of another; all on one chain. */
let own: Tenant;
let sibling: Tenant;
let stranger: Tenant;
let accounts: { readonly first: string; readonly second: string };
const closers: Array<() => Promise<unknown>> = [];

beforeAll(async () => {
  const bundler = await FakeRpcServer.start();
  closers.push(() => bundler.stop());
  bundler.methods['eth_estimateUserOperationGas'] = () => ESTIMATE;
  answerAsBundler(bundler);
  const env = {
    ...{ API_KEY_INDEX_KEY: '11'.repeat(32), WEBHOOK_SIGNING_KEY: '33'.repeat(32), WEBHOOK_ALLOW_INSECURE: 'true' },
    MAX_LIVE_SIGNATURES_PER_SENDER: '1000',
  };
  world = await startTokenWorld({
    ...{ env, bundlerUrl: bundler.url },
    // The operator lists no token, so each token belongs only to the paymaster that adds it.
    chainChanges: async ({ folder }) => {
      writeFileSync(join(folder, 'none.json'), JSON.stringify({ ...EMPTY_LIST, tokens: [] }));
      return { tokenList: 'none.json', chainReads: true };
    },
  });
  closers.push(() => world.stop());
  const dashboard = await startDashboardProcess(world, { env, chain: { pricing: { native: { fixedUsd: '3000' } } } });
  closers.push(() => dashboard.stop());
  place = { world, dashboard, onStop: (stop) => void closers.push(stop) };
  const [first, second] = await Promise.all(['first', 'second'].map((name) => dashboard.createAccount(name)));
  accounts = { first: first ?? '', second: second ?? '' };
  const { USDx, BTCx, DAIx } = world.tokens;
  own = await furnishTenant(place, { authToken: accounts.first, token: USDx });
  sibling = await furnishTenant(place, { authToken: accounts.first, token: BTCx });
  stranger = await furnishTenant(place, { authToken: accounts.second, token: DAIx });
  for (const { url } of [own, sibling, stranger]) await call(url, 'pm_supportedERC20Tokens', []);
  await world.prices.refresh();
}, 240_000);
afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

const operationOf = ({ contract }: Tenant, changes: object = {}) =>
  wireOperationV07(executeCall({ to: contract, data: INCREMENT }), changes);
const sponsor = ({ url }: Tenant, operation: object) =>
  call(url, 'pm_sponsorUserOperation', [operation, sponsoredMode()]);
const reasonOf = ({ json }: RpcAnswer): unknown => json.error?.data['reason'] ?? 'granted';

/** Every row of every table of the ledger in which the paymaster or its wallet stands. */
async function rowsOf({ paymasterId, fundingWallet }: Tenant): Promise<string[]> {
  const tables = await world.ledger.rows<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'ledger' ORDER BY 1",
  );
  const select = tables.map(({ name }) => `SELECT '${name} ' || to_json(t)::text AS row FROM ledger.${name} t`);
  const rows = await world.ledger.rows<{ row: string }>(
    `SELECT row FROM (${select.join(' UNION ALL ')}) r WHERE row ~ $1 ORDER BY row`,
    [`${paymasterId}|${fundingWallet}`],
  );
  return rows.map(({ row }) => row);
}

const without = (text: string, named: Named): string =>
  Object.values(named).reduce((rest, name: string) => rest.replaceAll(name, '<named>'), text);

/** The answer without texts that the request contained, and without the parts that differ in every answer. */
function comparable({ status, text }: RpcAnswer, named: Named): string {
  return `${status} ${without(text, named)
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/0x[0-9a-f]{40,}/g, '<own>')
    .replace(/"validUntil":\d+/g, '"validUntil":0')
    // Bounds of gas and fees depend on the operation's bytes, which are random, and on the last block.
    .replace(/([<>]=) \d+/g, '$1')
    .replace(/("max(?:Priority)?FeePerGas"):"0x[0-9a-f]+"/g, '$1:"0x"')}`;
}

function expectNothingOf(victim: Tenant, text: string): void {
  for (const mark of victim.marks) expect(text).not.toContain(mark);
}

describe('the isolation matrix of the gateway', () => {
  it('lists every method', () => {
    const dialects = world.app.get<Dialect[]>(SPOKEN_DIALECTS, { strict: false });
    const names = dialects.flatMap(({ methods }) => methods.map(({ name }) => name));
    expect(Object.keys(METHOD_ROWS).sort()).toEqual([...new Set(names)].sort());
  });

  // Without this check, the requests below might be refused for every client, and the refusals would prove nothing.
  it.each(Object.entries(METHOD_ROWS))('%s answers its owner', async (method, { requests, shows }) => {
    for (const params of requests(await namedOf(own), own)) {
      const answer = await call(own.url, method, params);
      expect(answer.json).toMatchObject({ result: expect.anything() });
      expect(answer.json).not.toMatchObject({ result: { sponsored: false } });
      if (shows) expect(own.marks.some((mark) => answer.text.includes(mark))).toBe(true);
    }
  });

  describe.each<[string, () => Tenant]>([
    ['another account’s paymaster', () => stranger],
    ['the account’s other paymaster', () => sibling],
  ])('takes what is of %s for what is of nobody', (_whose, victimOf) => {
    it.each(Object.entries(METHOD_ROWS))('in %s', async (method, { requests }) => {
      const victim = victimOf();
      const [named, nothing] = [await namedOf(victim), ofNothing()];
      const [before, asked] = [await rowsOf(victim), victim.decisions.requests.length];
      expect(before.length).toBeGreaterThan(5);
      const unknown = requests(nothing, { ...own, payable: victim.payable });
      for (const [at, params] of requests(named, { ...own, payable: victim.payable }).entries()) {
        const ofBoth = async () => {
          const answer = await call(own.url, method, params);
          expectNothingOf(victim, without(answer.text, named));
          const expected = await call(own.url, method, unknown[at] ?? []);
          return [comparable(answer, named), comparable(expected, nothing)] as const;
        };
        const [answer, expected] = await ofBoth();
        // The chain may have got a block between the two requests. Then the two after it are equal.
        const [again, expectedAgain] = answer === expected ? [answer, expected] : await ofBoth();
        expect(again).toBe(expectedAgain);
      }
      expect(await rowsOf(victim)).toEqual(before);
      expect(victim.decisions.requests).toHaveLength(asked);
    });
  });
});

describe('two paymasters', () => {
  /** Has the wallet of one that is above. */
  let sharing: Tenant;
  beforeAll(async () => {
    const { token, fundingWallet } = own;
    sharing = await furnishTenant(place, { authToken: accounts.first, token, fundingWallet });
  });

  it.each(SIGNING)('both sign one operation in %s, and hold it twice, also of one wallet', async (method) => {
    const { sender, nonce } = operationOf(own) as { sender: string; nonce: string };
    const datas: string[] = [];
    for (const tenant of [own, stranger, sharing]) {
      const operation = operationOf(tenant, { sender, nonce });
      const isCore = method !== 'pm_getPaymasterData';
      const params = isCore ? [operation, sponsoredMode()] : [operation, ENTRY_POINT, '0x7a69', null];
      const { json } = await call(tenant.url, method, params);
      const data = String(json.result?.[isCore ? 'paymasterAndData' : 'paymasterData']);
      expect(data).toContain(tenant.fundingWallet.slice(2));
      datas.push(data);
    }
    expect(new Set(datas).size).toBe(3);
    const held = await world.ledger.rows<{ paymaster_id: string; state: string }>(
      'SELECT paymaster_id, state FROM ledger.reservations WHERE sender = $1 AND nonce = $2',
      [normalizeAddress(sender), BigInt(nonce).toString()],
    );
    const open = [own, stranger, sharing].map(({ paymasterId }) => ({ paymaster_id: paymasterId, state: 'open' }));
    expect(held).toHaveLength(open.length);
    expect(held).toEqual(expect.arrayContaining(open));
  });

  it('each have limits and places of a sender of their own', async () => {
    const limits = { all: 3, perUser: 2 };
    const settings = { maxLiveSignaturesPerSender: 2 };
    const wish = { limits, settings };
    const one = await furnishTenant(place, { ...wish, authToken: accounts.first, token: own.token });
    const other = await furnishTenant(place, { ...wish, authToken: accounts.second, token: own.token });
    const { sender } = operationOf(one) as { sender: string };
    for (const tenant of [one, other]) {
      const { text } = await call(tenant.url, 'pm_explain', [operationOf(tenant, { sender }), sponsoredMode()]);
      const { budgets } = (JSON.parse(text) as { result: { budgets: { used: string }[] } }).result;
      expect(budgets.map(({ used }) => used)).toEqual(budgets.map(() => '0'));
      for (const nonce of ['0x1', '0x2']) await grant(tenant.url, operationOf(tenant, { sender, nonce }));
      expect(reasonOf(await sponsor(tenant, operationOf(tenant, { sender, nonce: '0x3' })))).not.toBe('granted');
      await grant(tenant.url, operationOf(tenant));
      expect(reasonOf(await sponsor(tenant, operationOf(tenant)))).toBe('SPENDING_LIMIT_REACHED');
    }
  });

  it('each ask and inform only their own servers', async () => {
    const senders = new Map<Tenant, string>();
    for (const tenant of [own, stranger]) {
      const operation = operationOf(tenant) as { sender: string };
      await grant(tenant.url, operation);
      senders.set(tenant, normalizeAddress(operation.sender));
    }
    await tellEvents();
    for (const [tenant, foreign] of [
      [own, stranger],
      [stranger, own],
    ] as const) {
      const sender = senders.get(tenant) ?? '';
      const isTold = () => tenant.events.requests.some(({ body }) => body.includes(sender));
      await until(isTold, 'the owner is told');
      const received = JSON.stringify([...tenant.decisions.requests, ...tenant.events.requests]);
      expect(tenant.decisions.requests.some(({ body }) => body.includes(sender))).toBe(true);
      expect(received).not.toContain(senders.get(foreign));
      expectNothingOf(foreign, received);
    }
  });

  it('each fail only because of their own server', async () => {
    stranger.decisions.behaviour = answers(500, {});
    for (let sent = 0; sent < 7; sent++) {
      expect(reasonOf(await sponsor(stranger, operationOf(stranger)))).toBe('WEBHOOK_FAILED');
    }
    expect(reasonOf(await sponsor(own, operationOf(own)))).toBe('granted');
  });

  it('explain refusals only if their own owner wants it', async () => {
    const settings = { explainToClients: false, maxOperationCostWei: '1' };
    const quiet = await furnishTenant(place, { authToken: accounts.first, token: own.token, settings });
    const refusedBy = async (tenant: Tenant, operation: object) =>
      (await call(tenant.url, 'pm_explain', [operation, sponsoredMode()])).json;
    expect((await refusedBy(quiet, operationOf(quiet))).error?.data['reason']).toBe('EXPLANATIONS_OFF');
    expect((await refusedBy(sibling, operationOf(sibling))).result).toMatchObject({ trace: expect.anything() });
    const refusals = [await sponsor(quiet, operationOf(quiet)), await sponsor(sibling, operationOf(own))];
    const told = refusals.map(({ json }) => Object.keys(json.error?.data ?? {}));
    // Every client gets this hint about what to send instead.
    expect(told).toEqual([['reason', 'requestId', 'field', 'value', 'limit'], expect.arrayContaining(['trace'])]);
  });

  it('each allow only pages of their own origins', async () => {
    for (const { url, origin } of [own, sibling]) {
      const answer = await call(url, 'pm_chainId', [], { origin });
      expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
      const foreign = await call(url, 'pm_chainId', [], { origin: stranger.origin });
      expect(reasonOf(foreign)).toBe('ORIGIN_NOT_ALLOWED');
      const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: stranger.origin } });
      expect(preflight.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('are identified by the key in the path, whatever keys the headers contain', async () => {
    const keys = { 'x-api-key': stranger.apiKey, authorization: `Bearer ${sibling.apiKey}` };
    const { text } = await call(own.url, 'pm_supportedERC20Tokens', [], keys);
    expect(text).toContain(own.name);
    for (const other of [stranger, sibling]) expectNothingOf(other, text);
  });

  it('are answered apart when both ask at once', async () => {
    const body = JSON.stringify(
      Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'pm_supportedERC20Tokens' })),
    );
    const asked = Array.from({ length: 30 }, (_, index) => (index % 2 ? own : stranger));
    const all = await Promise.all(asked.map(async (tenant) => ({ tenant, text: (await post(tenant.url, body)).text })));
    for (const { tenant, text } of all) {
      expect(text.split(tenant.name)).toHaveLength(6);
      expectNothingOf(tenant === own ? stranger : own, text);
    }
  });

  it('each have their own rate limit, whatever the other sends', async () => {
    const batch = JSON.stringify(Array(20).fill({ jsonrpc: '2.0', id: 1, method: 'pm_chainId' }));
    // The last requests come when the first have used up the limits.
    const asked = [...Array<Tenant>(80).fill(sibling), ...Array<Tenant>(10).fill(own)];
    const sent = await Promise.all(asked.map(async (tenant) => ({ tenant, ...(await post(tenant.url, batch)) })));
    const statusesOf = (tenant: Tenant) =>
      new Set(sent.filter((one) => one.tenant === tenant).map(({ status }) => status));
    expect(statusesOf(sibling)).toContain(429);
    expect(statusesOf(own)).toEqual(new Set([200]));
  });
});

/** Publishes the ledger's outbox as settlement does. */
async function tellEvents(): Promise<void> {
  const connection = await connect({ servers: world.broker.current.url });
  const manager = await connection.jetstreamManager();
  await manager.streams.add({ name: SPONSORSHIP_STREAM, subjects: ['sponsorship.>'] });
  const events = await world.ledger.rows<{ id: string; kind: SponsorshipEventKind; paymaster: string; event: object }>(
    `SELECT event_id AS id, kind, paymaster_id AS paymaster, payload AS event FROM ledger.outbox ORDER BY outbox.id`,
  );
  for (const { id, kind, paymaster, event } of events) {
    const body = JSON.stringify({ ...fromStored(event), eventId: id, atMs: Date.now() });
    await connection.jetstream().publish(sponsorshipSubject(kind, paymaster), body, { msgID: id });
  }
  await connection.close();
}
