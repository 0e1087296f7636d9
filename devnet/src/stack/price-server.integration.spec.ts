import type { PriceServer } from '@paymaster/pricing/testing';
import { PRICED_ASSETS } from '../chain/demo-assets';
import { controlPriceServer, startPriceServer } from './price-server';

let server: PriceServer;

beforeAll(async () => {
  server = await startPriceServer();
});

afterAll(() => server.stop());

const ids = PRICED_ASSETS.map(({ apiId }) => apiId).join(',');
const ask = ({ url }: PriceServer) => fetch(`${url}/simple/price?ids=${ids}&vs_currencies=usd`);

it('says of every asset what its feed says', async () => {
  const answer = (await (await ask(server)).json()) as Record<string, { usd: number }>;
  expect(Object.entries(answer).map(([id, { usd }]) => [id, String(usd)])).toEqual(
    PRICED_ASSETS.map(({ apiId, usd }) => [apiId, usd]),
  );
});

it('misbehaves when another process wants it to, and behaves again', async () => {
  await controlPriceServer({ priceServer: server }, { mode: 'http500' });
  expect((await ask(server)).status).toBe(500);
  await controlPriceServer({ priceServer: server }, { mode: 'ok' });
  expect((await ask(server)).status).toBe(200);
});

it('takes another port when the wanted one is busy', async () => {
  const port = Number(new URL(server.url).port);
  const other = await startPriceServer({ port });
  expect(Number(new URL(other.url).port)).not.toBe(port);
  expect((await ask(other)).status).toBe(200);
  await other.stop();
});
