import { createInterface } from 'node:readline';

/**
 * Has a client answer requests, one after the other: each is a line of JSON on standard input, its outcome a line on
 * standard output. Ends with the input.
 *
 * @param run what the client is asked for, from a request: `{ paymasterUrl, method, args }`
 */
export async function answerRequests(run) {
  for await (const line of createInterface({ input: process.stdin })) {
    const outcome = await run(JSON.parse(line)).then(
      (returned) => ({ returned }),
      (error) => ({ thrown: { message: error.message, code: error.code } }),
    );
    process.stdout.write(`\n${JSON.stringify({ outcome })}\n`);
  }
}
