// permissionless with its Pimlico client.
import { createSmartAccountClient } from 'permissionless';
import {
  toBiconomySmartAccount,
  toEtherspotSmartAccount,
  toKernelSmartAccount,
  toLightSmartAccount,
  toNexusSmartAccount,
  toSafeSmartAccount,
  toSimpleSmartAccount,
  toThirdwebSmartAccount,
  toTrustSmartAccount,
} from 'permissionless/accounts';
import { createPimlicoClient } from 'permissionless/clients/pimlico';
import { drivePermissionless } from './lib/permissionless.mjs';

const kernel = (version) => (common) => toKernelSmartAccount({ ...common, version });
const safe = (more) => (common) => toSafeSmartAccount({ ...common, version: '1.4.1', ...more });

/** As permissionless' own tests have it: Safe7579's registry refuses an account that trusts no attester. */
const safe7579 = {
  safe4337ModuleAddress: '0x7579EE8307284F293B1927136486880611F20002',
  erc7579LaunchpadAddress: '0x7579011aB74c46090561ea277Ba79D510c6C00ff',
  attesters: ['0x000000333034E9f539ce08819E12c1b8Cb29084d'],
  attestersThreshold: 1,
};

const ACCOUNTS = {
  SimpleAccount: ({ owners: [owner], ...common }) => toSimpleSmartAccount({ ...common, owner }),
  'LightAccount 2.0.0': ({ owners: [owner], ...common }) => toLightSmartAccount({ ...common, owner, version: '2.0.0' }),
  'Trust (Barz)': ({ owners: [owner], ...common }) => toTrustSmartAccount({ ...common, owner }),
  'Kernel 2.4': kernel('0.2.4'),
  'Kernel 3.0': kernel('0.3.0-beta'),
  'Kernel 3.1': kernel('0.3.1'),
  'Kernel 3.2': kernel('0.3.2'),
  'Kernel 3.3': kernel('0.3.3'),
  'Biconomy V2': (common) => toBiconomySmartAccount(common),
  Nexus: (common) => toNexusSmartAccount({ ...common, version: '1.0.0' }),
  thirdweb: ({ owners: [owner], ...common }) => toThirdwebSmartAccount({ ...common, owner }),
  Etherspot: (common) => toEtherspotSmartAccount(common),
  'Safe 1.4.1': safe({}),
  'Safe 1.4.1 of five owners who all sign': safe({ threshold: 5n }),
  'Safe 1.4.1 with the ERC-7579 adapter (Safe7579)': safe(safe7579),
  'Safe 1.4.1 with onchainIdentifier': safe({ onchainIdentifier: `0x${'5afe'.repeat(25)}` }),
};

await drivePermissionless({ createSmartAccountClient, createPimlicoClient, accounts: ACCOUNTS });
