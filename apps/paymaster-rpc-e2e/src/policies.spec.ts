import { formatEther, formatUnits } from 'viem';
import { readStack } from '@paymaster/devnet';
import { isWebhookSignature } from '@paymaster/webhooks';
import { answers, WebhookReceiver, type Behaviour, type ReceivedRequest } from '@paymaster/webhooks/testing';
import { mintAbi, nft, ruleStories } from './corpus/policy-rules';
import { execute } from './support/call-data';
import { startCanary, type Canary } from './support/canary';
import { publicClient } from './support/chain';
import { dashboardOk } from './support/dashboard-client';
import { RESET } from './support/demo-contract';
import { eventually, OBEYED_MS } from './support/eventually';
import { askFromAnotherAddress } from './support/from-another-address';
import type { FreshPaymaster } from './support/fresh-paymaster';
import { limited, outcomeOf, PolicyWorld, rules, type Given, type PolicyBody } from './support/policies';
import { roomInWindow } from './support/room-in-window';
import { AS_SENT } from './support/sponsor';

const stack = readStack();
const LIMIT = 'SPENDING_LIMIT_REACHED';
let world: PolicyWorld;
/** The most that an operation of this world can cost. */
let costWei: bigint;

beforeAll(async () => {
  world = await PolicyWorld.open(stack);
  const { maxCostWei } = await world.explain(await world.paymasterWith([]), world.operation());
  costWei = BigInt(maxCostWei ?? 0);
});

async function registerNft({ apiKey }: FreshPaymaster): Promise<void> {
  const whitelistedMethods = ['mint(address,uint256)'];
  const body = { name: 'NFT', address: nft, abi: JSON.stringify(mintAbi), whitelistedMethods };
  await dashboardOk(stack, { method: 'POST', path: '/smart-contract', apiKey, body });
}

describe('rules without a memory allow, refuse with their reason, and are not gone round', () => {
  let given: Given;
  beforeAll(() => {
    given = { world, baseFeeWei: async () => (await publicClient(stack).getBlock()).baseFeePerGas ?? 1n };
  });

  it.each(ruleStories)('$rule', async ({ policy, cases }) => {
    const paymaster = await world.paymasterWith([policy(given)], { methods: ['increment', 'tip'] });
    await registerNft(paymaster);
    const outcomes: Record<string, string> = {};
    for (const { title, ask, mode } of cases) {
      outcomes[title] = await world.outcome(paymaster, await ask(given), mode);
    }
    expect(outcomes).toEqual(Object.fromEntries(cases.map(({ title, outcome }) => [title, outcome])));
  });
});

describe('limits', () => {
  it('of one operation bound its cost, whatever it is made of', async () => {
    const ofOperation = (amount: bigint) => limited({ scope: 'OPERATION', measure: 'WEI', amount: `${amount}` });
    const [enough, short] = [
      await world.paymasterWith([ofOperation(costWei)]),
      await world.paymasterWith([ofOperation(costWei - 1n)]),
    ];
    expect(await world.outcome(enough, world.operation())).toBe('granted');
    expect(await world.outcome(short, world.operation())).toBe(LIMIT);
    const [call, verification] = [{ callGasLimit: '100001' }, { verificationGasLimit: '0x0061a81' }];
    expect(await world.outcome(enough, world.operation(call))).toBe(LIMIT);
    expect(await world.outcome(enough, world.operation(verification))).toBe(LIMIT);
  });

  it('of 7 operations grant exactly 7 of a burst', async () => {
    await roomInWindow('DAY');
    const paymaster = await world.paymasterWith([
      limited({ scope: 'PAYMASTER', measure: 'COUNT', amount: 7, cycle: 'DAY' }),
    ]);
    expect(await world.burst(paymaster, world.operations(30))).toEqual({ granted: 7, refusals: [LIMIT] });
  });

  it('count an operation once, however often and in whatever spelling it is asked for', async () => {
    const paymaster = await world.paymasterWith([
      limited({ scope: 'PAYMASTER', measure: 'COUNT', amount: '2', cycle: 'LIFETIME' }),
    ]);
    const again = world.operation({ nonce: '0x5' });
    expect((await world.burst(paymaster, Array(6).fill(again))).granted).toBe(6);
    const sender = `0x${again.sender.slice(2).toUpperCase()}`;
    expect(await world.outcome(paymaster, { ...again, sender, nonce: '0x0005' })).toBe('granted');
    expect(await world.burst(paymaster, world.operations(5))).toEqual({ granted: 1, refusals: [LIMIT] });
  });

  it('of an account bind it under all its nonces, and leave others alone', async () => {
    await roomInWindow('WEEK');
    const paymaster = await world.paymasterWith([
      limited({ scope: 'USER', measure: 'COUNT', amount: 2, cycle: 'WEEK' }),
    ]);
    const { sender } = world.operation();
    const burst = await world.burst(paymaster, world.operations(10, { sender }));
    expect(burst).toEqual({ granted: 2, refusals: [LIMIT] });
    const nonce = `0x${(1n << 200n).toString(16)}`;
    const spelt = `0x${sender.slice(2).toUpperCase()}`;
    expect(await world.outcome(paymaster, world.operation({ sender: spelt, nonce }))).toBe(LIMIT);
    expect(await world.outcome(paymaster, world.operation())).toBe('granted');
  });

  it('of wei hold the most that operations can cost; asking again for more takes the difference', async () => {
    await roomInWindow('HOUR');
    const paymaster = await world.paymasterWith([
      limited({ scope: 'PAYMASTER', measure: 'WEI', amount: `${3n * costWei + 1n}`, cycle: 'HOUR' }),
    ]);
    const [first, ...others] = world.operations(12);
    expect(await world.outcome(paymaster, first as object)).toBe('granted');
    expect(await world.burst(paymaster, others)).toEqual({ granted: 2, refusals: [LIMIT] });
    expect(await world.outcome(paymaster, { ...first, callGasLimit: '0x186a1' })).toBe(LIMIT);
    expect(await world.outcome(paymaster, first as object)).toBe('granted');
  });

  it('in USD count what that is at the price of the signature', async () => {
    await roomInWindow('MONTH');
    const usd = (amount: string) => limited({ scope: 'PAYMASTER', measure: 'USD', amount, cycle: 'MONTH' });
    const { budgets } = await world.explain(await world.paymasterWith([usd('1000000')]), world.operation());
    const microUsd = BigInt(budgets.find(({ unit }) => unit === 'microUsd')?.needed ?? 0);
    expect(microUsd).toBeGreaterThan(0n);
    // Between two and three operations, so that a price that moves a little changes nothing.
    const paymaster = await world.paymasterWith([usd(formatUnits((microUsd * 5n) / 2n, 6))]);
    expect(await world.burst(paymaster, world.operations(8))).toEqual({ granted: 2, refusals: [LIMIT] });
  });

  it('PAYMASTER_SA_LIMIT counts operations or coin, of all or of each account', async () => {
    const cycle = (type: string, thresholdType: string, threshold: unknown): PolicyBody => ({
      ...{ name: 'Cycle', policyType: 'PAYMASTER_SA_LIMIT' },
      policyData: { type, thresholdType, threshold, cycleDuration: { value: 6, unit: 'hour' } },
    });
    const counted = await world.paymasterWith([cycle('PAYMASTER', 'COUNT', 3)]);
    expect(await world.burst(counted, world.operations(9))).toEqual({ granted: 3, refusals: [LIMIT] });
    const coin = await world.paymasterWith([cycle('PAYMASTER', 'NATIVE_ASSET', formatEther(2n * costWei))]);
    expect(await world.burst(coin, world.operations(9))).toEqual({ granted: 2, refusals: [LIMIT] });
    const { sender } = world.operation();
    const each = await world.paymasterWith([cycle('SMART_ACCOUNT', 'COUNT', 1)]);
    expect((await world.burst(each, world.operations(6, { sender }))).granted).toBe(1);
    expect(await world.outcome(each, world.operation())).toBe('granted');
  });

  it('in USD that two paymasters share count what both sponsor, and nothing of a third', async () => {
    const usd = (amount: string) => ({ scope: 'PAYMASTER', measure: 'USD', amount, cycle: 'LIFETIME' });
    const { budgets } = await world.explain(await world.paymasterWith([limited(usd('1000000'))]), world.operation());
    const microUsd = BigInt(budgets.find(({ unit }) => unit === 'microUsd')?.needed ?? 0);
    const [third, ...both] = [
      await world.paymasterWith([]),
      await world.paymasterWith([]),
      await world.paymasterWith([]),
    ];
    // Between five and six operations, so that a price that moves a little changes nothing.
    const limits = [usd(formatUnits((microUsd * 11n) / 2n, 6))];
    await world.sharePolicy(both, { name: 'Both', policyType: 'SPENDING_LIMITS', policyData: { limits } });
    await eventually(OBEYED_MS, async () => {
      for (const paymaster of both) {
        const explained = await world.explain(paymaster, world.operation());
        expect(explained.budgets.map(({ rule }) => rule)).toContain('Both: shared limit per PAYMASTER and LIFETIME');
      }
    });
    const bursts = await Promise.all(both.map((paymaster) => world.burst(paymaster, world.operations(10))));
    expect(bursts.reduce((sum, { granted }) => sum + granted, 0)).toBe(5);
    expect(new Set(bursts.flatMap(({ refusals }) => refusals))).toEqual(new Set([LIMIT]));
    expect(await world.outcome(third, world.operation())).toBe('granted');
  });

  it('are not used up by another tenant that names the same sender and nonce', async () => {
    const once = limited({ scope: 'PAYMASTER', measure: 'COUNT', amount: 1, cycle: 'LIFETIME' });
    const [mine, foreign] = [await world.paymasterWith([once]), await world.foreignPaymasterWith([once])];
    const same = world.operation();
    expect(await world.outcome(foreign, same)).toBe('granted');
    expect(await world.outcome(mine, same)).toBe('granted');
    expect(await world.outcome(mine, world.operation())).toBe(LIMIT);
  });

  it('are not hoarded by a stranger with senders of his own making', async () => {
    await roomInWindow('DAY');
    const settings = { clientSharePercent: 50 };
    const paymaster = await world.paymasterWith(
      [limited({ scope: 'PAYMASTER', measure: 'COUNT', amount: 8, cycle: 'DAY' })],
      { settings },
    );
    const hoard = await world.burst(paymaster, world.operations(30));
    expect(hoard).toEqual({ granted: 4, refusals: ['TOO_MANY_LIVE_SIGNATURES'] });
    const user = { url: paymaster.url, method: 'pm_sponsorUserOperation', params: [world.operation(), AS_SENT] };
    expect(outcomeOf(await askFromAnotherAddress(user))).toBe('granted');
  });

  it('of live signatures bind sender, client address and paymaster', async () => {
    const capped = (settings: Record<string, number>) => world.paymasterWith([], { settings });
    const sender = await capped({ maxLiveSignaturesPerSender: 3 });
    const one = world.operation().sender;
    const TOO_MANY = ['TOO_MANY_LIVE_SIGNATURES'];
    expect(await world.burst(sender, world.operations(9, { sender: one }))).toEqual({ granted: 3, refusals: TOO_MANY });
    expect(await world.outcome(sender, world.operation())).toBe('granted');
    const client = await capped({ maxLiveSignaturesPerClient: 4 });
    expect(await world.burst(client, world.operations(9))).toEqual({ granted: 4, refusals: TOO_MANY });
    const total = await capped({ maxLiveSignaturesTotal: 5 });
    expect(await world.burst(total, world.operations(9))).toEqual({ granted: 5, refusals: TOO_MANY });
    const user = { url: total.url, method: 'pm_sponsorUserOperation', params: [world.operation(), AS_SENT] };
    expect(outcomeOf(await askFromAnotherAddress(user))).toBe('TOO_MANY_LIVE_SIGNATURES');
  });
});

describe('several policies', () => {
  const once = (priority: number) =>
    limited({ scope: 'PAYMASTER', measure: 'COUNT', amount: 1, cycle: 'LIFETIME' }, priority);

  it('the first that allows sponsors; used up, the next one does', async () => {
    const paymaster = await world.paymasterWith([]);
    const [last, first] = [await world.addPolicy(paymaster, once(20)), await world.addPolicy(paymaster, once(10))];
    for (const policyId of [first, last]) {
      expect(await world.explain(paymaster, world.operation())).toMatchObject({ sponsored: true, policyId });
      expect(await world.outcome(paymaster, world.operation())).toBe('granted');
    }
    const refused = await world.explain(paymaster, world.operation());
    expect(refused).toMatchObject({
      sponsored: false,
      reason: LIMIT,
      policyId: null,
      details: { used: '1', limit: '1' },
    });
  });

  it('restrictions bind all of them, and a paused one none', async () => {
    const cycle: PolicyBody = {
      ...{ name: 'Cycle', policyType: 'PAYMASTER_SA_LIMIT' },
      policyData: { type: 'PAYMASTER', thresholdType: 'COUNT', threshold: 1, cycleDuration: { value: 1, unit: 'day' } },
    };
    const paymaster = await world.paymasterWith([rules({})]);
    const id = await world.addPolicy(paymaster, cycle);
    expect((await world.burst(paymaster, world.operations(5))).granted).toBe(1);
    await world.changePolicy(paymaster, `deactivate/${id}`);
    await eventually(OBEYED_MS, async () => expect(await world.outcome(paymaster, world.operation())).toBe('granted'));
    await world.changePolicy(paymaster, `activate/${id}`);
    await eventually(OBEYED_MS, async () => expect(await world.outcome(paymaster, world.operation())).toBe(LIMIT));
  });
});

describe("the owner's webhook", () => {
  let receiver: WebhookReceiver;
  let canary: Canary;
  beforeAll(async () => {
    [receiver, canary] = await Promise.all([WebhookReceiver.start(), startCanary()]);
  });
  beforeEach(() => {
    receiver.requests.length = 0;
    receiver.behaviour = answers(200, { arePoliciesVerified: true });
  });
  afterAll(() => Promise.all([receiver.stop(), canary.stop()]));

  const asking = (...others: PolicyBody[]) =>
    world.paymasterWith([{ name: 'Hook', policyType: 'WEBHOOK', policyData: { url: receiver.url } }, ...others]);
  const withData = (webhookData: object) => ({ sponsorshipInfo: { ...AS_SENT.sponsorshipInfo, webhookData } });

  it('allows: asked once, signed with the secret that the owner sees, with calls and cost', async () => {
    const paymaster = await asking();
    expect(await world.outcome(paymaster, world.operation(), withData({ userId: 7 }))).toBe('granted');
    const [{ headers, body }, ...more] = receiver.requests as [ReceivedRequest, ...ReceivedRequest[]];
    expect(more).toEqual([]);
    expect(JSON.parse(body)).toMatchObject({
      data: { userId: 7 },
      decodedCalls: [{ to: stack.demoContract.address.toLowerCase(), valueWei: '0' }],
      costWei: `${costWei}`,
      costUsd: expect.stringMatching(/^\d+(\.\d+)?$/),
    });
    const { apiKey } = paymaster;
    const [{ _id: id }] = await dashboardOk<[{ _id: string }]>(stack, {
      method: 'GET',
      path: '/paymaster-policy',
      apiKey,
    });
    const path = `/webhook/secrets?webhookId=${id}`;
    const { secrets } = await dashboardOk<{ secrets: string[] }>(stack, { method: 'GET', path, apiKey });
    const message = { id: `${headers['webhook-id']}`, timestampSeconds: Number(headers['webhook-timestamp']), body };
    expect(isWebhookSignature(`${headers['webhook-signature']}`, message, secrets)).toBe(true);
    expect(isWebhookSignature(`${headers['webhook-signature']}`, { ...message, body: `${body} ` }, secrets)).toBe(
      false,
    );
  });

  it('refuses, whatever the client says of itself, and holds no budget while it does', async () => {
    const paymaster = await asking(limited({ scope: 'PAYMASTER', measure: 'COUNT', amount: 1, cycle: 'DAY' }));
    receiver.behaviour = answers(200, { arePoliciesVerified: false });
    expect(await world.outcome(paymaster, world.operation())).toBe('WEBHOOK_REFUSED');
    const claim = withData({ arePoliciesVerified: true, url: canary.url, webhookUrl: canary.url });
    expect(await world.outcome(paymaster, world.operation(), claim)).toBe('WEBHOOK_REFUSED');
    expect(canary.visits()).toBe(0);
    receiver.behaviour = answers(200, { arePoliciesVerified: true });
    expect(await world.outcome(paymaster, world.operation())).toBe('granted');
  });

  it('refuses when it is slow, sends elsewhere, fails or is not understood', async () => {
    const elsewhere: Behaviour = (response) => response.writeHead(307, { location: canary.url }).end();
    const bad: Behaviour[] = [
      elsewhere,
      answers(500, { arePoliciesVerified: true }),
      answers(200, { arePoliciesVerified: 'true' }),
      answers(200, [{ arePoliciesVerified: true }]),
    ];
    const paymaster = await asking();
    for (const behaviour of bad) {
      receiver.behaviour = behaviour;
      expect(await world.outcome(paymaster, world.operation())).toBe('WEBHOOK_FAILED');
    }
    expect(canary.visits()).toBe(0);

    receiver.behaviour = () => undefined;
    const { elapsedMs, body } = await world.ask(await asking(), world.operation());
    expect(body.error).toMatchObject({ code: -32501, data: { reason: 'WEBHOOK_FAILED' } });
    expect(elapsedMs).toBeGreaterThan(2_500);
    expect(elapsedMs).toBeLessThan(30_000);
  });

  it('is not asked what the policy refuses anyway, nor by pm_explain', async () => {
    const paymaster = await asking();
    const reset = execute({ to: stack.demoContract.address, data: RESET });
    expect(await world.outcome(paymaster, world.operation({}, reset))).toBe('METHOD_NOT_WHITELISTED');
    expect(await world.explain(paymaster, world.operation())).toMatchObject({ sponsored: true });
    expect(receiver.requests).toHaveLength(0);
  });
});
