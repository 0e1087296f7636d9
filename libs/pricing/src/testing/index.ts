/** Fakes for tests of code that needs prices: a price API that misbehaves, scripted sources and feeds, a clock. */
export * from './eth-usd-price-path';
export * from './fake-clock';
export * from './price-reference.builder';
export * from './price-server';
export * from './scripted-feeds';
export * from './scripted-price.source';
