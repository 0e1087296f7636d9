// The BiconomyPaymaster of @biconomy/paymaster 3 (ethers v5).
import { createRequire } from 'node:module';
import { driveBiconomyPaymaster } from './lib/biconomy-paymaster.mjs';

await driveBiconomyPaymaster(createRequire(import.meta.url)('@biconomy/paymaster').BiconomyPaymaster);
