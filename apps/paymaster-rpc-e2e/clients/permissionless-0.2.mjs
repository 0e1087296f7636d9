// permissionless 0.2, which many apps still have, with its Pimlico client.
import { createSmartAccountClient } from 'permissionless-0.2';
import {
  toBiconomySmartAccount,
  toEcdsaKernelSmartAccount,
  toNexusSmartAccount,
  toSafeSmartAccount,
  toSimpleSmartAccount,
} from 'permissionless-0.2/accounts';
import { createPimlicoClient } from 'permissionless-0.2/clients/pimlico';
import { drivePermissionless } from './lib/permissionless.mjs';

const ACCOUNTS = {
  SimpleAccount: ({ owners: [owner], ...common }) => toSimpleSmartAccount({ ...common, owner }),
  'Kernel 3.1': (common) => toEcdsaKernelSmartAccount({ ...common, version: '0.3.1' }),
  'Biconomy V2': (common) => toBiconomySmartAccount(common),
  Nexus: (common) => toNexusSmartAccount({ ...common, version: '1.0.0' }),
  'Safe 1.4.1': (common) => toSafeSmartAccount({ ...common, version: '1.4.1' }),
};

await drivePermissionless({ createSmartAccountClient, createPimlicoClient, accounts: ACCOUNTS });
