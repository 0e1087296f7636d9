import { PriceServer, type PriceServerState } from '@paymaster/pricing/testing';
import { PRICED_ASSETS } from '../chain/demo-assets';
import { freePort } from '../processes/free-port';
import type { Stack } from './stack-file';

/** A price API of CoinGecko's shape that says what the feeds say, in this process, on a port of its own. */
export async function startPriceServer({ port }: { port?: number } = {}): Promise<PriceServer> {
  const prices = Object.fromEntries(PRICED_ASSETS.map(({ apiId, usd }) => [apiId, usd]));
  const start = (free: number) => PriceServer.start({ port: free, prices });
  // Somebody may take the port between its being found and its being bound.
  return start(await freePort(port)).catch(() => start(0));
}

/** Makes the price API of the running world misbehave, or behave again with `{ mode: 'ok' }`. */
export async function controlPriceServer(
  { priceServer }: Pick<Stack, 'priceServer'>,
  change: Partial<PriceServerState>,
): Promise<void> {
  const response = await fetch(priceServer.controlUrl, { method: 'PUT', body: JSON.stringify(change) });
  if (!response.ok) throw new Error(`${priceServer.controlUrl} answered ${response.status}`);
}
