import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { faker } from '@faker-js/faker';
import { AccountCommands, readStack } from '@paymaster/devnet';
import { answers, WebhookReceiver } from '@paymaster/webhooks/testing';
import type { PrivateKeyAccount } from 'viem/accounts';
import { areTogether, FAULTS, planOf, POLICY, STRANGER, TRACED, USE_CASES } from './corpus/faults';
import type { Fault, Given, Plan, UseCase, Wish } from './corpus/faults';
import { execute } from './support/call-data';
import { richWallet } from './support/chain';
import { dashboardOk } from './support/dashboard-client';
import { INCREMENT } from './support/demo-contract';
import { currentFees } from './support/fees';
import { freshPaymaster, type FreshPaymaster } from './support/fresh-paymaster';
import { http, type RpcError } from './support/json-rpc';
import { draftOperation, newSimpleAccount, type SimpleAccount } from './support/simple-account';
import { LIMITS, sponsored } from './support/sponsor';
import { eventually, PATIENCE_MS } from './support/eventually';
import { giveTokens, tokenOf } from './support/tokens';
import { signOperation, type WireOperation } from './support/wire-operation';

/**
 * What stands on the wire for each fault of a request, and which of several faults is told: the gateway's code may be
 * arranged anew, this may not change. RECORD=1 writes what is told; read the difference before it is committed.
 */
const FILE = join(__dirname, 'corpus/generated/refusals-in-order.json');
const stack = readStack();
/** Requests under way at the same time, as many as one paymaster may have estimated. */
const AT_ONCE = 8;
/** Sets of two and three faults that are drawn, besides those that follow each other. */
const DRAWN = 50;
/** An expired key is made with its end to come. */
const KEY_ENDS_IN_MS = 5_000;
const SDK = '/api/v2/public/sdk';
const HEADERS = { 'content-type': 'application/json', 'x-request-id': 'asked' };

/** What is told to a client, with names for what differs between runs. */
type Told = Readonly<Record<string, unknown>>;
interface Asked {
  readonly useCase: UseCase;
  /** In the order in which they are found. */
  readonly faults: readonly Fault[];
  readonly isExplained: boolean;
  readonly plan: Plan;
}
/** Use cases, and what all of them are told. */
interface Row {
  readonly of: string;
  readonly told: unknown;
}
type Rows = Readonly<Record<string, readonly Row[]>>;
interface Recorded {
  readonly refusals: Rows;
  /** `data` of the same where the paymaster explains refusals to clients, if that is more. */
  readonly explained: Rows;
  readonly owners: Readonly<Record<string, Views>>;
}

const commands = new AccountCommands();
/** What has a name in texts, in lower case. */
const names = new Map<string, string>();
let anyName: RegExp;
/** Answers by use case, and in it by the names of the faults. */
const answered = new Map<string, Map<string, Told>>();
let given: Given;
/** The owner's servers: one verifies no operation, one is told what becomes of operations. */
let decider: WebhookReceiver;
let listener: WebhookReceiver;
let authToken: string;
let owners: Promise<Record<string, Views>>;
let wallets: Readonly<Record<Wish['wallet'], PrivateKeyAccount | undefined>>;

async function inPool<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items].reverse();
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function named(value: unknown): unknown {
  if (typeof value === 'number') return value < 10_000 ? value : '<number>';
  if (Array.isArray(value)) return value.map(named);
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? namedText(value) : value;
  const members = Object.entries(value).map(([name, member]) => [name, named(member)]);
  return Object.fromEntries(members);
}

function namedText(text: string): string {
  return text
    .replace(anyName, (found) => names.get(found.toLowerCase()) ?? found)
    .replace(/0x[0-9a-f]{64}(?![0-9a-f])/g, '<hash>')
    .replace(/(?<="(blockNumber|reservationId)":")\d+/g, '<number>')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replace(/(?<![\w.]|than )(?!31337\b)\d{5,}(?!\w)/g, '<number>');
}

/** A line of a trace on one line. */
const shortTrace = (trace: unknown) =>
  (trace as { rule: string; input: string; outcome: string }[]).map(
    ({ rule, input, outcome, ...more }) => `${rule}: ${input}: ${outcome}${Object.keys(more).join()}`,
  );

const withShortTrace = (value: object): object =>
  Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name === 'trace' && Array.isArray(member)) return [name, shortTrace(member)];
      return [name, typeof member === 'object' && member && !Array.isArray(member) ? withShortTrace(member) : member];
    }),
  );

const useCaseOf = (name: string): UseCase => USE_CASES.find((useCase) => useCase.name === name) as UseCase;

/** What owners see of one operation, as texts: an order of members that changes is seen too. */
interface Views {
  readonly webhook: readonly string[];
  readonly operation: string;
  readonly events: readonly string[];
}

/** A paymaster with default settings, whose owner is told of operations, in an account that has no other. */
let shown: FreshPaymaster & { readonly authToken: string };

/** Asks for four operations: one that is sponsored and lands, one refused, one paid in a token, one not paid. */
async function askForOwners(landing: WireOperation): Promise<void> {
  const plans = [
    planOf(useCaseOf('pm_sponsorUserOperation, SPONSORED'), ['senderNotListed', 'foreignMethod'], given),
    ...[[], ['noTokens' as const]].map((faults) => planOf(useCaseOf('pm_sponsorUserOperation, ERC20'), faults, given)),
    planOf(useCaseOf('eth_sendUserOperation'), [], { ...given, signed: landing }),
  ];
  const answers = plans.map(({ body }) => http({ url: shown.url, headers: HEADERS, body }));
  const outcomes = (await Promise.all(answers)).map(({ text }) => /"(result|error)"/.exec(text)?.[1]);
  expect(outcomes).toEqual(['error', 'result', 'error', 'result']);
}

/** What became of them, once it has. */
async function viewsOfOwners(): Promise<Record<string, Views>> {
  const { apiKey, authToken: owner } = shown;
  const get = async (path: string) =>
    (await http({ url: `${stack.dashboard}${SDK}${path}`, method: 'GET', headers: { authToken: owner, apiKey } })).text;
  return eventually(PATIENCE_MS, async () => {
    const { data } = JSON.parse(await get('/operation')) as { data: { operations: { id: string; sender: string; state: string }[] } }; // prettier-ignore
    expect(data.operations.map(({ state }) => state).sort()).toEqual(['granted', 'refused', 'refused', 'settled']);
    // What is told again, because the answer was slow, has the id that it had.
    const told = [...new Map(listener.requests.map(({ headers, body }) => [headers['webhook-id'], body])).values()];
    expect(told).toHaveLength(6);
    const stream = await get('/events?after=0&follow=false');
    const events = [...stream.matchAll(/^event: (operation\..*)\ndata: (.*)$/gm)].map(([text]) => text);
    expect(events).toHaveLength(7);
    const views = data.operations.map(async ({ id, sender }): Promise<[string, Views]> => {
      const ofSender = (texts: readonly string[]) => texts.filter((text) => text.includes(sender)).map(namedText);
      const webhook = ofSender(told);
      const operation = namedText(await get(`/operation/${id}`));
      return [names.get(sender) ?? sender, { webhook: webhook.sort(), operation, events: ofSender(events) }];
    });
    return Object.fromEntries((await Promise.all(views)).sort());
  });
}

interface Paymaster {
  /** Its own key, which the dashboard is asked with. */
  readonly apiKey: string;
  /** The key of the wish, which the gateway is asked with. */
  readonly sentKey: string;
  readonly policyId: string;
}
const paymasters = new Map<string, Promise<Paymaster>>();
let keysEndAtMs = 0;

/** A paymaster for each wish, made once. */
function paymasterOf({ wish }: Plan): Promise<Paymaster> {
  const key = JSON.stringify(wish);
  const made = paymasters.get(key) ?? makePaymaster(wish);
  paymasters.set(key, made);
  return made;
}

async function makePaymaster({ methods, settings, wallet, ...wish }: Wish): Promise<Paymaster> {
  const fundingWallet = wallets[wallet];
  const money = { fundingWallet, funded: wallet !== 'none', depositsWei: {} };
  const { apiKey } = await freshPaymaster(stack, { methods, settings, authToken, ...money });
  const ask = <T>(method: 'GET' | 'POST', path: string, body?: object) =>
    dashboardOk<T>(stack, { method, path, apiKey, authToken, body });
  const addPolicy = (policyType: string, policyData: object) =>
    ask<{ _id: string }>('POST', '/paymaster-policy', { name: policyType, policyType, policyData });
  const { _id: policyId } = await addPolicy('RULES', wish.rules);
  if (wish.webhook !== null) await addPolicy('WEBHOOK', { url: wish.webhook });
  if (wish.priceless !== null) await ask('POST', '/token', { address: wish.priceless, price: { apiId: 'nobody-knows' } }); // prettier-ignore
  if (wish.isSuspended) await suspend(await idOf({ apiKey }));
  if (wish.key === undefined) return { apiKey, sentKey: apiKey, policyId };
  if (wish.key['expiresAt']) keysEndAtMs = Date.now() + KEY_ENDS_IN_MS;
  const expiresAt = wish.key['expiresAt'] && new Date(keysEndAtMs);
  const body = { name: 'Of the test', kind: 'PUBLISHABLE', ...wish.key, ...(expiresAt ? { expiresAt } : {}) };
  return { apiKey, policyId, sentKey: (await ask<{ apiKey: string }>('POST', '/keys', body)).apiKey };
}

async function idOf({ apiKey }: Pick<Paymaster, 'apiKey'>): Promise<string> {
  const request = { method: 'GET', path: '/funding-message', apiKey, authToken } as const;
  return (await dashboardOk<{ paymasterId: string }>(stack, request)).paymasterId;
}

/** The cookie of a person who operates the installation. */
let operator: Promise<string> | undefined;

async function signInOperator(): Promise<string> {
  const { databaseUrl, dashboard } = stack;
  const who = ['--account', 'demo', '--person', 'Order of refusals', '--operator'];
  const env = { DATABASE_URL: databaseUrl, PUBLIC_URL: dashboard };
  const { code } = await commands.ask<{ code: string }>(env, 'sign-in-code', ...who);
  const answer = await toDashboard('/session/code', { code });
  return answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
}

async function suspend(paymasterId: string): Promise<void> {
  const cookie = await (operator ??= signInOperator());
  const answer = await toDashboard(`/operator/paymaster/${paymasterId}/suspend`, { reason: 'It is a test.' }, cookie);
  if (answer.status !== 200) throw new Error(answer.text);
}

const toDashboard = (path: string, body: object, cookie = '') =>
  http({
    url: `${stack.dashboard}${SDK}${path}`,
    headers: { 'content-type': 'application/json', origin: stack.dashboard, cookie },
    body: JSON.stringify(body),
  });

async function ask(plan: Plan): Promise<Told> {
  const { sentKey, policyId } = await paymasterOf(plan);
  const { status, text } = await http({
    url: `${stack.paymasterRpc}/api/v2/${plan.chain}/${plan.key ?? sentKey}`,
    headers: plan.headers,
    body: plan.body.replaceAll(POLICY, policyId) + ' '.repeat(plan.padding),
  });
  // Where the node is slow, a poor wallet's refusal leaves out whether a deposit is on its way.
  if (text.includes('"contract":') && !text.includes('isDepositOnItsWay')) return ask(plan);
  const { jsonrpc, id, ...answer } = JSON.parse(text) as Record<string, unknown>;
  return { http: status, ...(named(withShortTrace(answer)) as object), ...(jsonrpc !== '2.0' && { jsonrpc, id }) };
}

/** The part of an answer that names one fault, whoever sends the operation. */
const sentenceOf = (answer: Told): unknown =>
  JSON.parse(JSON.stringify(namingOf(answer)).replaceAll(/<(holder|penniless|unlisted)>/g, '<sender>'));

function namingOf({ http: status, error, result }: Told): unknown {
  const { code, message, data } = (error ?? {}) as { code?: number; message?: string; data?: { reason?: string } };
  const { sponsored: isSponsored, reason, message: why } = (result ?? {}) as Record<string, unknown>;
  return error ? { status, code, message, reason: data?.reason } : { status, isSponsored, reason, why };
}

const title = (faults: readonly Fault[]): string => faults.join(' + ');
const VERSION = '0.7';
const COUNT_OF_ONE = { scope: 'PAYMASTER', measure: 'COUNT', amount: 1, cycle: 'LIFETIME' };

/** What all use cases are asked: each fault alone, each with the next one that can stand beside it, and what is drawn. */
function asks(): readonly Asked[] {
  const all = Object.keys(FAULTS) as Fault[];
  const drawn = Array.from({ length: DRAWN }, () => faker.helpers.arrayElements(all, { min: 2, max: 3 }));
  return USE_CASES.flatMap((useCase) => {
    const { order } = useCase;
    const canBeTogether = (faults: readonly Fault[]) => areTogether(useCase, faults, given);
    const adjacent = order.flatMap((fault, index) => {
      const next = order.slice(index + 1).find((other) => canBeTogether([fault, other]));
      return next ? [[fault, next]] : [];
    });
    const inOrder = drawn
      .filter((faults) => faults.every((fault) => order.includes(fault)))
      .map((faults) => order.filter((fault) => faults.includes(fault)))
      .filter(canBeTogether);
    const quiet = [[], ...order.map((fault) => [fault]), ...adjacent, ...inOrder].map((faults) => {
      return { useCase, faults, isExplained: false, plan: planOf(useCase, faults, given) };
    });
    const traced = order.filter((fault) => useCase.isExplained || fault === TRACED);
    const explained = traced.map((fault) => {
      const plan = planOf(useCase, [fault], given, { wish: { settings: { explainToClients: true } } });
      return { useCase, faults: [fault], isExplained: true, plan };
    });
    return [...quiet, ...explained];
  });
}

/** One operation of a paymaster whose limit allows one: it is used up for all that share the limit. */
async function useUpCount(): Promise<void> {
  const [useCase] = USE_CASES as [UseCase];
  const wish = { wish: { isCountUsedUp: true }, op: { nonce: '0x7' } };
  const plan = planOf(useCase, [], given, wish);
  await paymasterOf(plan);
  const sharing = [...paymasters].filter(([key]) => (JSON.parse(key) as Wish).isCountUsedUp);
  const paymasterIds = await Promise.all(sharing.map(async ([, made]) => idOf(await made)));
  const policyData = { limits: [COUNT_OF_ONE] };
  const body = { name: 'Shared', policyType: 'SPENDING_LIMITS', policyData, paymasterIds };
  await dashboardOk(stack, { method: 'POST', path: '/shared-policy', authToken, body });
  expect(await ask(plan)).toMatchObject({ http: 200, result: expect.anything() });
}

/** The gateway reads the price of a token of a paymaster once somebody asks for it. */
async function untilPricesAreRead(all: readonly Asked[]): Promise<void> {
  const wishes = new Map(all.map(({ plan: { wish } }) => [JSON.stringify(wish), wish]));
  const plan = planOf(useCaseOf('pm_sponsorUserOperation, ERC20'), ['pricelessToken'], given);
  await inPool(
    [...wishes.values()].filter(({ priceless }) => priceless !== null),
    (wish) =>
      eventually(PATIENCE_MS, async () =>
        expect(JSON.stringify(await ask({ ...plan, wish }))).not.toContain('NOT_YET_READ'),
      ),
  );
}

beforeAll(async () => {
  const { databaseUrl } = stack;
  const newAccount = () => commands.ask<{ authToken: string }>({ DATABASE_URL: databaseUrl }, 'create', '--name', `e2e ${randomUUID()}`); // prettier-ignore
  [decider, listener] = await Promise.all([WebhookReceiver.start(), WebhookReceiver.start()]);
  decider.behaviour = answers(200, { arePoliciesVerified: false });
  const [asking, owner] = await Promise.all([newAccount(), newAccount()]);
  ({ authToken } = asking);
  const [funder, empty] = await Promise.all([freshPaymaster(stack, asking), richWallet(stack)]);
  const { fundingWallet } = funder;
  shown = { ...(await freshPaymaster(stack, { ...owner, fundingWallet, depositsWei: {}, settings: null })), ...owner };
  const webhook = { webhookUrl: listener.url, requestType: 'POST', events: ['granted', 'refused', 'sent', 'settled'] };
  await dashboardOk(stack, { method: 'POST', path: '/webhook', ...shown, body: webhook });
  wallets = { rich: fundingWallet, empty, none: undefined };

  const accountOf = () => newSimpleAccount(stack, VERSION);
  const [holder, penniless, unlisted, sender, landing] = await Promise.all([accountOf(), accountOf(), accountOf(), accountOf(), accountOf()]); // prettier-ignore
  const fieldsOf = ({ address, factory, factoryData }: typeof holder) => ({ sender: address, nonce: '0x0', factory, factoryData }) as const; // prettier-ignore
  const tokens = { good: tokenOf(stack, 'USDx'), priceless: tokenOf(stack, 'DAIx') };
  await giveTokens(stack, { token: tokens.good, holders: [holder.address, unlisted.address] });
  const callData = execute({ to: stack.demoContract.address, data: INCREMENT });
  const signedFor = async (account: SimpleAccount, { url }: FreshPaymaster): Promise<WireOperation> => {
    const operation = { ...(await draftOperation(stack, account, { callData })), ...LIMITS };
    return signOperation(await sponsored({ url, operation }), { stack, version: VERSION, owner: account.owner });
  };
  given = {
    ...{ stack, fees: await currentFees(stack), webhook: decider.url },
    accounts: { holder: fieldsOf(holder), penniless: fieldsOf(penniless), unlisted: fieldsOf(unlisted) },
    tokens: { good: tokens.good.address, priceless: tokens.priceless.address },
    signed: await signedFor(sender, funder),
  };
  const addresses: Readonly<Record<string, string>> = {
    ...{ holder: holder.address, penniless: penniless.address, unlisted: unlisted.address },
    ...{ sender: sender.address, landing: landing.address, wallet: fundingWallet.address },
    ...{ contract: stack.demoContract.address, stranger: STRANGER },
    ...{
      token: given.tokens.good,
      'priceless token': given.tokens.priceless,
      factory: stack.accountFactories[VERSION],
    },
    ...Object.fromEntries(Object.entries(stack.paymasters).map(([version, address]) => [`paymaster v${version}`, address])), // prettier-ignore
    ...Object.fromEntries(Object.entries(stack.entryPoints).map(([version, address]) => [`EntryPoint v${version}`, address])), // prettier-ignore
  };
  for (const [name, address] of Object.entries(addresses)) names.set(address.toLowerCase(), `<${name}>`);
  anyName = new RegExp([...names.keys()].join('|'), 'gi');

  await askForOwners(await signedFor(landing, shown));
  const all = asks();
  await inPool(all, async ({ plan }) => void (await paymasterOf(plan)));
  await useUpCount();
  await untilPricesAreRead(all);
  await new Promise((resolve) => setTimeout(resolve, keysEndAtMs - Date.now()));
  const answer = async ({ useCase, faults, isExplained, plan }: Asked): Promise<void> => {
    const ofUseCase = answered.get(useCase.name) ?? new Map<string, Told>();
    answered.set(useCase.name, ofUseCase);
    ofUseCase.set(`${title(faults)}${isExplained ? ', explained' : ''}`, await ask(plan));
  };
  // An operation that has landed is refused for its nonce: what is wrong with it is asked before.
  const isSent = ({ useCase, faults }: Asked) => useCase.method === 'eth_sendUserOperation' && faults.length === 0;
  const isDecision = ({ useCase, faults }: Asked): boolean => {
    const { error } = answered.get(useCase.name)?.get(title(faults)) ?? {};
    return [-32_501, -32_508].includes((error as RpcError | undefined)?.code ?? 0);
  };
  await inPool(all.filter((each) => !each.isExplained && !isSent(each)), answer); // prettier-ignore
  await inPool(all.filter((each) => each.isExplained && isDecision(each)), answer); // prettier-ignore
  await inPool(all.filter(isSent), answer);
  owners = viewsOfOwners();
  // The tests that need it say so.
  owners.catch(() => undefined);
});
afterAll(() => Promise.all([decider?.stop(), listener?.stop()]));

/** What is told of requests with one fault, by fault; use cases that are told the same share a row. */
function rowsOf(toldOf: (useCase: string, fault: Fault) => unknown): Rows {
  const rows: Record<string, Row[]> = {};
  for (const { name, order } of USE_CASES) {
    for (const fault of order) {
      const told = toldOf(name, fault);
      if (told === undefined) continue;
      const ofFault = (rows[fault] ??= []);
      const same = ofFault.findIndex((row) => isDeepStrictEqual(row.told, told));
      if (same < 0) ofFault.push({ of: name, told });
      else ofFault[same] = { of: `${ofFault[same]?.of}; ${name}`, told };
    }
  }
  return rows;
}

const toldOf = (useCase: string, fault: Fault): Told => answered.get(useCase)?.get(fault) ?? {};

function explainedOf(useCase: string, fault: Fault): unknown {
  const { error } = answered.get(useCase)?.get(`${fault}, explained`) ?? {};
  return error && !isDeepStrictEqual(error, toldOf(useCase, fault)['error']) ? (error as RpcError).data : undefined;
}

const recorded = (): Recorded => JSON.parse(readFileSync(FILE, 'utf8')) as Recorded;

/** What a use case is told of each of its faults. */
const ofUseCase = (rows: Rows, name: string): unknown =>
  Object.fromEntries(
    Object.entries(rows).flatMap(([fault, ofFault]) => {
      const row = ofFault.find(({ of }) => of.split('; ').includes(name));
      return row ? [[fault, row.told]] : [];
    }),
  );

it('everything is told as recorded, and members stand in the same order', async () => {
  const now: Recorded = { refusals: rowsOf(toldOf), explained: rowsOf(explainedOf), owners: await owners };
  const text = `${JSON.stringify(now, null, 2)}\n`;
  // RECORD=1 npx jest --selectProjects paymaster-rpc-e2e --testPathPatterns refusals-in-order
  if (process.env['RECORD']) writeFileSync(FILE, text);
  expect(readFileSync(FILE, 'utf8') === text).toBe(true);
});

describe.each(USE_CASES.map((useCase) => [useCase.name, useCase] as const))('%s', (name, { order }) => {
  it('is answered when nothing is wrong', () => {
    const answer = answered.get(name)?.get('');
    expect(answer).toMatchObject({ http: 200, result: expect.anything() });
    expect(answer).not.toMatchObject({ result: { sponsored: false } });
  });

  it('with one fault is refused as recorded', () => {
    const { refusals, explained } = recorded();
    expect(ofUseCase(rowsOf(toldOf), name)).toEqual(ofUseCase(refusals, name));
    expect(ofUseCase(rowsOf(explainedOf), name)).toEqual(ofUseCase(explained, name));
  });

  it('with several faults is refused for the first of them', () => {
    const several = [...(answered.get(name) ?? [])].filter(([faults]) => faults.includes(' + '));
    expect(several.length).toBeGreaterThan(order.length / 2);
    const now = several.map(([faults, told]) => [faults, sentenceOf(told)]);
    const first = several.map(([faults]) => [faults, sentenceOf(toldOf(name, faults.split(' + ')[0] as Fault))]);
    expect(Object.fromEntries(now)).toEqual(Object.fromEntries(first));
  });
});

it.each(['<landing>', '<unlisted>', '<holder>', '<penniless>'])(
  'an operation of %s is shown to its owner as recorded',
  async (name) => {
    expect((await owners)[name]).toEqual(recorded().owners[name]);
  },
);
