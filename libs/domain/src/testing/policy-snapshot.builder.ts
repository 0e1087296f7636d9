import { faker } from '@faker-js/faker';
import type { PolicySnapshot } from '../policy-snapshot';
import { DEFAULT_PAYMASTER_SETTINGS } from '../settings';
import { builder, type Builder } from './builder';
import { randomAddress } from './user-operation.builder';

/** A paymaster with a funding wallet and nothing whitelisted. */
export const policySnapshotBuilder = (): Builder<PolicySnapshot> =>
  builder<PolicySnapshot>({
    paymasterId: faker.string.uuid(),
    version: 1,
    name: faker.company.name(),
    chainId: 31337,
    paymasterVersion: '2.0.0',
    fundingWallet: randomAddress(),
    contracts: [],
    tokens: [],
    policies: [],
    settings: DEFAULT_PAYMASTER_SETTINGS,
    key: null,
    sessionKeys: [],
    suspensionReason: null,
    contractErrors: [],
  });
