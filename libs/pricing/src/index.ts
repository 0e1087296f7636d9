/** What a token is worth in gas: price sources, their agreement and freshness, and fee quotes. */
export * from './price-unavailable.error';
export * from './token-rates';
