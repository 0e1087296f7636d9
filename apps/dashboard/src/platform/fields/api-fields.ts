/** Fields that many schemas of the API document have: `@ApiProperty(ADDRESS)`, or with more, `{ ...ADDRESS, nullable: true }`. */
export const ADDRESS = {
  type: String,
  pattern: '^0x[0-9a-fA-F]{40}$',
  example: '0xe31b0bcbda693bff2529f4a1d9f7e8f6d924c6ab',
} as const;

export const HASH = { type: String, pattern: '^0x[0-9a-f]{64}$', example: `0x${'5a'.repeat(32)}` } as const;

/** An amount in wei. */
export const WEI = { type: String, pattern: '^[0-9]+$', example: '20000000000000000' } as const;

export const CHAIN_ID = { type: 'integer', example: 31337 } as const;

/** What may be null. */
export const TEXT_OR_NULL = { type: String, nullable: true } as const;
export const TIME_OR_NULL = { ...TEXT_OR_NULL, format: 'date-time' } as const;
export const ID_OR_NULL = { ...TEXT_OR_NULL, format: 'uuid' } as const;

/** Where the next page of a list starts. */
export const NEXT_CURSOR = {
  ...TEXT_OR_NULL,
  description: 'Send it as `cursor` for the next page; null on the last one.',
} as const;

export const METHODS = { type: [String] as [StringConstructor], example: ['mint'] };

export const ABI_EXAMPLE = JSON.stringify([
  {
    type: 'function',
    name: 'mint',
    inputs: [{ name: 'amount', type: 'uint256' }],
    outputs: [],
    stateMutability: 'nonpayable',
  },
]);
