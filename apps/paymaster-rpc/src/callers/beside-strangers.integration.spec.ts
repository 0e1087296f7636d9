import { fairnessOf, type Attacker, type HonestAnswer, type PreparedRequest } from '@paymaster/devnet';
import { FakeRpcError, FakeRpcServer } from '@paymaster/chain/testing';
import type { Hex, SponsorshipPolicy } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { answers, WebhookReceiver } from '@paymaster/webhooks/testing';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { executeCall, sponsoredMode, wireOperationV07 } from '../testing/rpc-call';

const ESTIMATE = { callGasLimit: '0x186a0', verificationGasLimit: '0x186a0', preVerificationGas: '0xc350' };
const UNLIMITED = { callGasLimit: undefined, verificationGasLimit: undefined, preVerificationGas: undefined };
/** How many operations the bundler simulates at once, and how long it is at one that loops and one that does not. */
const WORKERS = 6;
const LOOP_MS = 500;
const WORK_MS = 50;
const STRANGERS = ['203.0.113.66', '2001:db8:66::1'];
const HONEST = '198.51.100.1';

interface Played {
  /** What each stranger sends, again and again. */
  readonly attack: readonly object[];
  /** What the honest client sends; the strangers' key is his as well. */
  readonly honest: readonly object[];
  readonly policies?: SponsorshipPolicy[];
  /** How often the honest client asks; 20 ms unless said otherwise. */
  readonly everyMs?: number;
  /** The strangers have no key. */
  readonly isKeyless?: boolean;
}

describe('two strangers who send all they can', () => {
  let world: GatewayWorld;
  let bundler: FakeRpcServer;
  let receiver: WebhookReceiver;
  let callData: Hex;
  const looping = randomAddress();

  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    receiver.behaviour = answers(200, { arePoliciesVerified: true });
    bundler = await FakeRpcServer.start();
    const waiting: Array<() => void> = [];
    let free = WORKERS;
    bundler.methods['eth_estimateUserOperationGas'] = async ([operation]) => {
      const isLoop = (operation as { sender: string }).sender === looping;
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      await new Promise((resolve) => setTimeout(resolve, isLoop ? LOOP_MS : WORK_MS));
      const next = waiting.shift();
      if (next) next();
      else free += 1;
      if (isLoop) throw new FakeRpcError(-32500, 'AA23 reverted (or OOG)');
      return ESTIMATE;
    };
    const env = { TRUSTED_PROXIES: '1', WEBHOOK_SIGNING_KEY: '03'.repeat(32), WEBHOOK_ALLOW_INSECURE: 'true' };
    world = await startGatewayWorld({ bundlerUrl: bundler.url, env });
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  afterAll(async () => {
    await world?.stop();
    await Promise.all([bundler?.stop(), receiver?.stop()]);
  });

  const one = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
  const sponsor = (operation: object = {}, mode: object = {}) =>
    one('pm_sponsorUserOperation', wireOperationV07(callData, operation), sponsoredMode(mode));
  const withData = (webhookData: object) =>
    sponsor({}, { sponsorshipInfo: { webhookData, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } } });
  const estimated = (sender = randomAddress()) => sponsor({ ...UNLIMITED, sender }, { calculateGasLimits: true });
  const many = (count: number, make: () => object) => Array.from({ length: count }, make);
  const pmChainId = one('pm_chainId');
  const byGet = (): SponsorshipPolicy => ({
    ...{ policyId: 'hook', name: 'Hook', type: 'WEBHOOK' },
    webhook: { webhookId: 'hook', url: receiver.url, method: 'GET', secretVersions: [1] },
  });

  it.each<[string, () => Played]>([
    [
      'webhookData that no address holds',
      () => ({
        policies: [byGet()],
        attack: many(8, () => withData({ note: 'a'.repeat(100_000) })),
        everyMs: 40,
        honest: many(100, () => withData({ userId: 7 })),
      }),
    ],
    [
      'estimates of accounts that loop',
      () => ({ everyMs: 120, attack: many(8, () => estimated(looping)), honest: many(100, () => estimated()) }),
    ],
    ['requests of a key', () => ({ attack: [pmChainId], honest: [pmChainId] })],
    [
      'rpc.discover in batches',
      () => ({ isKeyless: true, attack: [many(20, () => one('rpc.discover'))], honest: many(100, () => sponsor()) }),
    ],
    [
      'batches of operations with long call data',
      () => ({
        attack: [many(20, () => sponsor({ callData: `${callData}${'00'.repeat(6_000)}` }))],
        honest: many(100, () => sponsor()),
      }),
    ],
    [
      'bodies of empty objects, keys and levels',
      () => ({
        attack: [
          many(80_000, () => ({})),
          [withData(Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, 1])))],
          withData({ data: Array.from({ length: 4_900 }, (_, at) => ({ [`k${at % 1_900}`]: 1 })) }),
        ],
        honest: many(100, () => sponsor()),
      }),
    ],
  ])('hold up no one else: %s', async (_what, played) => {
    const { attack, honest, policies = [], isKeyless = false, everyMs = 20 } = played();
    const { apiKey } = world.newPaymaster({ policies });
    const prepared = (body: object, from: string, path = `/api/v2/31337/${apiKey}`): PreparedRequest => ({
      ...{ method: 'POST', path, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    });
    const attackers = STRANGERS.flatMap((from) => {
      const requests = attack.map((body) => prepared(body, from, isKeyless ? '/' : undefined));
      return Array.from({ length: 6 }, (): Attacker => ({ requests, everyMs: 10 }));
    });
    const { refused, timesAsLong, ...seen } = await fairnessOf({
      ...{ origin: world.url, attackers, everyMs, most: 2 },
      honest: honest.map((body) => prepared(body, HONEST)),
      isServed: ({ text }: HonestAnswer) => text.includes('"result"'),
    });
    expect({ refused: refused.slice(0, 3), seen, isFair: timesAsLong <= 2 }).toMatchObject({
      refused: [],
      isFair: true,
    });
    expect(Object.values(seen.attacked).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(attackers.length);
  });
});
