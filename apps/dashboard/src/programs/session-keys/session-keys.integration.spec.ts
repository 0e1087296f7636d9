import { generateKeyPairSync } from 'node:crypto';
import { startDashboard, type DashboardUnderTest, type TestAnswer } from '../../testing/dashboard-under-test';
import { ListeningGateway } from '../../testing/listening-gateway';
import { createPaymaster, paymasterIdOf, type Keys } from '../../testing/requests';

let dashboard: DashboardUnderTest;
let gateway: ListeningGateway;
let keys: Keys;
beforeAll(async () => {
  dashboard = await startDashboard();
  gateway = await ListeningGateway.connect(dashboard);
});
beforeEach(async () => (keys = await createPaymaster(dashboard)));
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
});

const send = (method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<TestAnswer> =>
  dashboard.call({ method, path: `/session-keys${path}`, ...keys, body });
const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = String(ed25519.publicKey.export({ format: 'pem', type: 'spki' }));
const der = (key: typeof p256.publicKey) => key.export({ format: 'der', type: 'spki' }).toString('base64');
const create = (publicKey: unknown, name = 'back end') => send('POST', '', { name, publicKey });

describe('session keys', () => {
  it.each([
    ['EdDSA', pem, der(ed25519.publicKey)],
    ['EdDSA', ed25519.publicKey.export({ format: 'jwk' }), der(ed25519.publicKey)],
    ['ES256', String(p256.publicKey.export({ format: 'pem', type: 'spki' })), der(p256.publicKey)],
    ['ES256', { ...p256.publicKey.export({ format: 'jwk' }), use: 'sig', kid: 'theirs' }, der(p256.publicKey)],
  ])('reach the gateways in one form, for %s', async (algorithm, publicKey, spki) => {
    const answer = await create(publicKey);
    const paymasterId = await paymasterIdOf(dashboard, keys);
    expect(answer.body).toMatchObject({ message: 'Session key created', data: { algorithm, spki, paymasterId } });
    const { keyId } = answer.body.data ?? {};
    expect((await gateway.resolve(keys.apiKey))?.sessionKeys).toEqual([{ keyId, algorithm, spki }]);
    expect((await send('GET', '')).body.data).toEqual([answer.body.data]);
    expect((await send('DELETE', `/${keyId}`)).body.message).toBe('Session key deleted');
    expect((await gateway.resolve(keys.apiKey))?.sessionKeys).toEqual([]);
    expect((await send('DELETE', `/${keyId}`)).status).toBe(404);
  });

  it.each<[string, unknown]>([
    ['no key', undefined],
    ['a text', 'x'],
    ['a private key', String(ed25519.privateKey.export({ format: 'pem', type: 'pkcs8' }))],
    ['a private JWK', ed25519.privateKey.export({ format: 'jwk' })],
    ['a shared secret', { kty: 'oct', k: 'c2VjcmV0' }],
    ['another curve', generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey.export({ format: 'jwk' })],
    ['RSA', String(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'pem', type: 'spki' }))], // prettier-ignore
    ['a point that is on no curve', { kty: 'EC', crv: 'P-256', x: 'AAAA', y: 'AAAA' }],
    ['two keys', pem + pem],
  ])('are refused when they are %s', async (_what, publicKey) => {
    const answer = await create(publicKey);
    expect(answer).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/^publicKey must be a public /) },
    });
    expect(await gateway.resolve(keys.apiKey)).toMatchObject({ version: 1, sessionKeys: [] });
  });

  it('are four at most, each with a name of its own', async () => {
    for (const name of ['a', 'b', 'c', 'd']) expect((await create(pem, name)).status).toBe(200);
    expect(await create(pem, 'e')).toMatchObject({
      status: 400,
      body: { message: 'A paymaster can have at most 4 session keys' },
    });
    expect(await create(pem, 'a')).toMatchObject({ status: 400, body: { message: 'Key name already exists' } });
  });
});
