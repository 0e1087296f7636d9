// Runs methods of the unmodified BiconomyPaymaster of @biconomy/account 4.
import { createPaymaster } from '@biconomy/account';
import { answerRequests } from './lib/answer-requests.mjs';

/**
 * The client reads a list of known errors from GitHub before it shows any refusal. That host is out of reach of the
 * tests; an empty list leaves the message as it came.
 */
const KNOWN_ERRORS_HOST = 'raw.githubusercontent.com';
const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) =>
  new URL(input).host === KNOWN_ERRORS_HOST ? Promise.resolve(Response.json([])) : realFetch(input, init);

await answerRequests(async ({ paymasterUrl, method, args }) => {
  const paymaster = await createPaymaster({ paymasterUrl });
  return paymaster[method](...args);
});
