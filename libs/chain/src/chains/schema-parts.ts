import { eachPriceSource, MAX_FEED_HEARTBEAT_SECONDS, PERCENT_PATTERN } from '@paymaster/domain';

/** JSON schemas of values that both `chains.json` and token lists hold. */
export const ADDRESS = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' } as const;

/** Wei or gas, as decimal text. */
export const AMOUNT = { type: 'string', pattern: '^[0-9]{1,30}$' } as const;

/** 0 to 100, as text. */
export const PERCENT = { type: 'string', pattern: PERCENT_PATTERN.source } as const;

const FEED = {
  type: 'object',
  required: ['address', 'heartbeatSeconds'],
  additionalProperties: false,
  properties: {
    address: ADDRESS,
    heartbeatSeconds: { type: 'integer', minimum: 1, maximum: MAX_FEED_HEARTBEAT_SECONDS },
  },
} as const;

/** Where a price comes from: at least one source. */
export const PRICE = {
  type: 'object',
  minProperties: 1,
  additionalProperties: false,
  properties: eachPriceSource((source) =>
    source.kind === 'feed' ? FEED : { type: 'string', pattern: source.pattern.source },
  ),
} as const;
