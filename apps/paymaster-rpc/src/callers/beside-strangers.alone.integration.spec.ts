import { fairnessOf, type Attacker, type HonestAnswer, type PreparedRequest } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { executeCall, sponsoredMode, wireOperationV07 } from '../testing/rpc-call';

const STRANGERS = ['203.0.113.66', '2001:db8:66::1'];
const HONEST = '198.51.100.1';

interface Played {
  /** What each stranger sends, again and again. */
  readonly attack: readonly object[];
  /** What the honest client sends; the strangers' key is his as well. */
  readonly honest: readonly object[];
}

describe('two strangers who send all they can', () => {
  let world: GatewayWorld;
  let gateway: Awaited<ReturnType<GatewayWorld['alone']>>;
  let callData: Hex;

  beforeAll(async () => {
    world = await startGatewayWorld({ env: { TRUSTED_PROXIES: '1' } });
    gateway = await world.alone();
    callData = executeCall({ to: world.demo.address, data: world.demo.callData });
  });
  afterAll(() => world?.stop());

  const one = (method: string, ...params: unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
  const sponsor = (operation: object = {}, mode: object = {}) =>
    one('pm_sponsorUserOperation', wireOperationV07(callData, operation), sponsoredMode(mode));
  const withData = (webhookData: object) =>
    sponsor({}, { sponsorshipInfo: { webhookData, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } } });
  const many = (count: number, make: () => object) => Array.from({ length: count }, make);

  it.each<[string, () => Played]>([
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
    const { attack, honest } = played();
    const { apiKey } = world.newPaymaster();
    const prepared = (body: object, from: string): PreparedRequest => ({
      ...{ method: 'POST', path: `/api/v2/31337/${apiKey}`, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    });
    const attackers = STRANGERS.flatMap((from) => {
      const requests = attack.map((body) => prepared(body, from));
      return Array.from({ length: 6 }, (): Attacker => ({ requests, everyMs: 10 }));
    });
    const { refused, timesAsLong, ...seen } = await fairnessOf({
      ...{ origin: gateway.url, pid: gateway.pid, attackers, most: 2 },
      honest: honest.map((body) => prepared(body, HONEST)),
      isServed: ({ text }: HonestAnswer) => text.includes('"result"'),
    });
    expect({ refused: refused.slice(0, 3), heldUp: timesAsLong > 2 && seen }).toEqual({ refused: [], heldUp: false });
    expect(Object.values(seen.attacked).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(attackers.length);
  });
});
