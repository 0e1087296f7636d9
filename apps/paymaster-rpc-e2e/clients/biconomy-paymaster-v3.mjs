// Runs methods of the unmodified BiconomyPaymaster of @biconomy/paymaster 3 (ethers v5).
import { createRequire } from 'node:module';
import { answerRequests } from './lib/answer-requests.mjs';

const { BiconomyPaymaster } = createRequire(import.meta.url)('@biconomy/paymaster');

await answerRequests(async ({ paymasterUrl, method, args }) =>
  new BiconomyPaymaster({ paymasterUrl })[method](...args),
);
