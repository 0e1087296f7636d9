import { randomUUID } from 'node:crypto';
import { faker } from '@faker-js/faker';
import type { Type } from '@nestjs/common';
import { SmtpReceiver, startAnvil, type Anvil } from '@paymaster/devnet';
import { normalizeAddress, type Hex } from '@paymaster/domain';
import { InvitationsRepository } from '../../src/access/people/invitations.repository';
import { NEEDS_OF_ROUTES } from '../../src/access/callers/needs-of-routes';
import { needsMetByRole, RIGHTS, type Role } from '../../src/access/people/role';
import { SignInCodes } from '../../src/access/people/sign-in-codes';
import { MailAddressesRepository } from '../../src/access/sign-in/mail-addresses.repository';
import { SCHEMA } from '../../src/schema/schema';
import { startAnsweringGateway } from '../../src/testing/answering-gateway';
import { apiOperations, validatorOf } from '../../src/testing/api-document';
import {
  CHAIN_ID,
  databaseOf,
  PLATFORM_PAYMASTER,
  startDashboard,
  type DashboardUnderTest,
} from '../../src/testing/dashboard-under-test';
import { DevContracts } from '../../src/testing/dev-contracts';
import { fromPage, openSession, randomWallet, signedInMember, siweMessage } from '../../src/testing/people';
import { paymasterBody, paymasterIdOf, refusal } from '../../src/testing/requests';
import { addSecondFactor, beginSecondFactor, codeOf } from '../../src/testing/second-factor';
import { addPasskey, passkeyAnswer, SoftwareAuthenticator } from '../../src/testing/software-authenticator';
import { nothingFresh, ofNothing, ROUTES, type Fresh, type Named, type RouteRequest } from './routes';
import { furnishPaymaster, type FurnishedPaymaster } from './tenant';

/** A paymaster contract where nobody has paid in: one word of zeros for a balance, else two. */
const EMPTY_CONTRACT: Hex = '0x5f3560e01c6370a082311460051b6040035ff3';
const UNKNOWN_KEY = 'aaaaaaaaa.00000000-0000-4000-8000-000000000000';
const SDK = '/api/v2/public/sdk';

const WRITES = Object.entries(ROUTES).filter(([route]) => !route.startsWith('GET '));
/** Rows of the interface document: their clients send fields that it does not have, and know errors of two fields. */
const INTERFACE_ROWS = [
  ...['GET', 'POST', 'PATCH'].map((method) => `${method} /paymaster`),
  ...['GET', 'POST', 'PATCH', 'DELETE'].map((method) => `${method} /smart-contract`),
  ...['GET /funding-message', 'GET /funding-message/{paymasterId}'],
];
const schemesOf = (route: string) => apiOperations.get(route)?.security ?? [];
const takes = (scheme: string) => (route: string) => schemesOf(route).some((schemes) => scheme in schemes);
const byToken = takes('authToken');
const ofAccount = takes('accountId');
const OPERATORS = Object.keys(ROUTES).filter((route) => route.includes(' /operator/'));
const ABOUT_AN_ACCOUNT = [...apiOperations.keys()].filter(ofAccount);
/** API keys, secrets of webhooks, what servers answered, people and tokens, and who did what. */
const NOT_FOR_VIEWERS = [
  ...['GET /paymaster', 'GET /webhook/secrets', 'GET /members', 'GET /roles', 'GET /invitations', 'GET /auth-tokens'],
  ...['GET /account/audit-log', 'GET /paymaster-policy/{policyId}/history', 'GET /webhook/deliveries'],
  'GET /alerts/{alertId}/deliveries',
];
const SPENDS_A_CODE = [
  ...['POST /session/second-factor', 'POST /person/second-factor/recovery-codes', 'DELETE /person/second-factor'],
];
/** They take a body, and change nothing. */
const QUESTIONS = ['POST /explain', 'POST /paymaster-policy/back-test'];
/** An import deletes what it does not name. */
const deletes = (route: string) => route.startsWith('DELETE ') || route === 'POST /paymaster-policy/import';
/** A new funding message ends the one before. */
const changes = (route: string) =>
  (!route.startsWith('GET ') && !QUESTIONS.includes(route)) || route.startsWith('GET /funding-message');
const ABOUT_A_PAYMASTER = [...apiOperations]
  .filter(([, { security }]) => security.some((schemes) => 'apiKey' in schemes))
  .map(([route]) => route);

let anvil: Anvil;
let contracts: DevContracts;
let mails: SmtpReceiver;
let dashboard: DashboardUnderTest;
let gateway: ReturnType<typeof startAnsweringGateway>;
/** Two paymasters of one account, and one of another; all on one chain. */
let own: FurnishedPaymaster;
let sibling: FurnishedPaymaster;
let stranger: FurnishedPaymaster;
/** Who names what is not theirs: a paymaster of a third account, and one of the sibling's own. */
let fromOutside: () => Promise<Pick<Attack, 'by' | 'like'>>;
let fromBeside: () => Promise<Pick<Attack, 'by' | 'like'>>;
/** Tokens of the first account: one for its other paymaster only, one that may only read. */
let siblingsToken: string;
let readersToken: string;
/** Members of the first account, who act for its first paymaster. */
let editor: Headers;
let viewer: Headers;
let support: Headers;
/** Operates the installation, and is a member of an account that owns nothing. */
let operator: Headers;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
  await contracts.code(EMPTY_CONTRACT, normalizeAddress(PLATFORM_PAYMASTER));
  mails = await SmtpReceiver.start();
  dashboard = await startDashboard({
    chainRpcUrl: anvil.url,
    env: {
      ...{ WEBHOOK_SIGNING_KEY: '33'.repeat(32), SIGN_UP: 'open' },
      ...{ SMTP_URL: mails.url, SMTP_FROM: 'paymaster@example.org' },
    },
  });
  await watchTables();
  gateway = startAnsweringGateway({ natsUrl: dashboard.natsUrl });
  const authToken = await dashboard.createToken('the account');
  own = await furnishPaymaster(dashboard, authToken);
  sibling = await furnishPaymaster(dashboard, authToken);
  stranger = await furnishPaymaster(dashboard, await dashboard.createToken('another account'));
  fromOutside = twins(() => dashboard.createToken(faker.string.uuid()));
  fromBeside = twins(async () => authToken);
  siblingsToken = await tokenOfOwn({ scope: 'write', paymasterId: sibling.named.paymasterId });
  readersToken = await tokenOfOwn({ scope: 'read' });
  [editor, viewer, support] = [await memberOfOwn('editor'), await memberOfOwn('viewer'), await memberOfOwn('support')];
  operator = await operatorOfTheInstallation();
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
  await mails.stop();
  contracts.stop();
  await anvil.stop();
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

type Headers = Readonly<Record<string, string>>;

/** @param request.form sent as it is in place of a body, which is sent as JSON */
async function send(
  route: string,
  { id = '', query = '', body, form }: RouteRequest & { readonly form?: string },
  headers: Headers,
): Promise<Answer> {
  const [method, path = ''] = route.split(' ');
  const answer = await dashboard.app.inject({
    method: method as 'GET',
    url: `${SDK}${path.replace(/\{\w+\}/, id)}${query}`,
    headers,
    payload: form ?? body,
  });
  // What is refused ends no keys; of people also what is refused may, as a wrong code does.
  if (method !== 'GET' && (answer.statusCode === 200 || !byToken(route))) forgetWhoCanAct();
  return { status: answer.statusCode, text: answer.body };
}

/** Since the last request that may have ended keys or sessions: the sessions that were opened, and who is known to be answered. */
const opened = new Map<string, string>();
const able = new Set<FurnishedPaymaster>();

function forgetWhoCanAct(): void {
  opened.clear();
  able.clear();
}

/** The headers of a program of the account, where the route takes a token; else those of the owner, signed in. */
async function headersOf(route: string, { keys, owner }: Pick<FurnishedPaymaster, 'keys' | 'owner'>): Promise<Headers> {
  if (byToken(route)) return { authtoken: keys.authToken, apikey: keys.apiKey };
  // One route is for sessions that wait for a code.
  const proof = route === 'POST /session/second-factor' ? 'first' : 'code';
  const key = `${owner.personId} ${proof}`;
  const cookie = opened.get(key) ?? (await openSession(dashboard, owner.personId, proof));
  opened.set(key, cookie);
  return fromPage(cookie, ofAccount(route) ? owner.accountId : undefined);
}

async function memberOfOwn(role: Role): Promise<Headers> {
  const { cookie, accountId } = await signedInMember(dashboard, { id: own.named.accountId }, role);
  return { ...fromPage(cookie, accountId), paymasterid: own.named.paymasterId };
}

async function operatorOfTheInstallation(): Promise<Headers> {
  const { personId, cookie } = await signedInMember(dashboard, faker.string.uuid(), 'owner');
  await databaseOf(dashboard).query('UPDATE dashboard.people SET is_operator = true WHERE id = $1', [personId]);
  return fromPage(cookie);
}

/** The headers of somebody who may do all that the route does. */
async function headersOfAllowed(route: string, paymaster: FurnishedPaymaster): Promise<Headers> {
  return OPERATORS.includes(route) ? operator : headersOf(route, paymaster);
}

async function tokenOfOwn(wish: object): Promise<string> {
  const body = { name: 'a token', ...wish };
  const headers = fromPage(own.owner.cookie, own.owner.accountId);
  const answer = await dashboard.call({ method: 'POST', path: '/auth-tokens', headers, body });
  return String(answer.body.data?.['authToken']);
}

/** What the request of this route uses up. */
async function freshFor(route: string, personId: string): Promise<Fresh> {
  const nothing = nothingFresh();
  const get = <T>(part: Type<T>): T => dashboard.app.get(part, { strict: false });
  if (route === 'POST /token') return { ...nothing, token: await contracts.token() };
  if (route === 'POST /session/code')
    return { ...nothing, signInCode: await get(SignInCodes).issue(own.owner.personId) };
  if (route === 'POST /person/mail-address/confirm') {
    const address = `${randomUUID()}@example.org`;
    return { ...nothing, mailCode: await get(MailAddressesRepository).issueCode(personId, address) };
  }
  if (route === 'POST /person/second-factor/confirm') {
    const { secret } = await beginSecondFactor(dashboard, await openSession(dashboard, personId, 'passkey'));
    return { ...nothing, factorCode: codeOf(secret) };
  }
  if (SPENDS_A_CODE.includes(route)) {
    const { recoveryCodes } = await addSecondFactor(dashboard, await openSession(dashboard, personId, 'passkey'));
    return { ...nothing, factorCode: recoveryCodes[0] ?? '' };
  }
  if (route === 'POST /session/passkey') {
    const device = await addPasskey(dashboard, await openSession(dashboard, personId, 'passkey'));
    return { ...nothing, passkeyUse: await passkeyAnswer(dashboard, device) };
  }
  if (route === 'POST /passkeys') {
    const headers = { cookie: await openSession(dashboard, personId) };
    const { data } = (await dashboard.call({ method: 'GET', path: '/passkeys/options', headers })).body;
    return { ...nothing, newPasskey: new SoftwareAuthenticator().create(data as never) };
  }
  if (route === 'POST /session/wallet') {
    const wallet = randomWallet();
    const message = await siweMessage(dashboard, wallet.address);
    return { ...nothing, signedMessage: { message, signature: await wallet.signMessage(message) } };
  }
  if (route !== 'POST /invitations/accept') return nothing;
  const offer = { id: randomUUID(), role: 'viewer', name: null, code: nothing.invitationCode, days: 1 } as const;
  const { manager } = databaseOf(dashboard);
  await get(InvitationsRepository).insert(manager, {
    ...offer,
    accountId: stranger.named.accountId,
    createdBy: stranger.named.personId,
  });
  return nothing;
}

/** Notes each row that is made, changed or deleted from now on. To read all tables for each request took most of the time. */
async function watchTables(): Promise<void> {
  const database = databaseOf(dashboard);
  await database.query(`
    CREATE TABLE public.noted (id bigserial PRIMARY KEY, change text NOT NULL);
    CREATE FUNCTION public.note_change() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      before text := to_json(OLD)::text;
      after text := to_json(NEW)::text;
    BEGIN
      IF before IS DISTINCT FROM after THEN
        INSERT INTO public.noted (change) VALUES (concat_ws(' ', TG_TABLE_NAME, before, after));
      END IF;
      RETURN NULL;
    END $$`);
  const tables = (await database.query(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1',
    [SCHEMA],
  )) as { name: string }[];
  for (const { name } of tables)
    await database.query(
      `CREATE TRIGGER note_change AFTER INSERT OR UPDATE OR DELETE ON ${SCHEMA}.${name}
         FOR EACH ROW EXECUTE FUNCTION public.note_change()`,
    );
}

async function lastNoted(): Promise<string> {
  const [{ id }] = (await databaseOf(dashboard).query('SELECT coalesce(max(id), 0) AS id FROM public.noted')) as [
    { id: string },
  ];
  return id;
}

/**
 * Changes of rows in which one of the paymaster's ids stands, behind the one that is named; of sessions and auth tokens
 * those of the ones that it names, because tests use others.
 */
async function changesOf({ ids, named }: FurnishedPaymaster, since: string): Promise<string[]> {
  const noted = (await databaseOf(dashboard).query(
    'SELECT change FROM public.noted WHERE id > $1 AND change LIKE ANY ($2) ORDER BY id',
    [since, ids.map((id) => `%${id}%`)],
  )) as { change: string }[];
  return noted
    .map(({ change }) => change)
    .filter((change) => {
      const [table = ''] = change.split(' ', 1);
      const isNamed = change.includes(named.sessionId) || change.includes(`"id":"${named.tokenId}"`);
      // Anybody may have a link mailed to its person; it signs in the browser of who asked, if that person gives it away.
      const isMailed = table === 'sign_in_codes' && change.includes('"browser_hash":"');
      return (isNamed || !['sessions', 'auth_tokens'].includes(table)) && !isMailed;
    });
}

/** The answer without what the request itself said, and without what every paymaster has of its own. */
function comparable({ status, text }: Answer, names: readonly string[]): string {
  const said = names.reduce((rest, value) => rest.replaceAll(value, '<named>'), text);
  return `${status} ${said
    .replace(
      /pm_[a-z]+_[\w-]{49}|auth token [0-9a-f]{8}|"(nonce|challenge|secret)":"[\w-]+"|"uri":"[^"]+"|"credentialIds":\["[\w",-]+"\]/g,
      '<own>',
    )
    .replace(/[\w-]{9}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<key>')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replace(
      /0x[0-9a-f]{40,}|whsec_[\w+/=-]+|Nonce: \w+|\d{4}-\d\d-\d\dT[\d:.]+Z|\d{13,}(\.\d+)?|[0-9a-f]{4}(:[0-9a-f]{4}){2}::\/48/g,
      '<own>',
    )}`;
}

interface Attack {
  readonly route: string;
  readonly victim: FurnishedPaymaster;
  readonly by: (route: string) => Promise<Headers>;
  /** Who gets the same answer to names that nobody has. */
  readonly like: { readonly by: (route: string) => Promise<Headers>; readonly named: Named };
}

/** Names what is the victim's: the answer is the one that names of nothing have, and the victim has not changed. */
async function expectNothing({ route, victim, by, like }: Attack): Promise<void> {
  const { requests } = ROUTES[route] ?? { requests: () => [] };
  const since = await lastNoted();
  const [asked, unknown] = [requests(victim.named), requests(like.named)];
  for (const [at, request] of asked.entries()) {
    // Both before the first is sent: each opens as many sessions as the other.
    const [asker, twin] = [await by(route), await like.by(route)];
    const answer = await send(route, request, asker);
    const text = Object.values(victim.named).reduce((rest, value: string) => rest.replaceAll(value, ''), answer.text);
    expect(victim.marks.filter((mark) => text.includes(mark))).toEqual([]);
    const expected = await send(route, unknown[at] ?? {}, twin);
    // Of another paymaster of the same account both answers name the account.
    const toNothing = [...Object.values<string>({ ...like.named }), victim.named.accountId];
    expect(comparable(answer, Object.values({ ...victim.named }))).toBe(comparable(expected, toNothing));
  }
  expect(await changesOf(victim, since)).toEqual([]);
}

/** The answer has the form and the message that the API document has for it, and no field that the document lacks. */
function expectAsDocumented(route: string, { text }: Answer): void {
  const content = apiOperations.get(route)?.responses['200']?.content ?? {};
  const json = content['application/json'];
  if (content['text/event-stream']) return expect(text).toMatch(/\nid: \d+\nevent: [\w.]+\ndata: \{.*\}\n\n$/);
  if (!json) return expect(text).toContain(String(content['text/csv']?.example));
  const validate = validatorOf(json.schema);
  const answer = JSON.parse(text) as { message: string };
  expect({ answer, errors: (validate(answer), validate.errors) }).toMatchObject({ errors: null });
  expect(answer.message).toBe((json.example as typeof answer).message);
}

/** The body, once for each object in it, with a field more in that object. */
function withSurplus(body: object): object[] {
  const inside = Object.entries(body).flatMap(([key, value]: [string, unknown]) => {
    const changed = typeof value === 'object' && value !== null ? withSurplus(value) : [];
    return changed.map((each) =>
      Object.assign(Array.isArray(body) ? [...(body as unknown[])] : { ...body }, { [key]: each }),
    );
  });
  return Array.isArray(body) ? inside : [{ ...body, surplus: true }, ...inside];
}

/**
 * Two paymasters that are treated alike, and so stay alike: one names what is another's, one names nothing. A request may
 * end what both act with, as when it rotates their API key without grace; then the next request gets new ones, because
 * refusals of a dead key say nothing.
 */
function twins(makeToken: () => Promise<string>): () => Promise<Pick<Attack, 'by' | 'like'>> {
  const make = async () => furnishPaymaster(dashboard, await makeToken());
  const named = ofNothing();
  let pair: readonly [FurnishedPaymaster, FurnishedPaymaster] | undefined;
  return async () => {
    if (!pair || !(await canAct(pair[0])) || !(await canAct(pair[1]))) pair = [await make(), await make()];
    const [attacker, twin] = pair;
    return {
      by: (route) => headersOf(route, attacker),
      like: { by: (route) => headersOf(route, twin), named },
    };
  };
}

/**
 * A paymaster for writes that succeed, or the one of the write before: to furnish one takes as much as thirty requests.
 * It does not serve again after a write that ended what acts for it. Who gets a second factor is another owner of it.
 */
function forWrites(): (route: string) => Promise<FurnishedPaymaster> {
  let used: FurnishedPaymaster | undefined;
  return async (route) => {
    used =
      used && (await canAct(used))
        ? used
        : await furnishPaymaster(dashboard, await dashboard.createToken(faker.string.uuid()));
    if (!route.includes('/second-factor')) return used;
    return { ...used, owner: await signedInMember(dashboard, { id: used.named.accountId }, 'owner') };
  };
}

/** Whether its keys and its owner are answered. */
async function canAct(paymaster: FurnishedPaymaster): Promise<boolean> {
  if (able.has(paymaster)) return true;
  const answers = ['GET /paymaster-settings', 'GET /members'].map(async (route) =>
    send(route, {}, await headersOf(route, paymaster)),
  );
  const can = (await Promise.all(answers)).every(({ status }) => status === 200);
  if (can) able.add(paymaster);
  return can;
}

const withKeys = (authtoken: string, apikey: string) => async (): Promise<Headers> => ({ authtoken, apikey });

describe('the isolation matrix', () => {
  it('watches every table', async () => {
    for (const each of [own, sibling, stranger]) expect((await changesOf(each, '0')).length).toBeGreaterThan(5);
  });

  it('has a need of every route of an account', () => {
    expect(Object.keys(NEEDS_OF_ROUTES).sort()).toEqual([...ABOUT_AN_ACCOUNT].sort());
  });

  it('lists every route of the API document', () => {
    expect(Object.keys(ROUTES).sort()).toEqual([...apiOperations.keys()].sort());
  });

  const paymasterOfOwner = forWrites();
  const paymasterOfClient = forWrites();

  // Without this the refusals below could be those of requests that nobody can make.
  // What deletes comes last, because the others name what it deletes.
  it.each(Object.entries(ROUTES).sort(([a], [b]) => Number(deletes(a)) - Number(deletes(b))))(
    '%s answers its owner',
    async (route, { requests, isSameForAll, own: owns = requests }) => {
      const reads = route.startsWith('GET ');
      const paymaster = reads ? own : await paymasterOfOwner(route);
      const { named, marks } = paymaster;
      for (const request of owns(named, await freshFor(route, paymaster.owner.personId))) {
        const answer = await send(route, request, await headersOfAllowed(route, paymaster));
        expect(answer).toMatchObject({ status: 200 });
        expectAsDocumented(route, answer);
        if (reads && !isSameForAll) expect(marks.some((mark) => answer.text.includes(mark))).toBe(true);
      }
    },
  );

  it.each(ABOUT_A_PAYMASTER)('%s takes another account’s key for an unknown one', async (route) => {
    const { authToken } = own.keys;
    const like = { by: withKeys(authToken, UNKNOWN_KEY), named: ofNothing() };
    await expectNothing({ route, victim: stranger, by: withKeys(authToken, stranger.keys.apiKey), like });
  });

  it.each(ABOUT_A_PAYMASTER)('%s takes one’s own key with another’s token for an unknown one', async (route) => {
    const { authToken } = stranger.keys;
    const like = { by: withKeys(authToken, UNKNOWN_KEY), named: ofNothing() };
    await expectNothing({ route, victim: own, by: withKeys(authToken, own.keys.apiKey), like });
  });

  it.each(ABOUT_A_PAYMASTER)('%s takes a key with a token of another paymaster for an unknown one', async (route) => {
    const like = { by: withKeys(siblingsToken, UNKNOWN_KEY), named: ofNothing() };
    await expectNothing({ route, victim: own, by: withKeys(siblingsToken, own.keys.apiKey), like });
  });

  it.each(Object.keys(ROUTES))('%s takes another account’s names for those of nothing', async (route) => {
    await expectNothing({ route, victim: stranger, ...(await fromOutside()) });
  });

  it.each(ABOUT_A_PAYMASTER)(
    '%s takes the names of the account’s other paymaster for those of nothing',
    async (route) => {
      await expectNothing({ route, victim: sibling, ...(await fromBeside()) });
    },
  );

  describe('refuses those who may not', () => {
    /** The request of the first paymaster's owner, with each of these headers, is refused and changes nothing. */
    async function expectRefused(
      route: string,
      by: readonly Headers[],
      statusCode: number,
      reason: string,
    ): Promise<void> {
      const [request = {}] = ROUTES[route]?.requests(own.named) ?? [];
      const shown = INTERFACE_ROWS.includes(route) ? { statusCode } : { statusCode, reason };
      const since = await lastNoted();
      for (const headers of by) expect(JSON.parse((await send(route, request, headers)).text)).toMatchObject(shown);
      expect(await changesOf(own, since)).toEqual([]);
    }

    it.each(ABOUT_AN_ACCOUNT)('%s takes an account of other people for one that does not exist', async (route) => {
      const headers = fromPage(stranger.owner.cookie, own.named.accountId);
      const named = { ...headers, paymasterid: own.named.paymasterId };
      await expectRefused(route, [named], 404, 'ACCOUNT_NOT_FOUND');
    });

    it.each(OPERATORS)('%s is refused to all who do not operate the installation, in the same words', async (route) => {
      const owner = fromPage(await openSession(dashboard, own.owner.personId), own.named.accountId);
      await expectRefused(route, [owner, editor, viewer, support], 403, 'NOT_ALLOWED');
      const outside = route.startsWith('GET ')
        ? { status: 401, reason: 'NOT_SIGNED_IN' }
        : { status: 403, reason: 'WRONG_ORIGIN' };
      const token = { authtoken: own.keys.authToken, apikey: own.keys.apiKey };
      await expectRefused(route, [token, {}], outside.status, outside.reason);
    });

    it.each(ABOUT_AN_ACCOUNT)(
      '%s takes the account for one that does not exist when the operator asks',
      async (route) => {
        const { accountId: accountid, paymasterId: paymasterid } = own.named;
        await expectRefused(route, [{ ...operator, accountid, paymasterid }], 404, 'ACCOUNT_NOT_FOUND');
      },
    );

    it.each(WRITES.map(([route]) => route))('%s is refused when another page sends it', async (route) => {
      const { cookie, accountId } = own.owner;
      const headers = { cookie, accountid: accountId, paymasterid: own.named.paymasterId };
      const foreign: Headers[] = [{ origin: 'https://evil.example' }, { origin: 'null' }, {}];
      await expectRefused(
        route,
        foreign.map((origin) => ({ ...headers, ...origin })),
        403,
        'WRONG_ORIGIN',
      );
    });

    it.each(WRITES)('%s is refused when another page posts a form', async (route, { requests }) => {
      const since = await lastNoted();
      const [{ body, ...request } = {}] = requests(own.named);
      const { cookie, accountId } = own.owner;
      const by = { cookie, accountid: accountId, paymasterid: own.named.paymasterId, origin: 'https://evil.example' };
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
        const headers = { ...by, 'content-type': type };
        const { status } = await send(route, { ...request, form: JSON.stringify(body ?? {}) }, headers);
        expect([403, 415]).toContain(status);
      }
      expect(await changesOf(own, since)).toEqual([]);
    });

    it.each(WRITES.map(([route]) => route).filter((route) => byToken(route) && changes(route)))(
      '%s is refused to an auth token that may only read',
      async (route) => {
        const headers = { authtoken: readersToken, apikey: own.keys.apiKey };
        await expectRefused(route, [headers], 403, 'NOT_ALLOWED');
      },
    );

    it.each(RIGHTS)(
      'lets a role with the right %s alone do what the table of routes says, and no more',
      async (right) => {
        const owner = await signedInMember(dashboard, faker.string.uuid(), 'owner');
        const by = fromPage(owner.cookie, owner.accountId);
        const post = { method: 'POST', path: '/paymaster', headers: by, body: paymasterBody() } as const;
        const paymasterId = await paymasterIdOf(
          dashboard,
          (await dashboard.call(post)).body.data as { apiKey: string },
        );
        const role = { method: 'POST', path: '/roles', headers: by, body: { name: right, rights: [right] } } as const;
        const { roleId } = (await dashboard.call(role)).body.data as { roleId: string };
        const member = await signedInMember(dashboard, { id: owner.accountId }, roleId);
        const headers = { ...fromPage(member.cookie, member.accountId), paymasterid: paymasterId };
        const may = needsMetByRole({ role: roleId, rights: [right] });
        const wrong: string[] = [];
        for (const route of ABOUT_AN_ACCOUNT) {
          const [request = {}] = ROUTES[route]?.requests(ofNothing()) ?? [];
          const id = request.id === undefined || !route.includes('{paymasterId}') ? request.id : paymasterId;
          const { status, text } = await send(route, { ...request, ...(id && { id }) }, headers);
          const isRefused = status === 403 && text.includes('Your role in this account');
          if (isRefused === may.includes(NEEDS_OF_ROUTES[route] ?? 'write')) wrong.push(`${route}: ${status} ${text}`);
        }
        expect(wrong).toEqual([]);
      },
    );

    it.each(ABOUT_AN_ACCOUNT.filter((route) => !byToken(route)))(
      '%s is refused to an editor and to an auth token: people and tokens are the owners’',
      async (route) => {
        await expectRefused(route, [editor, { authtoken: own.keys.authToken }], 403, 'NOT_ALLOWED');
      },
    );

    it.each(ABOUT_AN_ACCOUNT.filter(changes))('%s is refused to a viewer and to support', async (route) => {
      await expectRefused(route, [viewer, support], 403, 'NOT_ALLOWED');
    });

    it.each(ABOUT_AN_ACCOUNT.filter((route) => !changes(route)))(
      '%s shows everything to support, and to a viewer what is no secret',
      async (route) => {
        for (const request of ROUTES[route]?.requests(own.named) ?? []) {
          const shown = await send(route, request, support);
          expect(shown).toMatchObject({ status: 200 });
          if (NOT_FOR_VIEWERS.includes(route)) continue;
          const { status, text } = await send(route, request, viewer);
          expect(status).toBe(200);
          for (const secret of own.secrets) expect(text).not.toContain(secret);
          const urlSecret = own.secrets.at(-1) ?? '';
          if (shown.text.includes(urlSecret)) expect(text).toContain('"hooks.example.org"');
        }
        if (NOT_FOR_VIEWERS.includes(route)) await expectRefused(route, [viewer], 403, 'NOT_ALLOWED');
      },
    );
  });

  it.each(WRITES.filter(([route]) => !INTERFACE_ROWS.includes(route)))(
    '%s refuses a field that it does not know, by its name, and changes nothing',
    async (route, { requests, own: owns = requests }) => {
      const since = await lastNoted();
      for (const { body = {}, ...request } of owns(own.named, nothingFresh())) {
        for (const changed of withSurplus(body)) {
          const answer = await send(route, { ...request, body: changed }, await headersOfAllowed(route, own));
          expect({ ...answer, sent: changed }).toMatchObject({ status: 400, text: expect.stringContaining('surplus') });
        }
      }
      expect(await changesOf(own, since)).toEqual([]);
    },
  );

  it.each(WRITES.filter(([route]) => INTERFACE_ROWS.includes(route)))(
    '%s ignores a field that it does not know, as the interface document wants it',
    async (route, { requests, own: owns = requests }) => {
      const paymaster = await paymasterOfClient(route);
      for (const request of owns(paymaster.named, nothingFresh())) {
        const sent = { ...request, body: { ...request.body, surplus: true } };
        expect(await send(route, sent, await headersOf(route, paymaster))).toMatchObject({ status: 200 });
      }
    },
  );

  it.each([...apiOperations.keys()].filter((route) => !['GET /session/nonce', 'GET /session/passkey'].includes(route)))(
    '%s says why it refuses and in which request, beyond the interface',
    async (route) => {
      const [method, path = ''] = route.split(' ');
      const headers = { 'x-request-id': 'asked-for' };
      const answer = await dashboard.app.inject({ method: method as 'GET', url: SDK + path, headers });
      const { reason, ...refused } = refusalWithoutHeaders(route);
      expect(answer.json()).toEqual({
        ...refused,
        ...(!INTERFACE_ROWS.includes(route) && { reason, requestId: 'asked-for' }),
      });
    },
  );
});

/** What a request without any of our headers is answered. */
function refusalWithoutHeaders(route: string): { statusCode: number; message: unknown; reason: string } {
  if (ofAccount(route)) {
    const message = byToken(route) ? /^Auth token.* required in the headers$/ : /^A session is required/;
    return { statusCode: 401, message: expect.stringMatching(message), reason: 'MISSING_HEADER' };
  }
  const { requestId: _requestId, ...refused } = route.startsWith('GET ')
    ? refusal(401, 'NOT_SIGNED_IN', 'You are not signed in, or your session has ended')
    : refusal(403, 'WRONG_ORIGIN', 'The header Origin must be the address of the dashboard’s own page');
  return refused;
}
