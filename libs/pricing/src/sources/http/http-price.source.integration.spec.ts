import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiReference, fakeClock, PriceServer, type PriceServerMode } from '../../testing';
import { HttpPriceSource, type HttpPriceSourceOptions } from './http-price.source';

const SECRET = 'CG-very-secret';
const ether = apiReference('ethereum');
const tiny = apiReference('tiny');

describe('HttpPriceSource, against a real HTTP server', () => {
  let server: PriceServer;
  beforeEach(async () => {
    server = await PriceServer.start({ prices: { ethereum: '2412.07', tiny: '1.2e-9' } });
  });
  afterEach(() => server.stop());

  const source = (options: Partial<HttpPriceSourceOptions> = {}) =>
    new HttpPriceSource({ baseUrl: server.url, timeoutMs: 60_000, ...options });

  it('reads many assets with one request, digit by digit', async () => {
    const answers = await source().read([ether, tiny, ether]);
    expect(answers).toMatchObject([
      { usdE36: 241_207n * 10n ** 34n, validForSeconds: Infinity },
      { usdE36: 12n * 10n ** 26n },
      { usdE36: 241_207n * 10n ** 34n },
    ]);
    expect(server.requests).toMatchObject([{ ids: ['ethereum', 'tiny'] }]);
  });

  it('splits ids that are too many for one request', async () => {
    const assets = Array.from({ length: 5 }, (_, index) => apiReference(`id-${index}`));
    await source({ idsPerRequest: 2 }).read(assets);
    expect(server.requests.map(({ ids }) => ids.length).sort()).toEqual([1, 2, 2]);
  });

  it('sends the key in its header', async () => {
    await source({ key: { header: 'x-cg-pro-api-key', value: SECRET } }).read([ether]);
    expect(server.requests[0]?.headers).toMatchObject({ 'x-cg-pro-api-key': SECRET });
  });

  it.each<[PriceServerMode, string]>([
    ['slow', 'no answer within 150 ms'],
    ['hang', 'no answer within 150 ms'],
    ['reset', 'connection failed'],
    ['http429', 'HTTP 429'],
    ['http500', 'HTTP 500'],
    ['garbage', 'not a JSON object'],
    ['wrongShape', 'not a JSON object'],
    ['hugeBody', 'answer over 262144 bytes'],
  ])('learns nothing from a server in mode %s, and says so without URL or key', async (mode, problem) => {
    Object.assign(server.state, { mode, slowByMs: 30_000 });
    const secretive = source({
      ...((mode === 'slow' || mode === 'hang') && { timeoutMs: 150 }),
      baseUrl: `${server.url}/path-${SECRET}?x_cg_demo_api_key=${SECRET}`,
      key: { header: 'x-key', value: SECRET },
    });
    const answers = await secretive.read([ether, tiny]);
    expect(answers).toMatchObject(Array(2).fill({ fault: 'SOURCE_FAILED', outage: true }));
    expect(answers).toMatchObject(Array(2).fill({ message: expect.stringContaining(problem) }));
    expect(JSON.stringify([answers, secretive.name, secretive])).not.toContain(SECRET);
  });

  it.each<[PriceServerMode, string]>([
    ['stale', 'STALE'],
    ['negative', 'NOT_POSITIVE'],
    ['zero', 'NOT_POSITIVE'],
  ])('distrusts the prices of a server in mode %s', async (mode, fault) => {
    server.state.mode = mode;
    expect(await source().read([ether])).toMatchObject([{ fault, outage: false }]);
  });

  it('lacks one id without losing the others', async () => {
    Object.assign(server.state, { mode: 'dropOne', droppedId: 'tiny' });
    const answers = await source().read([tiny, ether]);
    expect(answers).toMatchObject([{ fault: 'API_ID_UNKNOWN', outage: true }, { usdE36: 241_207n * 10n ** 34n }]);
  });

  it.each(['a,b', '../x', '', 'a b', 'ä', 'x'.repeat(101)])('does not send %j as an id', async (apiId) => {
    const answers = await source().read([apiReference(apiId), ether]);
    expect(answers).toMatchObject([{ fault: 'SOURCE_FAILED' }, { usdE36: expect.any(BigInt) }]);
    expect(server.requests).toMatchObject([{ ids: ['ethereum'] }]);
  });

  it('pauses after several failures in a row, then tries again', async () => {
    const clock = fakeClock();
    const fragile = source({ clock: clock.clock, breaker: { failureThreshold: 2, openMs: 30_000 } });
    server.state.mode = 'http500';
    await fragile.read([ether]);
    await fragile.read([ether]);
    server.state.mode = 'ok';
    expect(await fragile.read([ether])).toMatchObject([{ message: expect.stringContaining('not asked') }]);
    expect(server.requests).toHaveLength(2);
    clock.advanceSeconds(30);
    expect(await fragile.read([ether])).toMatchObject([{ usdE36: 241_207n * 10n ** 34n }]);
  });

  it('does not pause for failures that are not in a row', async () => {
    const fragile = source({ breaker: { failureThreshold: 2, openMs: 30_000 } });
    for (const mode of ['http500', 'ok', 'http500', 'ok'] as const) {
      server.state.mode = mode;
      await fragile.read([ether]);
    }
    expect(server.requests).toHaveLength(4);
  });

  it('pauses for owners apart from the operator', async () => {
    const fragile = source({ breaker: { failureThreshold: 2, openMs: 30_000 } });
    server.state.mode = 'http500';
    await fragile.read([tiny], 'owners');
    await fragile.read([tiny], 'owners');
    server.state.mode = 'ok';
    expect(await fragile.read([tiny], 'owners')).toMatchObject([{ message: expect.stringContaining('not asked') }]);
    expect(await fragile.read([ether], 'operator')).toMatchObject([{ usdE36: 241_207n * 10n ** 34n }]);
    expect(server.requests).toHaveLength(3);
  });

  it('spends no more than its share of requests on 2,000 ids of owners, in turn, and always asks the operators', async () => {
    const clock = fakeClock();
    const shared = source({ clock: clock.clock, ownersRequestsPerMinute: 10 });
    const bogus = Array.from({ length: 2_000 }, (_, index) => apiReference(`bogus-${index}`));
    for (let round = 0; round < 4; round++) {
      await shared.read([...bogus, tiny], 'owners');
      expect(await shared.read([ether])).toMatchObject([{ usdE36: 241_207n * 10n ** 34n }]);
      clock.advanceSeconds(15);
    }
    expect(server.requests).toHaveLength(14);
    for (let minute = 1; minute < 5; minute++) {
      await shared.read([...bogus, tiny], 'owners');
      clock.advanceSeconds(60);
    }
    expect(server.requests.filter(({ ids }) => ids.includes('tiny'))).toHaveLength(1);
  });

  it('can be told by another process how to misbehave', async () => {
    const change = { mode: 'factor', factor: 2, prices: { tiny: '3' } };
    await fetch(server.controlUrl, { method: 'PUT', body: JSON.stringify(change) });
    expect(await source().read([tiny, ether])).toMatchObject([
      { usdE36: 6n * 10n ** 36n },
      { usdE36: 482_414n * 10n ** 34n },
    ]);
  });

  it('follows no redirect: it would carry the key elsewhere', async () => {
    const elsewhere = createServer((_, response) =>
      response.writeHead(302, { location: `${server.url}/simple/price?ids=ethereum` }).end(),
    );
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const answers = await source({ baseUrl: `http://127.0.0.1:${port}` }).read([ether]);
    expect(answers).toMatchObject([{ fault: 'SOURCE_FAILED' }]);
    expect(server.requests).toHaveLength(0);
    elsewhere.closeAllConnections();
    await new Promise((resolve) => elsewhere.close(resolve));
  });

  it.each([`nonsense ${SECRET}`, `ftp://host/${SECRET}`])(
    'refuses a base URL that is none, without repeating it',
    (url) => {
      const build = () => new HttpPriceSource({ baseUrl: url });
      expect(build).toThrow('base URL of the price API');
      expect(build).not.toThrow(SECRET);
    },
  );
});
