import { faker } from '@faker-js/faker';
import { toPriceReference } from '../price-sources';
import { CHARGING_WAYS, DEFAULT_TOKEN_TRANSFER_GAS, type TokenListing } from '../token';
import { builder, type Builder } from './builder';
import { randomAddress } from './user-operation.builder';

/** A token of 6 decimals at one dollar with a premium of 10 %. */
export const tokenListingBuilder = (): Builder<TokenListing> =>
  builder<TokenListing>({
    address: randomAddress(),
    symbol: faker.finance.currencyCode(),
    decimals: 6,
    logoUrl: faker.image.url(),
    price: toPriceReference({ fixedUsd: '1' }),
    premiumMillionths: 100_000,
    exposureCapWei: null,
    chargingWays: CHARGING_WAYS,
    transferGas: DEFAULT_TOKEN_TRANSFER_GAS,
  });
