// Runs one method of the unmodified BiconomyPaymaster of @biconomy/account 4 and prints its outcome as a line of JSON.
import { createPaymaster } from '@biconomy/account';

/**
 * The client reads a list of known errors from GitHub before it shows any refusal. That host is out of reach of the
 * tests; an empty list leaves the message as it came.
 */
const KNOWN_ERRORS_HOST = 'raw.githubusercontent.com';
const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) =>
  new URL(input).host === KNOWN_ERRORS_HOST ? Promise.resolve(Response.json([])) : realFetch(input, init);

const { paymasterUrl, method, args } = JSON.parse(process.argv[2]);

let outcome;
try {
  const paymaster = await createPaymaster({ paymasterUrl });
  outcome = { returned: await paymaster[method](...args) };
} catch (error) {
  outcome = { thrown: { message: error.message, code: error.code } };
}
process.stdout.write(`\n${JSON.stringify(outcome)}\n`);
