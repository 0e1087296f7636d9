// The BiconomyPaymaster of @biconomy/paymaster 4 (viem).
import { createRequire } from 'node:module';
import { driveBiconomyPaymaster } from './lib/biconomy-paymaster.mjs';

await driveBiconomyPaymaster(createRequire(import.meta.url)('@biconomy/paymaster-4').BiconomyPaymaster);
