import { randomUUID } from 'node:crypto';
import { compileSolidity } from '@paymaster/chain/testing';
import { startAnvil, type Anvil } from '@paymaster/devnet';
import { AccountsService } from '../accounts/accounts.service';
import { INVITATION_CODE, SESSION_TOKEN, SIGN_IN_CODE } from '../../platform/crypto/secret-text';
import { InvitationsRepository } from '../people/invitations.repository';
import { Memberships } from '../people/memberships';
import { SignInCodes } from '../people/sign-in-codes';
import {
  CHAIN_ID,
  databaseOf,
  PAGE,
  startDashboard,
  type DashboardUnderTest,
  type TestAnswer,
  type TestCall,
} from '../../testing/dashboard-under-test';
import { DevContracts } from '../../testing/dev-contracts';
import {
  cookieOf,
  fromPage,
  openSession,
  randomWallet,
  signedInMember,
  signInWithWallet,
  siweMessage,
} from '../../testing/people';
import { refusal } from '../../testing/requests';

const WALLETS = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;
contract OwnedWallet {
  address immutable owner;
  constructor(address owner_) { owner = owner_; }
  function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
    address signer = ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
    require(signer == owner, "not the owner");
    return 0x1626ba7e;
  }
}
contract SaysNo { function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) { return 0xffffffff; } }
contract BurnsGas { function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) { while (true) {} } }
contract SaysTrue { fallback(bytes calldata) external returns (bytes memory) { return abi.encode(true); } }`;

let anvil: Anvil;
let contracts: DevContracts;
let dashboard: DashboardUnderTest;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
  dashboard = await startDashboard({ chainRpcUrl: anvil.url, env: { SIGN_UP: 'open' } });
});
afterAll(async () => {
  contracts.stop();
  await dashboard.stop();
  await anvil.stop();
});

const get = (path: string, headers: Record<string, string> = {}) => dashboard.call({ method: 'GET', path, headers });
const send = (method: TestCall['method'], path: string, headers: Record<string, string>, body?: object) =>
  dashboard.call({ method, path, headers, body });
const sessionOf = async (cookie: string) => (await get('/session', { cookie })).status;
const NOT_SIGNED_IN = refusal(401, 'NOT_SIGNED_IN', 'You are not signed in, or your session has ended');
const OLD_NONCE = 'The nonce is unknown, used or too old: ask for another one';

/** @returns a code for a member of a new account */
async function newCode(): Promise<{ code: string; personId: string }> {
  const { app } = dashboard;
  const account = await app.get(AccountsService).findOrCreate(randomUUID());
  const person = await app.get(Memberships, { strict: false }).findOrAdd(account, { name: 'Ada', isOperator: true });
  return { code: await app.get(SignInCodes, { strict: false }).issue(person.id), personId: person.id };
}
const signInWithCode = (code: string, headers: Record<string, string> = { origin: PAGE }) =>
  send('POST', '/session/code', headers, { code });

describe('a wallet', () => {
  it('signs in by a message of viem, and its person is the same the next time', async () => {
    const wallet = randomWallet();
    const first = await signInWithWallet(dashboard, wallet);
    expect(first.body).toMatchObject({
      ...{ statusCode: 200, message: 'Signed in' },
      data: {
        person: { walletAddress: wallet.address.toLowerCase(), isOperator: false, name: expect.stringContaining('…') },
        accounts: [],
        session: { sessionId: expect.any(String) },
      },
    });
    expect(first.headers['set-cookie']).toMatch(
      /^__Host-paymaster-session=pm_session_[\w-]{49}; Max-Age=2592000; Path=\/; Secure; HttpOnly; SameSite=Lax$/,
    );
    const me = await get('/session', { cookie: cookieOf(first) });
    expect(me.body.data).toEqual(first.body.data);
    const second = await signInWithWallet(dashboard, wallet);
    expect(second.body.data).toMatchObject({ person: first.body.data?.['person'] });
    expect(cookieOf(second)).not.toBe(cookieOf(first));
  });

  it('that is a contract signs in where the contract says so (ERC-1271)', async () => {
    const owner = randomWallet();
    const { OwnedWallet } = compileSolidity({ 'wallets.sol': WALLETS });
    const address = await contracts.deploy(OwnedWallet!.abi, OwnedWallet!.bytecode, [owner.address]);
    const message = await siweMessage(dashboard, address);
    const body = { message, signature: await owner.signMessage(message) };
    const answer = await send('POST', '/session/wallet', { origin: PAGE }, body);
    expect(answer.body.data).toMatchObject({ person: { walletAddress: address.toLowerCase() } });

    // Who deployed a contract at the same address on another chain is somebody else.
    const moved = `UPDATE dashboard.people SET wallet_chain = wallet_chain + 1 WHERE wallet_address = $1`;
    await databaseOf(dashboard).query(moved, [address.toLowerCase()]);
    const again = await siweMessage(dashboard, address);
    const signature = await owner.signMessage(again);
    const other = await send('POST', '/session/wallet', { origin: PAGE }, { message: again, signature });
    const idOf = ({ body: { data } }: typeof other) => (data?.['person'] as { personId: string }).personId;
    expect(idOf(other)).not.toBe(idOf(answer));
  });

  it.each([['OwnedWallet'], ['SaysNo'], ['BurnsGas'], ['SaysTrue']])(
    'that is a contract does not sign in by the signature of another key: %s',
    async (name) => {
      const { abi, bytecode } = compileSolidity({ 'wallets.sol': WALLETS })[name]!;
      const address = await contracts.deploy(abi, bytecode, name === 'OwnedWallet' ? [randomWallet().address] : []);
      const message = await siweMessage(dashboard, address);
      const signature = await randomWallet().signMessage(message);
      const answer = await send('POST', '/session/wallet', { origin: PAGE }, { message, signature });
      expect(answer.body).toMatchObject({ statusCode: 401, reason: 'SIGN_IN_REFUSED' });
    },
  );

  it('whose chain does not answer is told so, and the nonce can be used again', async () => {
    const [wallet, other] = [randomWallet(), randomWallet()];
    // Nobody listens where this chain should be.
    const message = await siweMessage(dashboard, wallet.address, { chainId: CHAIN_ID + 1 });
    const sign = async (by: typeof wallet) =>
      send('POST', '/session/wallet', { origin: PAGE }, { message, signature: await by.signMessage(message) });
    const unavailable = await startDashboard();
    const answer = await unavailable
      .call({
        method: 'POST',
        path: '/session/wallet',
        headers: { origin: PAGE },
        body: { message, signature: await other.signMessage(message) },
      })
      .finally(() => unavailable.stop());
    expect(answer.body).toMatchObject({ statusCode: 503, reason: 'CHAIN_UNAVAILABLE' });
    expect(answer.headers['retry-after']).toBeDefined();
    expect((await sign(wallet)).status).toBe(200);
  });

  it('signs in once by a message: the same message again is refused, also when it is sent twice at once', async () => {
    const wallet = randomWallet();
    const message = await siweMessage(dashboard, wallet.address);
    const body = { message, signature: await wallet.signMessage(message) };
    const both = await Promise.all([1, 2].map(() => send('POST', '/session/wallet', { origin: PAGE }, body)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect((await send('POST', '/session/wallet', { origin: PAGE }, body)).body).toEqual(
      refusal(401, 'SIGN_IN_REFUSED', OLD_NONCE),
    );
  });

  it.each([
    ['another domain', { domain: 'evil.example' }, 'its domain must be paymaster.example.org'],
    [
      'the domain with another port',
      { domain: 'paymaster.example.org:444' },
      'its domain must be paymaster.example.org',
    ],
    ['another page', { uri: 'https://evil.example' }, 'its URI must begin with https://paymaster.example.org'],
    ['a page whose name begins alike', { uri: `${PAGE}.evil.example` }, 'its URI must begin with'],
    ['another scheme', { scheme: 'http' }, 'its scheme must be https://'],
    ['a chain that is not served', { chainId: 1 }, 'its Chain ID must be one of a chain that is served here'],
    ['a time to come', { issuedAt: new Date(Date.now() + 120_000) }, 'its Issued At lies in the future'],
    ['an end that is over', { expirationTime: new Date(Date.now() - 1_000) }, 'its Expiration Time is over'],
    ['a beginning to come', { notBefore: new Date(Date.now() + 120_000) }, 'its Not Before lies in the future'],
  ])('is refused with a message for %s', async (_what, changes, problem) => {
    const wallet = randomWallet();
    const message = await siweMessage(dashboard, wallet.address, changes as object);
    const answer = await signInWithWallet(dashboard, wallet, { message, signature: await wallet.signMessage(message) });
    expect(answer.body).toMatchObject({ statusCode: 400, reason: 'INVALID_BODY' });
    expect(answer.body.message).toContain(problem);
  });

  it('is refused with a nonce that we did not make, a signature of another message, and fields of its own', async () => {
    const wallet = randomWallet();
    const own = await siweMessage(dashboard, wallet.address, { nonce: 'a1b2c3d4e5f6' });
    const attempts = [
      { message: own, signature: await wallet.signMessage(own) },
      { signature: await wallet.signMessage('another text') },
      { signature: await randomWallet().signMessage(own) },
    ];
    for (const body of attempts) expect((await signInWithWallet(dashboard, wallet, body)).status).toBe(401);
    for (const body of [
      { message: 'x' },
      { signature: '0x1' },
      { isOperator: true },
      { invitation: 7 },
      { message: 1 },
    ]) {
      const answer = await signInWithWallet(dashboard, wallet, body);
      expect(answer.status).toBe(400);
      expect(answer.body.message).toContain(Object.keys(body)[0]);
    }
  });
});

describe('with SIGN_UP=invite, which is the default', () => {
  it('a wallet that nobody knows needs an invitation, and then comes in by the same signature', async () => {
    const invited = await startDashboard();
    try {
      const { accountId, personId: createdBy } = await signedInMember(invited, 'the account', 'owner');
      const [real, code] = [INVITATION_CODE.generate(), INVITATION_CODE.generate()];
      const wallet = randomWallet();
      const message = await siweMessage(invited, wallet.address);
      const body = { message, signature: await wallet.signMessage(message) };
      expect((await signInWithWallet(invited, wallet, body)).body).toMatchObject({
        ...{ statusCode: 403, reason: 'SIGN_UP_BY_INVITATION' },
      });
      expect((await signInWithWallet(invited, wallet, { ...body, invitation: code })).body).toMatchObject({
        ...{ statusCode: 404, reason: 'INVITATION_NOT_FOUND' },
      });
      const { manager } = databaseOf(invited);
      const invitations = invited.app.get(InvitationsRepository, { strict: false });
      const offer = { role: 'viewer' as const, name: null, createdBy, code: real, days: 1 };
      const invitation = { id: randomUUID(), accountId, ...offer };
      await invitations.insert(manager, invitation);
      expect((await signInWithWallet(invited, wallet, { ...body, invitation: real })).body.data).toMatchObject({
        accounts: [{ accountId, name: 'the account', role: 'viewer' }],
      });
      expect((await signInWithWallet(invited, wallet)).status).toBe(200);
      expect((await signInWithWallet(invited, randomWallet(), { invitation: real })).status).toBe(404);
      expect(await databaseOf(invited).query('SELECT 1 FROM dashboard.people')).toHaveLength(2);
    } finally {
      await invited.stop();
    }
  });
});

describe('a one-time code', () => {
  it('signs its person in once', async () => {
    const { code, personId } = await newCode();
    const answer = await signInWithCode(code);
    expect(answer.body.data).toMatchObject({
      person: { personId, name: 'Ada', walletAddress: null, isOperator: true },
      accounts: [{ role: 'owner' }],
    });
    expect(await sessionOf(cookieOf(answer))).toBe(200);
    expect((await signInWithCode(code)).body).toMatchObject({ statusCode: 401, reason: 'SIGN_IN_REFUSED' });
  });

  it('signs in one of two browsers that send it at once', async () => {
    const { code } = await newCode();
    const both = await Promise.all([signInWithCode(code), signInWithCode(code)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('is worth nothing after 15 minutes', async () => {
    const { code } = await newCode();
    const left = await databaseOf(dashboard).query(
      `UPDATE dashboard.sign_in_codes SET expires_at = expires_at - interval '15 minutes'
       RETURNING extract(epoch FROM expires_at - now()) AS seconds`,
    );
    expect(Number(left[0][0].seconds)).toBeLessThan(1);
    expect((await signInWithCode(code)).status).toBe(401);
  });
});

describe('a session', () => {
  it.each<[string, (cookie: string) => Promise<TestAnswer>]>([
    ['a code', async (cookie) => signInWithCode((await newCode()).code, { origin: PAGE, cookie })],
    ['a wallet', (cookie) => signInWithWallet(dashboard, randomWallet(), {}, { cookie })],
  ])(
    'is a new one at each sign-in with %s: neither a text that was put into the browser nor the one before goes on',
    async (_what, signIn) => {
      const planted = `__Host-paymaster-session=${SESSION_TOKEN.generate()}`;
      const first = await signIn(planted);
      expect(cookieOf(first)).not.toBe(planted);
      expect(await sessionOf(planted)).toBe(401);
      const second = await signIn(cookieOf(first));
      expect(await sessionOf(cookieOf(second))).toBe(200);
      expect(await sessionOf(cookieOf(first))).toBe(401);
    },
  );

  it('that was stolen ends when its owner signs out', async () => {
    const cookie = cookieOf(await signInWithCode((await newCode()).code));
    const signOut = await send('DELETE', '/session', fromPage(cookie));
    expect(signOut.headers['set-cookie']).toBe(
      '__Host-paymaster-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Lax',
    );
    expect((await get('/session', { cookie })).body).toEqual(NOT_SIGNED_IN);
    expect((await send('PATCH', '/person', fromPage(cookie), { name: 'Eve' })).body).toEqual(NOT_SIGNED_IN);
  });

  it.each([
    ['it was not used for 7 days', `last_used_at = now() - interval '7 days'`, 401],
    ['it is 30 days old', `expires_at = now()`, 401],
    ['neither is so', `last_used_at = now() - interval '6 days', expires_at = now() + interval '1 minute'`, 200],
  ])('ends when %s', async (_when, change, status) => {
    const cookie = cookieOf(await signInWithCode((await newCode()).code));
    await databaseOf(dashboard).query(`UPDATE dashboard.sessions SET ${change}`);
    expect(await sessionOf(cookie)).toBe(status);
  });

  it('notes its last use, once a minute', async () => {
    const answer = await signInWithCode((await newCode()).code);
    const { sessionId } = answer.body.data?.['session'] as { sessionId: string };
    const age = async (seconds: number) => {
      const database = databaseOf(dashboard);
      const text = `UPDATE dashboard.sessions SET last_used_at = now() - $2 * interval '1 second' WHERE id = $1`;
      await database.query(text, [sessionId, seconds]);
      await sessionOf(cookieOf(answer));
      const [row] = (await database.query(
        `SELECT extract(epoch FROM now() - last_used_at)::int AS age FROM dashboard.sessions WHERE id = $1`,
        [sessionId],
      )) as { age: number }[];
      return row?.age;
    };
    expect(await age(50)).toBeGreaterThanOrEqual(50);
    expect(await age(70)).toBeLessThan(10);
  });

  it('is listed with the others of its person, and can end one, or all', async () => {
    const { code, personId } = await newCode();
    const first = cookieOf(await signInWithCode(code, { origin: PAGE, 'user-agent': 'Firefox\u00e9 on Linux' }));
    const again = await dashboard.app.get(SignInCodes, { strict: false }).issue(personId);
    const second = cookieOf(await signInWithCode(again, { origin: PAGE }));
    const stranger = cookieOf(await signInWithCode((await newCode()).code));
    const list = (await get('/sessions', { cookie: first })).body.data as unknown as { sessionId: string }[];
    expect(list).toMatchObject([{ current: false }, { current: true, browser: 'Firefox on Linux' }]);
    const [newest, oldest] = list.map(({ sessionId }) => sessionId);

    const notFound = refusal(404, 'SESSION_NOT_FOUND', 'Session not found');
    expect((await send('DELETE', `/sessions/${newest}`, fromPage(stranger))).body).toEqual(notFound);
    expect((await send('DELETE', `/sessions/${newest}`, fromPage(first))).status).toBe(200);
    expect([await sessionOf(second), await sessionOf(first)]).toEqual([401, 200]);
    expect((await send('DELETE', '/sessions/x', fromPage(first))).body).toEqual(notFound);

    const unused = await dashboard.app.get(SignInCodes, { strict: false }).issue(personId);
    expect((await send('DELETE', '/sessions', fromPage(first))).body.data).toEqual({ ended: 1 });
    expect((await signInWithCode(unused, { origin: PAGE })).status).toBe(401);
    expect([await sessionOf(first), await sessionOf(stranger)]).toEqual([401, 200]);
    expect((await send('DELETE', `/sessions/${oldest}`, fromPage(stranger))).body).toEqual(notFound);
  });

  it('is one of at most 50 of a person: then the oldest ends', async () => {
    const { code, personId } = await newCode();
    const oldest = cookieOf(await signInWithCode(code));
    const others: string[] = [];
    for (let opened = 0; opened < 49; opened++) others.push(await openSession(dashboard, personId));
    expect(await sessionOf(oldest)).toBe(200);
    others.push(await openSession(dashboard, personId));
    expect([await sessionOf(oldest), await sessionOf(others[0]!), await sessionOf(others.at(-1)!)]).toEqual([
      401, 200, 200,
    ]);
  });

  it('lies in the database as a hash', async () => {
    const token = cookieOf(await signInWithCode((await newCode()).code)).split('=')[1]!;
    const { code } = await newCode();
    const rows = JSON.stringify([
      await databaseOf(dashboard).query('SELECT * FROM dashboard.sessions'),
      await databaseOf(dashboard).query('SELECT * FROM dashboard.sign_in_codes'),
    ]);
    for (const secret of [token, token.slice(11, 54), code, code.slice(8, 51)]) expect(rows).not.toContain(secret);
  });
});

describe('another page', () => {
  const FOREIGN: ReadonlyArray<readonly [string, Record<string, string>]> = [
    ['another origin', { origin: 'https://evil.example' }],
    ['an origin whose name begins alike', { origin: `${PAGE}.evil.example` }],
    ['our name over http', { origin: PAGE.replace('https', 'http') }],
    ['the origin of a sandbox', { origin: 'null' }],
    ['no origin', {}],
  ];
  const wrongOrigin = refusal(403, 'WRONG_ORIGIN', 'The header Origin must be the address of the dashboard’s own page');

  it.each(FOREIGN)('with %s changes nothing with the cookie of a session', async (_what, origin) => {
    const { cookie, accountId } = await signedInMember(dashboard, randomUUID(), 'owner');
    const headers = { cookie, accountId, ...origin };
    const writes: [TestCall['method'], string, object?][] = [
      ['PATCH', '/person', { name: 'Eve' }],
      ['DELETE', '/session'],
      ['DELETE', '/sessions'],
      ['POST', '/paymaster', { name: randomUUID(), type: 'HYBRID', chainId: CHAIN_ID, version: '2.0.0' }],
    ];
    for (const [method, path, body] of writes) {
      const answer = await send(method, path, headers, body);
      // A row of the interface document has two fields only.
      expect(answer.body).toEqual(
        path === '/paymaster' ? { statusCode: 403, message: wrongOrigin.message } : wrongOrigin,
      );
    }
    expect(await sessionOf(cookie)).toBe(200);
  });

  it.each(FOREIGN)('with %s signs nobody in', async (_what, origin) => {
    const { code } = await newCode();
    expect((await signInWithCode(code, origin)).body).toEqual(wrongOrigin);
    expect((await signInWithCode(code)).status).toBe(200);
  });

  it('that posts a form changes nothing', async () => {
    const { cookie, accountId } = await signedInMember(dashboard, randomUUID(), 'owner');
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
      const answer = await dashboard.app.inject({
        ...{ method: 'POST', url: '/api/v2/public/sdk/paymaster', payload: '{"name":"x"}' },
        headers: { cookie, accountId, origin: 'https://evil.example', 'content-type': type },
      });
      expect([403, 415]).toContain(answer.statusCode);
    }
    expect(await databaseOf(dashboard).query('SELECT 1 FROM dashboard.paymasters')).toEqual([]);
  });

  it('that only links to us reads nothing of an account: no link sends the header accountId', async () => {
    const { cookie } = await signedInMember(dashboard, randomUUID(), 'owner');
    const answer = await get('/paymaster', { cookie });
    expect(answer.body).toEqual({ statusCode: 401, message: 'Account ID is required in the headers' });
  });
});

describe('guessing', () => {
  const statusesOf = (answers: readonly TestAnswer[]): number[] => answers.map(({ status }) => status);

  it('one-time codes: of 400 that one address sends in a row, 305 are looked at, the others wait', async () => {
    const slowed = await startDashboard({ env: { RATE_LIMIT_PER_TOKEN_PER_MINUTE: '100000' } });
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      const answers: TestAnswer[] = [];
      for (let sent = 0; sent < 400; sent++) {
        const body = { code: SIGN_IN_CODE.generate() };
        answers.push(await slowed.call({ method: 'POST', path: '/session/code', headers: { origin: PAGE }, body }));
      }
      expect(statusesOf(answers).filter((status) => status === 401)).toHaveLength(305);
      expect(statusesOf(answers).filter((status) => status === 429)).toHaveLength(95);
    } finally {
      jest.restoreAllMocks();
      await slowed.stop();
    }
  });

  it('sessions: of 400 made-up cookies, 305 are looked at; a person who is signed in goes on', async () => {
    const slowed = await startDashboard({ env: { RATE_LIMIT_PER_TOKEN_PER_MINUTE: '100000' } });
    jest.spyOn(performance, 'now').mockReturnValue(performance.now());
    try {
      const { cookie } = await signedInMember(slowed, 'account', 'owner');
      const read = (sent: string) => slowed.call({ method: 'GET', path: '/session', headers: { cookie: sent } });
      expect((await read(cookie)).status).toBe(200);
      const answers: TestAnswer[] = [];
      for (let sent = 0; sent < 400; sent++)
        answers.push(await read(`__Host-paymaster-session=${SESSION_TOKEN.generate()}`));
      expect(statusesOf(answers).filter((status) => status === 401)).toHaveLength(305);
      expect(statusesOf(answers).filter((status) => status === 429)).toHaveLength(95);
      expect((await read(cookie)).status).toBe(200);
    } finally {
      jest.restoreAllMocks();
      await slowed.stop();
    }
  });
});

describe('without PUBLIC_URL', () => {
  it('nobody signs in, cookies are worth nothing, and auth tokens work', async () => {
    const plain = await startDashboard({ env: { PUBLIC_URL: '' } });
    try {
      const { cookie, accountId } = await signedInMember(plain, 'account', 'owner');
      const headers = { cookie, accountId, origin: PAGE };
      const refused = refusal(
        401,
        'SIGN_IN_NOT_SET_UP',
        'People cannot sign in on this installation: PUBLIC_URL is missing',
      );
      for (const path of ['/session/nonce', '/session', '/sessions'])
        expect((await plain.call({ method: 'GET', path, headers })).body).toEqual(refused);
      const code = { method: 'POST', path: '/session/code', headers, body: { code: 'x' } } as const;
      expect((await plain.call(code)).body).toEqual(refused);
      expect((await plain.call({ method: 'GET', path: '/paymaster', headers })).status).toBe(401);
      const authToken = await plain.createToken('another account');
      expect((await plain.call({ method: 'GET', path: '/paymaster', authToken })).status).toBe(200);
    } finally {
      await plain.stop();
    }
  });
});
