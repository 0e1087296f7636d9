import { faker } from '@faker-js/faker';
import { builder, randomAddress, type Builder } from '@paymaster/domain/testing';
import type { SponsorFields } from '../paymaster-data/sponsor-fields';

/** Random sponsor fields whose times are of this decade. */
export const sponsorFieldsBuilder = (): Builder<SponsorFields> => {
  const validAfterSeconds = faker.number.int({ min: 1_700_000_000, max: 2_000_000_000 });
  return builder<SponsorFields>({
    validAfterSeconds,
    validUntilSeconds: validAfterSeconds + faker.number.int({ min: 120, max: 86_400 }),
    fundingWallet: randomAddress(),
    feeMarkupMillionths: faker.number.bigInt({ min: 1_000_000n, max: 2_000_000n }),
    unaccountedGas: faker.number.bigInt({ min: 0n, max: 2n ** 32n - 1n }),
  });
};
