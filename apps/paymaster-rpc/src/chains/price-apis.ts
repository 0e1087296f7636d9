import { CachedPriceSource, HttpPriceSource, type PriceSource } from '@paymaster/pricing';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';

/** Chains of one process that ask for the same id at the same time share one answer; seconds. */
const SHARED_FOR_SECONDS = 5;

/** The configured HTTP price API; empty if none is configured. */
export function openPriceApis({
  priceApiUrl,
  priceApiKey,
  priceApiKeyHeader,
}: PaymasterRpcConfig): readonly PriceSource[] {
  if (!priceApiUrl) return [];
  const key = priceApiKey ? { header: priceApiKeyHeader, value: priceApiKey } : undefined;
  return [
    new CachedPriceSource(new HttpPriceSource({ baseUrl: priceApiUrl, key }), { ttlSeconds: SHARED_FOR_SECONDS }),
  ];
}
