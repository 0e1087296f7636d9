import { faker } from '@faker-js/faker';
import { toPriceReference, type PriceReference } from '@paymaster/domain';
import { builder, randomAddress, type Builder } from '@paymaster/domain/testing';

/** An asset with a feed of its own, a heartbeat of an hour, and nothing else. */
export const priceReferenceBuilder = (): Builder<PriceReference> =>
  builder(toPriceReference({ feed: { address: randomAddress(), heartbeatSeconds: 3_600 } }));

/** An asset that only an HTTP API knows. */
export const apiReference = (apiId: string = faker.string.alphanumeric(12)): PriceReference =>
  priceReferenceBuilder().with('feed', null).with('apiId', apiId).build();
