import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '@paymaster/domain/testing';
import { startGatewayWorld, type GatewayWorld } from '../testing/gateway-world';
import { call, post, type RpcAnswer } from '../testing/rpc-call';

const PER_SECOND = 100;
/** Requests that may be under way at once, so that what is measured is the limits and not this process. */
const AT_ONCE = 8;
const STRANGERS = ['203.0.113.66', '2001:db8:66::1'];
const HONEST = '198.51.100.1';

describe('clients that send all they can', () => {
  let world: GatewayWorld;

  beforeAll(async () => {
    const env = { TRUSTED_PROXIES: '1', RATE_LIMIT_PER_KEY_PER_SECOND: String(PER_SECOND) };
    world = await startGatewayWorld({ env });
  });
  afterAll(() => world?.stop());

  const from = (address: string) => ({ 'x-forwarded-for': address });
  const isRefused = ({ status, json, headers }: RpcAnswer): boolean =>
    status === 429 && json.error?.code === -32005 && headers.has('retry-after');

  it('leave an honest one beside them every request of a key', async () => {
    const url = `${world.url}/api/v2/31337/${world.newPaymaster().apiKey}`;
    let isOver = false;
    const outcomes = { let: 0, refused: 0 };
    const flood = STRANGERS.flatMap((address) =>
      Array.from({ length: AT_ONCE }, async () => {
        while (!isOver) {
          const answer = await call(url, 'pm_chainId', [], from(address));
          outcomes[isRefused(answer) ? 'refused' : 'let'] += 1;
        }
      }),
    );
    await until(() => outcomes.refused > 0);
    const answers: RpcAnswer[] = [];
    for (let asked = 0; asked < 30; asked++) {
      answers.push(await call(url, 'pm_chainId', [], from(HONEST)));
      await sleep(50);
    }
    isOver = true;
    await Promise.all(flood);
    expect(answers.map(({ json }) => json.result ?? json.error)).toEqual(answers.map(() => '0x7a69'));
    expect(outcomes.let).toBeGreaterThan(0);
  });

  describe('without a key', () => {
    // Nothing comes back while a test looks.
    beforeEach(() => jest.spyOn(performance, 'now').mockReturnValue(performance.now()));
    afterEach(() => jest.restoreAllMocks());

    let addresses = 80;
    const discover = (count: number, address: string): Promise<RpcAnswer> => {
      const batch = Array(count).fill({ jsonrpc: '2.0', id: 1, method: 'rpc.discover' });
      return post(`${world.url}/`, JSON.stringify(batch), from(address));
    };

    it('get rpc.discover a hundred times at once, and each other address its own', async () => {
      const [stranger, other] = ['203.0.113.70', '203.0.113.71'];
      for (let batch = 0; batch < 5; batch++) expect((await discover(20, stranger)).status).toBe(200);
      const { status, text } = await discover(20, stranger);
      expect([status, text.length < 10_000]).toEqual([429, true]);
      expect((await call(`${world.url}/`, 'rpc.discover', [], from(other))).json.result).toHaveProperty('openrpc');
      const url = `${world.url}/api/v2/31337/${world.newPaymaster().apiKey}`;
      expect((await call(url, 'pm_chainId', [], from(stranger))).json.result).toBe('0x7a69');
    });

    it.each<[string, number, (headers: Record<string, string>) => Promise<{ status: number }>]>([
      ['methods that do not exist', 400, (headers) => call(`${world.url}/`, 'pm_nothing', [], headers)],
      ['what is no JSON', 400, (headers) => post(`${world.url}/`, '{', headers)],
      ['what is no request', 400, (headers) => post(`${world.url}/`, '[1]', headers)],
      ['addresses where nothing is', 404, (headers) => post(`${world.url}/nothing`, '{}', headers)],
      ['other HTTP methods', 405, (headers) => fetch(`${world.url}/`, { method: 'PUT', headers })],
      ['preflights', 204, (headers) => fetch(`${world.url}/`, { method: 'OPTIONS', headers })],
    ])('share that limit for %s', async (_title, status, ask) => {
      const address = `203.0.113.${addresses++}`;
      expect((await ask(from(address))).status).toBe(status);
      for (let batch = 0; batch < 4; batch++) await discover(20, address);
      await discover(19, address);
      // One of the last 20 small answers was given at first.
      for (let left = 19; left > 0; left--) expect((await ask(from(address))).status).toBe(status);
      expect((await ask(from(address))).status).toBe(429);
    });
  });
});
