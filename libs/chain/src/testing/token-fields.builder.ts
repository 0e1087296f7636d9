import { faker } from '@faker-js/faker';
import { CHARGING_WAYS, type ChargingWay } from '@paymaster/domain';
import { builder, randomAddress, randomHex, type Builder } from '@paymaster/domain/testing';
import type { TokenFields, TokenPermit } from '../paymaster-data/token-fields';
import { sponsorFieldsBuilder } from './sponsor-fields.builder';

/** Random fields of token mode, with a permit where the way needs one. */
export const tokenFieldsBuilder = (
  way: ChargingWay = faker.helpers.arrayElement(CHARGING_WAYS),
): Builder<TokenFields> =>
  builder<TokenFields>({
    ...sponsorFieldsBuilder().build(),
    way,
    ...(faker.datatype.boolean() && { gasPercent: faker.number.int({ min: 125, max: 475, multipleOf: 25 }) }),
    token: randomAddress(),
    exchangeRate: faker.number.bigInt({ min: 1n, max: 10n ** 40n }),
    premiumMillionths: faker.number.bigInt({ min: 1_000_000n, max: 2_000_000n }),
    feeReceiver: randomAddress(),
    maxTokenChargeBaseUnits: faker.number.bigInt({ min: 1n, max: 2n ** 192n - 1n }),
    ...(way === 'permit' && { permit: tokenPermitBuilder().build() }),
  });

/** A permit of the right form with a made-up signature. */
export const tokenPermitBuilder = (): Builder<TokenPermit> =>
  builder<TokenPermit>({
    valueBaseUnits: BigInt(randomHex(32)),
    deadlineSeconds: BigInt(randomHex(32)),
    signature: randomHex(65),
  });
