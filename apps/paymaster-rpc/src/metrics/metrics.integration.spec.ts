import { setTimeout as sleep } from 'node:timers/promises';
import { faker } from '@faker-js/faker';
import { tokenListingBuilder, until } from '@paymaster/domain/testing';
import { RATE_SUBJECTS } from '@paymaster/messaging';
import { Metrics } from '@paymaster/nest-kit';
import { answers, WebhookReceiver } from '@paymaster/webhooks/testing';
import { connect } from 'nats';
import { randomApiKey } from '../testing/api-key';
import { call, executeCall, post, sponsoredMode, wireOperationV06 } from '../testing/rpc-call';
import { erc20Mode } from '../testing/token-call';
import { startTokenWorld, type TokenWorld } from '../testing/token-world';

let world: TokenWorld;
let receiver: WebhookReceiver;

beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  world = await startTokenWorld({
    env: {
      // So low that unknown clients reach the limit at once on any machine.
      RATE_LIMIT_PER_KEY_PER_SECOND: '5',
      ...{ WEBHOOK_SIGNING_KEY: '03'.repeat(32), WEBHOOK_ALLOW_INSECURE: 'true' },
    },
  });
});
afterAll(async () => {
  await world?.stop();
  await receiver?.stop();
});

const render = () => world.app.get(Metrics, { strict: false }).render();
/** Names and labels of every series that requests can make. */
const series = async () => (await render()).split('\n').flatMap((line) => /^(paymaster_[^ ]+) /.exec(line)?.[1] ?? []);
/** The value of one sample; 0 if the sample does not exist yet. */
const valueOf = async (sample: string) => {
  const line = (await render()).split('\n').find((each) => each.startsWith(`${sample} `));
  return Number(line?.slice(sample.length + 1) ?? 0);
};

const requests = (labels: { method: string; mode: string; outcome: string; reason?: string }) => {
  const { method, mode, outcome, reason = 'none' } = labels;
  return `paymaster_rpc_requests_total{method="${method}",mode="${mode}",outcome="${outcome}",reason="${reason}"}`;
};

const operation = () => wireOperationV06(executeCall({ to: world.demo.address, data: world.demo.callData }));
const asOf = (apiKey: string) => `${world.url}/api/v2/31337/${apiKey}`;

describe('requests', () => {
  it.each([
    ['granted', { method: 'pm_sponsorUserOperation', mode: 'sponsored', outcome: 'granted' }, () => sponsoredMode()],
    [
      'refused by the wallet',
      { method: 'pm_sponsorUserOperation', mode: 'sponsored', outcome: 'refused', reason: 'FUNDING_WALLET_MISSING' },
      () => sponsoredMode(),
    ],
    [
      'answered without a signature',
      { method: 'pm_sponsorUserOperation', mode: 'sponsored', outcome: 'refused', reason: 'USER_PAYS' },
      () => sponsoredMode(),
    ],
    [
      'quoted',
      { method: 'pm_getFeeQuoteOrData', mode: 'token', outcome: 'quoted' },
      () => erc20Mode({ preferredToken: world.tokens.USDx.address }),
    ],
    [
      'invalid',
      { method: 'pm_sponsorUserOperation', mode: 'none', outcome: 'invalid', reason: 'INVALID_PARAMS' },
      () => 'no mode',
    ],
  ])('that are %s are counted and measured once', async (title, labels, mode) => {
    const { apiKey, snapshot } = world.newPaymaster();
    if (title.startsWith('refused')) world.responder.set(apiKey, { ...snapshot, fundingWallet: null });
    if (title.startsWith('answered')) {
      const settings = { ...snapshot.settings, onRefusal: 'userPays' as const };
      world.responder.set(apiKey, { ...snapshot, contracts: [], settings });
    }
    const timed = `paymaster_rpc_request_seconds_count{method="${labels.method}",mode="${labels.mode}"}`;
    const [before, timedBefore] = [await valueOf(requests(labels)), await valueOf(timed)];
    await call(asOf(apiKey), labels.method, [operation(), mode()]);
    expect([await valueOf(requests(labels)), await valueOf(timed)]).toEqual([before + 1, timedBefore + 1]);
    expect(await valueOf('paymaster_rpc_in_flight')).toBe(0);
  });

  it('of a batch are counted one by one', async () => {
    const { apiKey } = world.newPaymaster();
    const sample = requests({ method: 'pm_chainId', mode: 'none', outcome: 'answered' });
    const entry = { jsonrpc: '2.0', method: 'pm_chainId', params: [] };
    await post(asOf(apiKey), JSON.stringify([1, 2, 3].map((id) => ({ ...entry, id }))));
    expect(await valueOf(sample)).toBe(3);
  });

  it('are counted also when the bundler gave no answer to an estimate', async () => {
    const sample = (outcome: string) => `paymaster_bundler_requests_total{chain="31337",outcome="${outcome}"}`;
    const before = await valueOf(sample('failed'));
    const { apiKey } = world.newPaymaster();
    const { json } = await call(asOf(apiKey), 'pm_sponsorUserOperation', [
      operation(),
      sponsoredMode({ calculateGasLimits: true }),
    ]);
    expect(json.error).toMatchObject({ code: -32011, data: { dependency: 'bundler' } });
    expect(await valueOf(sample('failed'))).toBe(before + 1);
    expect(await valueOf(sample('answered'))).toBe(0);
  });

  it('are reflected in the metrics of policies, reservations and signatures', async () => {
    const { apiKey } = world.newPaymaster();
    const before = await valueOf('paymaster_policy_cache_lookups_total{result="hit"}');
    for (let round = 0; round < 2; round++) {
      await call(asOf(apiKey), 'pm_sponsorUserOperation', [operation(), sponsoredMode()]);
    }
    expect(await valueOf('paymaster_policy_cache_lookups_total{result="hit"}')).toBe(before + 1);
    for (const sample of [
      'paymaster_policy_cache_entries',
      'paymaster_policy_cache_bytes',
      'paymaster_reserve_seconds_count',
      'paymaster_reserve_batch_size_sum',
      'paymaster_signer_seconds_count{signer="local"}',
      'paymaster_postgres_pool_total',
      `paymaster_provider_requests_total{chain="31337",provider="${new URL(world.node.url).host}",use="chain",outcome="answered"}`,
      `paymaster_provider_requests_total{chain="31337",provider="${new URL(world.node.url).host}",use="feeds",outcome="answered"}`,
    ])
      expect({ sample, isThere: (await valueOf(sample)) > 0 }).toEqual({ sample, isThere: true });
    expect(await valueOf('paymaster_nats_connected')).toBe(1);
    expect(await valueOf('paymaster_ready')).toBe(1);
  });
});

describe('decision webhooks', () => {
  it('are counted by outcome, over all paymasters', async () => {
    const sample = (outcome: string) => `paymaster_decision_webhooks_total{outcome="${outcome}"}`;
    const measured = 'paymaster_decision_webhook_seconds_count';
    const before = await series();
    const counts = async () => [await valueOf(sample('allowed')), await valueOf(sample('refused')), await valueOf(measured)]; // prettier-ignore
    expect(await counts()).toEqual([0, 0, 0]);
    for (const arePoliciesVerified of [true, false]) {
      receiver.behaviour = answers(200, { arePoliciesVerified });
      const webhook = { webhookId: faker.string.uuid(), url: `${receiver.url}/${faker.string.alphanumeric(12)}` };
      const { apiKey } = world.newPaymaster({
        policies: [
          {
            ...{ policyId: 'hook', name: 'Hook', type: 'WEBHOOK' },
            webhook: { ...webhook, method: 'POST', secretVersions: [1] },
          },
        ],
      });
      await call(asOf(apiKey), 'pm_sponsorUserOperation', [operation(), sponsoredMode()]);
    }
    expect(await counts()).toEqual([1, 1, 2]);
    expect((await series()).filter((each) => each.includes('decision'))).toEqual(
      before.filter((each) => each.includes('decision')),
    );
  });
});

describe('prices', () => {
  const labelsOf = (symbol: 'USDx' | 'native') => {
    const token = symbol === 'native' ? symbol : world.tokens[symbol].address;
    return `{chain="31337",token="${token}",symbol="${symbol}"}`;
  };
  const usable = (symbol: 'USDx' | 'native') => valueOf(`paymaster_price_usable${labelsOf(symbol)}`);
  const leftOut = () => valueOf('paymaster_price_source_left_out{chain="31337",source="feed"}');
  const HOURS = 3_600;

  it('are shown for each token of the list and the native coin, with their age and their sources', async () => {
    await world.prices.refresh();
    expect([await usable('native'), await usable('USDx'), await leftOut()]).toEqual([1, 1, 0]);
    const age = `paymaster_price_age_seconds${labelsOf('USDx')}`;
    const before = await valueOf(age);
    await sleep(50);
    expect(await valueOf(age)).toBeGreaterThan(before);
    await world.setPrice('USDx', '1', 48 * HOURS);
    expect([await usable('native'), await usable('USDx'), await leftOut()]).toEqual([1, 0, 1]);
    await world.setPrice('USDx', '1');
    expect([await usable('USDx'), await leftOut()]).toEqual([1, 0]);
  });

  it('of owners have no series', async () => {
    const { apiKey, snapshot } = world.newPaymaster();
    const before = (await series()).filter((each) => each.includes('_price_'));
    expect(before).not.toEqual([]);
    const listed = world.prices.health().tokens;
    const tokens = Array.from({ length: 30 }, () => tokenListingBuilder().build());
    world.responder.set(apiKey, { ...snapshot, tokens });
    await call(asOf(apiKey), 'pm_getFeeQuoteOrData', [operation(), erc20Mode({ preferredToken: tokens[0]!.address })]);
    await world.prices.refresh();
    expect(world.prices.health().tokens).toBe(listed + 30);
    expect((await series()).filter((each) => each.includes('_price_'))).toEqual(before);
  });
});

describe('rate limits', () => {
  it('are shared by messages that are counted: told, heard, and ignored if they are not authentic', async () => {
    const sample = (what: string) => `paymaster_rate_messages_total{what="${what}"}`;
    const grows = async (what: string, cause: () => Promise<unknown>) => {
      const before = await valueOf(sample(what));
      await until(async () => {
        await cause();
        return (await valueOf(sample(what))) > before;
      }, `a message is ${what}`);
    };
    await until(async () => (await valueOf('paymaster_rate_sharing')) === 1, 'the gateway shares');
    const { apiKey } = world.newPaymaster();
    const ask = (url: string) => call(`${url}/api/v2/31337/${apiKey}`, 'pm_chainId', []);
    await grows('told', () => ask(world.url));
    const other = await world.another();
    await grows('heard', () => ask(other));
    const stranger = await connect({ servers: world.broker.current.url });
    await grows('ignored', async () => stranger.publish(RATE_SUBJECTS.gateway, faker.string.alphanumeric(40)));
    await stranger.close();
  });
});

describe('strangers', () => {
  it('add no series with 1,000 keys, methods, modes and paths of their own', async () => {
    const { apiKey } = world.newPaymaster();
    const word = () => faker.string.alphanumeric({ length: { min: 1, max: 40 } });
    const annoy = async () => {
      const entries = [
        ...Array.from({ length: 5 }, () => ({ method: `pm_${word()}`, params: [word()] })),
        { method: 'pm_sponsorUserOperation', params: [operation(), { ...sponsoredMode(), mode: word() }] },
        { method: 'pm_getFeeQuoteOrData', params: [operation(), word()] },
      ];
      const body = JSON.stringify(entries.map((entry, id) => ({ jsonrpc: '2.0', id, ...entry })));
      await post(asOf(apiKey), body, { 'x-request-id': word() });
      await post(asOf(randomApiKey()), body, { origin: `https://${word()}.org` });
      await fetch(`${world.url}/${word()}/${word()}`, { method: 'POST', body: word() }).then((each) => each.text());
    };
    const annoyTenfold = () => Promise.all(Array.from({ length: 10 }, annoy));
    await annoyTenfold();
    const before = await series();
    expect(before.filter((each) => each.includes('RATE_LIMITED'))).toHaveLength(2);
    for (let round = 0; round < 10; round++) await annoyTenfold();
    expect((await series()).sort()).toEqual(before.sort());
  });
});
