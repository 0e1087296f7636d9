import { createHmac, generateKeyPairSync, randomUUID, sign as signBytes, type KeyObject } from 'node:crypto';
import { DEFAULT_PAYMASTER_SETTINGS, type PolicySnapshot, type SessionAlgorithm } from '@paymaster/domain';
import { keyGrantBuilder, randomAddress, rulesPolicyBuilder, until } from '@paymaster/domain/testing';
import { SignJWT, type JWTPayload } from 'jose';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, executeCall, sponsoredMode, wireOperationV07 } from '../testing/rpc-call';

const HOUR = 3_600;

interface BackEnd {
  readonly keyId: string;
  readonly algorithm: SessionAlgorithm;
  readonly spki: string;
  readonly privateKey: KeyObject;
}

function backEnd(algorithm: SessionAlgorithm): BackEnd {
  const { publicKey, privateKey } =
    algorithm === 'EdDSA' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  return { keyId: randomUUID(), algorithm, spki, privateKey };
}
const registered = ({ keyId, algorithm, spki }: BackEnd) => ({ keyId, algorithm, spki });
const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** What the page of the docs shows. */
function sign(by: BackEnd, claims: JWTPayload & { sender?: unknown }, header: object = {}): Promise<string> {
  const iat = nowSeconds();
  return new SignJWT({ iat, exp: iat + HOUR, sub: 'alice', ...claims })
    .setProtectedHeader({ alg: by.algorithm, kid: by.keyId, ...header })
    .sign(by.privateKey);
}

describe('session tokens', () => {
  let world: GatewayWorld;
  const [app, p256, other] = [backEnd('EdDSA'), backEnd('ES256'), backEnd('EdDSA')];
  beforeAll(async () => {
    world = await startGatewayWorld();
  });
  afterAll(() => world?.stop());
  afterEach(() => jest.restoreAllMocks());

  const paymaster = (changes: Partial<PolicySnapshot> = {}) =>
    world.newPaymaster({
      settings: {
        ...DEFAULT_PAYMASTER_SETTINGS,
        liveSignatureCaps: { perSender: 4, perClient: 10_000, perPaymaster: 10_000, clientSharePercent: 100 },
      },
      sessionKeys: [registered(app), registered(p256)],
      ...changes,
    });
  const ask = async ({ apiKey }: { apiKey: string }, token?: string, changes: object = {}) => {
    const operation = wireOperationV07(executeCall({ to: world.demo.address, data: world.demo.callData }), changes);
    const headers: Record<string, string> = token === undefined ? {} : { 'x-session-token': token };
    const url = `${world.url}/api/v2/31337/${apiKey}`;
    const { status, json } = await call(url, 'pm_sponsorUserOperation', [operation, sponsoredMode()], headers);
    return json.error ? `${status} ${String(json.error.data['reason'])}` : 'sponsored';
  };
  const perUser = (amount: bigint) =>
    ({ id: 'USER-COUNT-LIFETIME', scope: 'USER', measure: 'COUNT', amount, cycle: 'LIFETIME' }) as const;
  const usersLimit = (amount: bigint) => {
    const policy = rulesPolicyBuilder().build();
    return { policies: [{ ...policy, rules: { ...policy.rules, limits: [perUser(amount)] } }] };
  };
  const usersLimitOfKey = (amount: bigint) => ({ key: { ...keyGrantBuilder().build(), limits: [perUser(amount)] } });

  it('are taken from the back ends that the paymaster registered, of both kinds', async () => {
    const { apiKey, snapshot } = paymaster();
    const aud = snapshot.paymasterId;
    expect(await ask({ apiKey }, await sign(app, { aud }))).toBe('sponsored');
    expect(await ask({ apiKey }, await sign(p256, { aud }))).toBe('sponsored');
    expect(await ask({ apiKey })).toBe('sponsored');
  });

  it('are refused when anything is wrong with them, and never ignored', async () => {
    const key = paymaster();
    const aud = key.snapshot.paymasterId;
    const iat = nowSeconds();
    const unsigned = (header: object, claims: object = { aud, sub: 'alice', iat, exp: iat + HOUR }) =>
      [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    const good = await sign(app, { aud });
    const [head, , signature] = good.split('.');
    const otherClaims = unsigned({}, { aud, sub: 'bob', iat, exp: iat + HOUR }).split('.')[1];
    const shared = unsigned({ alg: 'HS256', kid: app.keyId });
    const extended = unsigned({ alg: 'EdDSA', kid: app.keyId, crit: ['moon'], moon: 1 });
    const bad: Record<string, string> = {
      'no token at all': '',
      'no JWT': 'x',
      'the token of another paymaster': await sign(app, { aud: randomUUID() }),
      'a token for several paymasters': await sign(app, { aud: [aud, randomUUID()] }),
      'without an audience': await sign(app, {}),
      'by the back end of another app': await sign(other, { aud }),
      'by another key under the name of a good one': await sign({ ...app, privateKey: other.privateKey }, { aud }),
      'without the name of a key': await sign(app, { aud }, { kid: undefined }),
      'without a signature': `${unsigned({ alg: 'none', kid: app.keyId })}.`,
      'signed with the public key as a secret': `${shared}.${createHmac('sha256', app.spki).update(shared).digest('base64url')}`,
      'with another algorithm than its key has': await sign({ ...p256, keyId: app.keyId }, { aud }),
      'with claims of somebody else': `${head}.${otherClaims}.${signature}`,
      'with an extension that nobody understands': `${extended}.${signBytes(null, Buffer.from(extended), app.privateKey).toString('base64url')}`,
      'good for longer than a day': await sign(app, { aud, iat, exp: iat + 86_401 }),
      'ending before it begins': await sign(app, { aud, iat: iat + 5, exp: iat + 3 }),
      'made in the future': await sign(app, { aud, iat: iat + HOUR, exp: iat + 2 * HOUR }),
      'not yet good': await sign(app, { aud, nbf: iat + HOUR }),
      'without an end': await sign(app, { aud, exp: undefined as never }),
      'without a user': await sign(app, { aud, sub: '' }),
      'with a user of too long a name': await sign(app, { aud, sub: 'a'.repeat(129) }),
      'with an account that is none': await sign(app, { aud, sender: '0x1' }),
      'for another account': await sign(app, { aud, sender: randomAddress() }),
      'too long': await sign(app, { aud, more: 'a'.repeat(3_000) }),
      'two tokens': `${good}, ${good}`,
    };
    const answers = await Promise.all(Object.values(bad).map((token) => ask(key, token)));
    const outcomes = Object.fromEntries(Object.keys(bad).map((what, at) => [what, answers[at]]));
    expect(outcomes).toEqual(Object.fromEntries(Object.keys(bad).map((what) => [what, '401 SESSION_TOKEN_INVALID'])));
    const expired = await sign(app, { aud, iat: iat - 2 * HOUR, exp: iat - HOUR });
    expect(await ask(key, expired)).toBe('401 SESSION_TOKEN_EXPIRED');
  });

  it('are needed where the key says so', async () => {
    const key = paymaster({ key: { ...keyGrantBuilder().build(), sessionRequired: true } });
    expect(await ask(key)).toBe('401 SESSION_TOKEN_REQUIRED');
    expect(await ask(key, await sign(app, { aud: key.snapshot.paymasterId }))).toBe('sponsored');
  });

  it('end a moment after their end, also those that were checked before', async () => {
    const key = paymaster();
    const iat = nowSeconds();
    const token = await sign(app, { aud: key.snapshot.paymasterId, iat, exp: iat + 1 });
    expect(await ask(key, token)).toBe('sponsored');
    jest.spyOn(Date, 'now').mockReturnValue((iat + 12) * 1_000);
    expect(await ask(key, token)).toBe('401 SESSION_TOKEN_EXPIRED');
  });

  it('end with the key that signed them, also those that were checked before', async () => {
    const { apiKey, snapshot } = paymaster();
    const token = await sign(app, { aud: snapshot.paymasterId });
    expect(await ask({ apiKey }, token)).toBe('sponsored');
    const changed = { ...snapshot, version: 2, sessionKeys: [registered(p256)] };
    world.responder.set(apiKey, changed);
    await world.responder.broadcast(changed);
    await until(async () => (await ask({ apiKey }, token)) === '401 SESSION_TOKEN_INVALID', 'the key has ended');
  });

  it('are good only for the account that they name', async () => {
    const key = paymaster();
    const sender = randomAddress();
    const token = await sign(app, { aud: key.snapshot.paymasterId, sender: sender.toUpperCase().replace('0X', '0x') });
    expect(await ask(key, token, { sender })).toBe('sponsored');
    expect(await ask(key, token)).toBe('401 SESSION_TOKEN_INVALID');
  });

  it.each<[string, string, (amount: bigint) => Partial<PolicySnapshot>]>([
    ['a policy', 'SPENDING_LIMIT_REACHED', usersLimit],
    ['the API key', 'KEY_LIMIT_REACHED', usersLimitOfKey],
  ])(
    'have limits of %s count over all accounts of a user, exactly, at many requests at once',
    async (_of, reason, limited) => {
      const key = paymaster(limited(5n));
      const aud = key.snapshot.paymasterId;
      // Two tokens of one user, and another user.
      const alice = [await sign(app, { aud }), await sign(p256, { aud, exp: nowSeconds() + 60 })];
      const bob = await sign(app, { aud, sub: 'bob' });
      const count = (answers: string[]) => answers.filter((answer) => answer === 'sponsored').length;
      expect(count(await Promise.all(Array.from({ length: 20 }, (_, at) => ask(key, alice[at % 2]))))).toBe(5);
      expect(await ask(key, alice[0])).toBe(`400 ${reason}`);
      expect(await ask(key, bob)).toBe('sponsored');
      // Without a token each account is a user, as ever.
      expect(await ask(key)).toBe('sponsored');
      // The user of that name of another paymaster is another user.
      const elsewhere = paymaster(limited(1n));
      expect(await ask(elsewhere, await sign(app, { aud: elsewhere.snapshot.paymasterId }))).toBe('sponsored');
    },
  );
});
