import { faker } from '@faker-js/faker';
import { toPriceReference } from '../price-sources';
import { standardsOf } from '../fields';
import { DEFAULT_TOKEN_TRANSFER_GAS } from '../token';
import { TOKEN_TERMS, type TokenListing } from '../token-listing';
import { builder, type Builder } from './builder';
import { randomAddress } from './user-operation.builder';

/** A token of 6 decimals at one dollar with a premium of 10 %. */
export const tokenListingBuilder = (): Builder<TokenListing> =>
  builder<TokenListing>({
    address: randomAddress(),
    symbol: faker.finance.currencyCode(),
    decimals: 6,
    price: toPriceReference({ fixedUsd: '1' }),
    ...standardsOf(TOKEN_TERMS),
    logoUrl: faker.image.url(),
    transferGas: DEFAULT_TOKEN_TRANSFER_GAS,
  });
