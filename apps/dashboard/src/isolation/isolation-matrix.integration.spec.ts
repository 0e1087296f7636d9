import { faker } from '@faker-js/faker';
import { startAnvil, type Anvil } from '@paymaster/devnet';
import { normalizeAddress, type Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { SCHEMA } from '../schema/schema';
import { startAnsweringGateway } from '../testing/answering-gateway';
import { apiOperations, validatorOf } from '../testing/api-document';
import {
  CHAIN_ID,
  databaseOf,
  PLATFORM_PAYMASTER,
  startDashboard,
  type DashboardUnderTest,
} from '../testing/dashboard-under-test';
import { DevContracts } from '../testing/dev-contracts';
import type { Keys } from '../testing/requests';
import { ofNothing, ROUTES, type Named, type RouteRequest } from './routes';
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
const ABOUT_A_PAYMASTER = [...apiOperations]
  .filter(([, { security }]) => security.some((schemes) => 'apiKey' in schemes))
  .map(([route]) => route);

let anvil: Anvil;
let contracts: DevContracts;
let dashboard: DashboardUnderTest;
let gateway: ReturnType<typeof startAnsweringGateway>;
/** Two paymasters of one account, and one of another; all on one chain. */
let own: FurnishedPaymaster;
let sibling: FurnishedPaymaster;
let stranger: FurnishedPaymaster;
/** Who names what is not theirs: a paymaster of a third account, and one of the sibling's own. */
let fromOutside: Pick<Attack, 'keys' | 'like'>;
let fromBeside: Pick<Attack, 'keys' | 'like'>;

beforeAll(async () => {
  anvil = await startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 0 });
  contracts = new DevContracts(anvil.url);
  await contracts.code(EMPTY_CONTRACT, normalizeAddress(PLATFORM_PAYMASTER));
  dashboard = await startDashboard({ chainRpcUrl: anvil.url, env: { WEBHOOK_SIGNING_KEY: '33'.repeat(32) } });
  gateway = startAnsweringGateway({ natsUrl: dashboard.natsUrl });
  const authToken = await dashboard.createToken('the account');
  own = await furnishPaymaster(dashboard, authToken);
  sibling = await furnishPaymaster(dashboard, authToken);
  stranger = await furnishPaymaster(dashboard, await dashboard.createToken('another account'));
  fromOutside = await twins(
    await dashboard.createToken(faker.string.uuid()),
    await dashboard.createToken(faker.string.uuid()),
  );
  fromBeside = await twins(authToken, authToken);
});
afterAll(async () => {
  await gateway.close();
  await dashboard.stop();
  contracts.stop();
  await anvil.stop();
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function send(route: string, { id = '', query = '', body }: RouteRequest, keys: Keys): Promise<Answer> {
  const [method, path = ''] = route.split(' ');
  const answer = await dashboard.app.inject({
    method: method as 'GET',
    url: `${SDK}${path.replace(/\{\w+\}/, id)}${query}`,
    headers: { authtoken: keys.authToken, apikey: keys.apiKey },
    payload: body,
  });
  return { status: answer.statusCode, text: answer.body };
}

/** Every row of every table in which one of the paymaster's ids stands. */
async function rowsOf({ ids }: FurnishedPaymaster): Promise<string[]> {
  const database = databaseOf(dashboard);
  const tables = (await database.query(
    'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1 ORDER BY 1',
    [SCHEMA],
  )) as { name: string }[];
  const select = tables.map(({ name }) => `SELECT '${name} ' || to_json(t)::text AS row FROM ${SCHEMA}.${name} t`);
  const rows = (await database.query(`SELECT row FROM (${select.join(' UNION ALL ')}) r WHERE row ~ $1 ORDER BY row`, [
    ids.join('|'),
  ])) as { row: string }[];
  return rows.map(({ row }) => row);
}

/** The answer without what the request itself said, and without what every paymaster has of its own. */
function comparable({ status, text }: Answer, named: Named): string {
  const said = Object.values(named).reduce((rest, value: string) => rest.replaceAll(value, '<named>'), text);
  return `${status} ${said
    .replace(/[\w-]{9}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<key>')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/0x[0-9a-f]{40,}|whsec_[\w+/=-]+|Nonce: \w+|\d{4}-\d\d-\d\dT[\d:.]+Z|\d{13,}/g, '<own>')}`;
}

interface Attack {
  readonly route: string;
  readonly victim: FurnishedPaymaster;
  readonly keys: Keys;
  /** Who gets the same answer to names that nobody has. */
  readonly like: { readonly keys: Keys; readonly named: Named };
}

/** Names what is the victim's: the answer is the one that names of nothing have, and the victim has not changed. */
async function expectNothing({ route, victim, keys, like }: Attack): Promise<void> {
  const { requests } = ROUTES[route] ?? { requests: () => [] };
  const before = await rowsOf(victim);
  expect(before.length).toBeGreaterThan(5);
  const [asked, unknown] = [requests(victim.named), requests(like.named)];
  for (const [at, request] of asked.entries()) {
    const answer = await send(route, request, keys);
    const text = Object.values(victim.named).reduce((rest, value: string) => rest.replaceAll(value, ''), answer.text);
    for (const mark of victim.marks) expect(text).not.toContain(mark);
    const expected = await send(route, unknown[at] ?? {}, like.keys);
    expect(comparable(answer, victim.named)).toBe(comparable(expected, like.named));
  }
  expect(await rowsOf(victim)).toEqual(before);
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

/** Two paymasters that are treated alike, and so stay alike: one names what is another's, one names nothing. */
async function twins(...tokens: [string, string]): Promise<Pick<Attack, 'keys' | 'like'>> {
  const [attacker, twin] = [await furnishPaymaster(dashboard, tokens[0]), await furnishPaymaster(dashboard, tokens[1])];
  return { keys: attacker.keys, like: { keys: twin.keys, named: ofNothing() } };
}

describe('the isolation matrix', () => {
  it('lists every route of the API document', () => {
    expect(Object.keys(ROUTES).sort()).toEqual([...apiOperations.keys()].sort());
  });

  // Without this the refusals below could be those of requests that nobody can make.
  it.each(Object.entries(ROUTES))(
    '%s answers its owner',
    async (route, { requests, isSameForAll, own: owns = requests }) => {
      const reads = route.startsWith('GET ');
      const { keys, named, marks } = reads ? own : await furnishPaymaster(dashboard, own.keys.authToken);
      const fresh = { token: route === 'POST /token' ? await contracts.token() : '' };
      for (const request of owns(named, fresh)) {
        const answer = await send(route, request, keys);
        expect(answer).toMatchObject({ status: 200 });
        expectAsDocumented(route, answer);
        if (reads && !isSameForAll) expect(marks.some((mark) => answer.text.includes(mark))).toBe(true);
      }
    },
  );

  it.each(ABOUT_A_PAYMASTER)('%s takes another account’s key for an unknown one', async (route) => {
    const { authToken } = own.keys;
    const like = { keys: { authToken, apiKey: UNKNOWN_KEY }, named: ofNothing() };
    await expectNothing({ route, victim: stranger, keys: { authToken, apiKey: stranger.keys.apiKey }, like });
  });

  it.each(ABOUT_A_PAYMASTER)('%s takes one’s own key with another’s token for an unknown one', async (route) => {
    const { authToken } = stranger.keys;
    const like = { keys: { authToken, apiKey: UNKNOWN_KEY }, named: ofNothing() };
    await expectNothing({ route, victim: own, keys: { authToken, apiKey: own.keys.apiKey }, like });
  });

  it.each(Object.keys(ROUTES))('%s takes another account’s names for those of nothing', async (route) => {
    await expectNothing({ route, victim: stranger, ...fromOutside });
  });

  it.each(ABOUT_A_PAYMASTER)(
    '%s takes the names of the account’s other paymaster for those of nothing',
    async (route) => {
      await expectNothing({ route, victim: sibling, ...fromBeside });
    },
  );

  it.each(WRITES.filter(([route]) => !INTERFACE_ROWS.includes(route)))(
    '%s refuses a field that it does not know, by its name, and changes nothing',
    async (route, { requests, own: owns = requests }) => {
      const before = await rowsOf(own);
      for (const { body = {}, ...request } of owns(own.named, { token: randomAddress() })) {
        for (const changed of withSurplus(body)) {
          const answer = await send(route, { ...request, body: changed }, own.keys);
          expect({ ...answer, sent: changed }).toMatchObject({ status: 400, text: expect.stringContaining('surplus') });
        }
      }
      expect(await rowsOf(own)).toEqual(before);
    },
  );

  it.each(WRITES.filter(([route]) => INTERFACE_ROWS.includes(route)))(
    '%s ignores a field that it does not know, as the interface document wants it',
    async (route, { requests, own: owns = requests }) => {
      const { keys, named } = await furnishPaymaster(dashboard, own.keys.authToken);
      for (const request of owns(named, { token: '' })) {
        const answer = await send(route, { ...request, body: { ...request.body, surplus: true } }, keys);
        expect(answer).toMatchObject({ status: 200 });
      }
    },
  );

  it.each([...apiOperations.keys()])(
    '%s says why it refuses and in which request, beyond the interface',
    async (route) => {
      const [method, path = ''] = route.split(' ');
      const headers = { 'x-request-id': 'asked-for' };
      const answer = await dashboard.app.inject({ method: method as 'GET', url: SDK + path, headers });
      expect(answer.json()).toEqual({
        ...{ statusCode: 401, message: expect.stringMatching(/^Auth token.* required in the headers$/) },
        ...(!INTERFACE_ROWS.includes(route) && { reason: 'MISSING_HEADER', requestId: 'asked-for' }),
      });
    },
  );
});
