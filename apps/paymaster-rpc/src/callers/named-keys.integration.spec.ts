import {
  DEFAULT_PAYMASTER_SETTINGS,
  type KeyGrant,
  type PaymasterSettings,
  type PolicySnapshot,
} from '@paymaster/domain';
import { keyGrantBuilder, randomAddress, rulesPolicyBuilder, until } from '@paymaster/domain/testing';
import { randomApiKey } from '../testing/api-key';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, post, sponsoredMode, wireOperationV07 } from '../testing/rpc-call';

const PAGE = 'https://app.example';
const EVIL = 'https://evil.example';
const SPONSOR = 'pm_sponsorUserOperation';

describe('named keys', () => {
  let world: GatewayWorld;
  beforeAll(async () => {
    world = await startGatewayWorld();
  });
  afterAll(() => world?.stop());

  const newKey = (grant: Partial<KeyGrant> = {}, changes: Partial<PolicySnapshot> = {}) =>
    world.newPaymaster({ key: { ...keyGrantBuilder().build(), ...grant }, ...changes });
  const settingsWith = (settings: Partial<PaymasterSettings>) => ({
    settings: { ...DEFAULT_PAYMASTER_SETTINGS, ...settings },
  });
  const operation = (changes: object = {}) =>
    wireOperationV07(executeCall({ to: world.demo.address, data: `0x${world.demo.callData.slice(2)}` }), changes);
  const sponsor = ({ apiKey }: { apiKey: string }, changes: object = {}, headers: Record<string, string> = {}) =>
    call(`${world.url}/api/v2/31337/${apiKey}`, SPONSOR, [operation(changes), sponsoredMode()], headers);
  const reasonOf = async (asked: ReturnType<typeof sponsor>) => {
    const { json } = await asked;
    return json.error ? json.error.data['reason'] : 'sponsored';
  };
  const preflight = async ({ apiKey }: { apiKey: string }, origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' };
    const answer = await fetch(`${world.url}/api/v2/31337/${apiKey}`, { method: 'OPTIONS', headers });
    return answer.headers.get('access-control-allow-origin');
  };

  it('a publishable key serves the pages of its origins, and nobody else', async () => {
    const key = newKey({ allowedOrigins: [PAGE] });
    expect(await reasonOf(sponsor(key, {}, { origin: PAGE }))).toBe('sponsored');
    expect(await reasonOf(sponsor(key, {}, { origin: EVIL }))).toBe('ORIGIN_NOT_ALLOWED');
    expect(await reasonOf(sponsor(key))).toBe('ORIGIN_NOT_ALLOWED');
    expect([await preflight(key, PAGE), await preflight(key, EVIL)]).toEqual([PAGE, null]);
    const answer = await sponsor(key, {}, { origin: PAGE });
    expect(answer.headers.get('access-control-allow-origin')).toBe(PAGE);
  });

  it('a key opens no page that its paymaster keeps out', async () => {
    const key = newKey({ allowedOrigins: [PAGE, EVIL] }, settingsWith({ allowedOrigins: [PAGE] }));
    expect(await reasonOf(sponsor(key, {}, { origin: EVIL }))).toBe('ORIGIN_NOT_ALLOWED');
    expect([await preflight(key, PAGE), await preflight(key, EVIL)]).toEqual([PAGE, null]);
  });

  it('a key that has ended is refused with 401, whatever is asked', async () => {
    const answer = await sponsor(newKey({ expiresAtMs: Date.now() - 1 }));
    expect(answer).toMatchObject({
      status: 401,
      json: { error: { code: -32010, data: { reason: 'API_KEY_EXPIRED' } } },
    });
  });

  it('a key serves its networks only, and no header makes up another', async () => {
    expect(await reasonOf(sponsor(newKey({ allowedNetworks: ['127.0.0.0/8', '::1'] })))).toBe('sponsored');
    const elsewhere = newKey({ allowedNetworks: ['203.0.113.0/24'] });
    const forged = {
      'x-forwarded-for': '203.0.113.7',
      'x-client-address': '203.0.113.7',
      forwarded: 'for=203.0.113.7',
    };
    expect(await reasonOf(sponsor(elsewhere, {}, forged))).toBe('KEY_NETWORK_NOT_ALLOWED');
  });

  it('a key calls its methods only, also within a batch', async () => {
    const { apiKey } = newKey({ allowedMethods: ['pm_getPaymasterStubData'] });
    const stub = { method: 'pm_chainId', params: [] };
    const entries = [{ method: SPONSOR, params: [operation(), sponsoredMode()] }, stub];
    const body = JSON.stringify(entries.map((entry, id) => ({ jsonrpc: '2.0', id, ...entry })));
    const { json } = await post(`${world.url}/api/v2/31337/${apiKey}`, body);
    const reasons = (json as unknown as { error?: { data: { reason: string } } }[]).map(
      ({ error }) => error?.data.reason,
    );
    expect(reasons).toEqual(['KEY_METHOD_NOT_ALLOWED', 'KEY_METHOD_NOT_ALLOWED']);
    expect(await reasonOf(sponsor(newKey({ allowedMethods: [SPONSOR] })))).toBe('sponsored');
  });

  it('a key serves its accounts only: in final data, stub, explanation and validation, and no user pays instead', async () => {
    const sender = randomAddress();
    const key = newKey({ allowedSenders: [sender] }, settingsWith({ onRefusal: 'userPays', explainToClients: true }));
    expect(await reasonOf(sponsor(key, { sender }))).toBe('sponsored');
    const url = `${world.url}/api/v2/31337/${key.apiKey}`;
    const entryPoint = '0x0000000071727de22e5e9d8baf0edac6f37da032';
    const asked = [
      sponsor(key),
      call(url, 'pm_explain', [operation(), sponsoredMode()]),
      call(url, 'pm_getPaymasterStubData', [operation(), entryPoint, '0x7a69', {}]),
      call(url, 'pm_getPaymasterData', [operation(), entryPoint, '0x7a69', {}]),
      call(url, 'pm_validateSponsorshipPolicies', [operation(), entryPoint, ['default']]),
      call(url, 'pm_validateSponsorshipPolicies', [operation(), entryPoint, []]),
    ];
    expect(await Promise.all(asked.map(reasonOf))).toEqual(asked.map(() => 'KEY_SENDER_NOT_ALLOWED'));
  });

  it('a key is sponsored by its policies only, and by nothing where they are gone', async () => {
    const stranger = randomAddress();
    const narrow = { ...rulesPolicyBuilder().build(), priority: 200 };
    const strict = {
      ...narrow,
      ...{ policyId: 'strict', priority: 100, rules: { ...narrow.rules, allowedSenders: [stranger] } },
    };
    const wide = { ...narrow, policyId: 'wide' };
    const policies = [strict, wide];
    expect(await reasonOf(sponsor(newKey({}, { policies })))).toBe('sponsored');
    expect(await reasonOf(sponsor(newKey({ policyIds: ['wide'] }, { policies })))).toBe('sponsored');
    const key = newKey({ policyIds: ['strict'] }, { policies });
    expect(await reasonOf(sponsor(key))).toBe('SENDER_NOT_ALLOWED');
    expect(await reasonOf(sponsor(key, { sender: stranger }))).toBe('sponsored');
    const gone = newKey({ policyIds: ['deleted'] }, { policies: [] });
    expect(await reasonOf(sponsor(gone))).toBe('KEY_POLICIES_NOT_IN_FORCE');

    const url = `${world.url}/api/v2/31337/${key.apiKey}`;
    const entryPoint = '0x0000000071727de22e5e9d8baf0edac6f37da032';
    const named = await call(url, SPONSOR, [operation({ sender: stranger }), entryPoint, { policyId: 'wide' }]);
    expect(named.json.error?.data).toMatchObject({ reason: 'INVALID_PARAMS' });
  });

  const capsWith = (perClient: number) =>
    settingsWith({
      liveSignatureCaps: { perSender: 4, perClient, perPaymaster: 10_000, clientSharePercent: 100 },
    });
  const outcomes = async (asked: readonly ReturnType<typeof sponsor>[]) => {
    const reasons = await Promise.all(asked.map(reasonOf));
    return Object.fromEntries(
      [...new Set(reasons)].map((reason) => [reason, reasons.filter((r) => r === reason).length]),
    );
  };

  it('a limit of a key holds exactly, over several gateways that are asked at once', async () => {
    const other = await world.another();
    const limits = [
      { id: 'KEY-COUNT-LIFETIME', scope: 'KEY', measure: 'COUNT', amount: 10n, cycle: 'LIFETIME' },
    ] as const;
    const { apiKey, snapshot } = newKey({ limits }, capsWith(10_000));
    const askAt = (url: string, key = apiKey) =>
      call(`${url}/api/v2/31337/${key}`, SPONSOR, [operation(), sponsoredMode()]);
    const asked = Array.from({ length: 60 }, (_, at) => askAt(at % 2 ? world.url : other));
    expect(await outcomes(asked)).toEqual({ sponsored: 10, KEY_LIMIT_REACHED: 50 });
    // The stub says so before the client estimates, and the limit is that of one key alone.
    const stub = [operation(), '0x0000000071727de22e5e9d8baf0edac6f37da032', '0x7a69', {}];
    expect(await reasonOf(call(`${other}/api/v2/31337/${apiKey}`, 'pm_getPaymasterStubData', stub))).toBe(
      'KEY_LIMIT_REACHED',
    );
    const sibling = randomApiKey();
    world.responder.set(sibling, { ...snapshot, key: { ...keyGrantBuilder().build(), limits } });
    expect(await reasonOf(askAt(other, sibling))).toBe('sponsored');
  });

  it('a limit per user of a key counts each account, and one of wei what its operations may cost', async () => {
    const sender = randomAddress();
    const limits = [
      { id: 'USER-COUNT-LIFETIME', scope: 'USER', measure: 'COUNT', amount: 2n, cycle: 'LIFETIME' },
    ] as const;
    const key = newKey({ limits }, capsWith(10_000));
    for (const nonce of ['0x1', '0x2']) expect(await reasonOf(sponsor(key, { sender, nonce }))).toBe('sponsored');
    expect(await reasonOf(sponsor(key, { sender, nonce: '0x3' }))).toBe('KEY_LIMIT_REACHED');
    expect(await reasonOf(sponsor(key))).toBe('sponsored');
    const small = [{ id: 'KEY-WEI-LIFETIME', scope: 'KEY', measure: 'WEI', amount: 1n, cycle: 'LIFETIME' }] as const;
    expect(await reasonOf(sponsor(newKey({ limits: small })))).toBe('KEY_LIMIT_REACHED');
  });

  it.each(['x-forwarded-user', 'x-client-address'])(
    'an app proxy with a secret key has its users counted one by one, named by %s',
    async (header) => {
      const [alice, bob] = header === 'x-forwarded-user' ? ['alice', 'bob'] : ['203.0.113.7', '2001:db8::7'];
      const secret = newKey({ kind: 'SECRET' }, capsWith(2));
      const asked = (key: typeof secret, users: readonly (string | undefined)[]) =>
        users.map((user) => sponsor(key, {}, user === undefined ? {} : { [header]: user }));
      // Requests for which the server names no user are not counted.
      expect(
        await outcomes(asked(secret, [alice, alice, alice, bob, bob, bob, undefined, undefined, undefined])),
      ).toEqual({
        ...{ sponsored: 7, TOO_MANY_LIVE_SIGNATURES: 2 },
      });
      // Everybody has the publishable key, so the header is not read there, and all requests count for one client.
      const publishable = newKey({}, capsWith(2));
      expect(await outcomes(asked(publishable, [alice, bob, 'carol', 'dave']))).toEqual({
        ...{ sponsored: 2, TOO_MANY_LIVE_SIGNATURES: 2 },
      });
      const own = world.newPaymaster(capsWith(2));
      expect(await outcomes(asked(own, [alice, bob, 'carol']))).toEqual({ sponsored: 2, TOO_MANY_LIVE_SIGNATURES: 1 });
    },
  );

  it('a server that the owner named is not counted, nor refused as one client; another is, whatever its headers say', async () => {
    const { liveSignatureCaps } = capsWith(2).settings;
    const with50 = { ...liveSignatureCaps, clientSharePercent: 50 };
    const servedFrom = (servers: readonly string[]) =>
      world.newPaymaster(settingsWith({ liveSignatureCaps: with50, servers }));
    const [named, unnamed] = [servedFrom(['127.0.0.0/24', '::1']), servedFrom(['203.0.113.7'])];
    const asked = (key: typeof named, headers: Record<string, string> = {}) =>
      Array.from({ length: 5 }, () => sponsor(key, {}, headers));
    expect(await outcomes(asked(named))).toEqual({ sponsored: 5 });
    const refused = { sponsored: 2, TOO_MANY_LIVE_SIGNATURES: 3 };
    expect(await outcomes(asked(named, { 'x-forwarded-user': 'alice' }))).toEqual(refused);
    expect(await outcomes(asked(named, { 'x-forwarded-user': 'bob' }))).toEqual(refused);
    // TRUSTED_PROXIES is 0, so no header is believed about where a request comes from.
    expect(await outcomes(asked(unnamed, { 'x-forwarded-for': '203.0.113.7' }))).toEqual(refused);
  });

  it('an app proxy that lets its users send the header too is refused, and not believed', async () => {
    const secret = newKey({ kind: 'SECRET' });
    for (let times = 0; times < 2; times++) {
      const { json } = await sponsor(secret, {}, { 'x-forwarded-user': 'mallory, alice' });
      expect(json.error?.data).toMatchObject({ reason: 'INVALID_PARAMS', field: 'x-forwarded-user' });
    }
  });

  it('a grant that the gateway does not understand is no grant', async () => {
    const snapshot = newKey().snapshot;
    for (const key of [
      { ...snapshot.key, kind: 'WIDE_OPEN' },
      { ...snapshot.key, allowedMoons: null },
      { limits: [] },
    ]) {
      const apiKey = randomApiKey();
      world.responder.set(apiKey, { ...snapshot, key: key as KeyGrant });
      expect(await reasonOf(sponsor({ apiKey }))).toBe('DEPENDENCY_UNAVAILABLE');
    }
  });

  it('a key is rotated under load: no request of either text is refused while both work, all are when one ends', async () => {
    const first = newKey(
      { allowedOrigins: [PAGE] },
      {
        settings: {
          ...DEFAULT_PAYMASTER_SETTINGS,
          liveSignatureCaps: { perSender: 4, perClient: 10_000, perPaymaster: 10_000, clientSharePercent: 100 },
        },
      },
    );
    const second = { apiKey: randomApiKey() };
    const load = async (keys: readonly { apiKey: string }[], times: number) => {
      const asked = Array.from({ length: times }, (_, at) =>
        reasonOf(sponsor(keys[at % keys.length] as never, {}, { origin: PAGE })),
      );
      return [...new Set(await Promise.all(asked))];
    };
    const { snapshot } = first;
    expect(await load([first], 20)).toEqual(['sponsored']);
    const underWay = load([first], 40);
    const rotated = { ...snapshot, version: 2 };
    world.responder.set(first.apiKey, {
      ...rotated,
      key: { ...snapshot.key, expiresAtMs: Date.now() + 60_000 } as KeyGrant,
    });
    world.responder.set(second.apiKey, rotated);
    await world.responder.broadcast(rotated);
    expect(await underWay).toEqual(['sponsored']);
    expect(await load([first, second], 40)).toEqual(['sponsored']);
    world.responder.remove(first.apiKey);
    world.responder.set(second.apiKey, { ...rotated, version: 3 });
    await world.responder.broadcast({ ...rotated, version: 3 });
    await until(async () => (await load([first], 1))[0] === 'INVALID_API_KEY', 'the former text has ended');
    expect(await load([first], 10)).toEqual(['INVALID_API_KEY']);
    expect(await load([second], 20)).toEqual(['sponsored']);
  });
});
