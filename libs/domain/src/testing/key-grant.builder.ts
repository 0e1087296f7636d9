import { faker } from '@faker-js/faker';
import type { KeyGrant } from '../key-grant';
import { builder, type Builder } from './builder';

/** A publishable key that nothing narrows. */
export const keyGrantBuilder = (): Builder<KeyGrant> =>
  builder<KeyGrant>({
    keyId: faker.string.uuid(),
    kind: 'PUBLISHABLE',
    allowedOrigins: null,
    allowedNetworks: null,
    allowedSenders: null,
    allowedMethods: null,
    bundler: 'any',
    policyIds: null,
    sessionRequired: false,
    limits: [],
    expiresAtMs: null,
  });
