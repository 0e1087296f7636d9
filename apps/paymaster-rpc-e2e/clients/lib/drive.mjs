import { worldOf } from './world.mjs';

/** Clients wait for blocks most of the time. */
const AT_ONCE = 6;

/**
 * Runs jobs with a client and prints the outcome of each as a line of JSON, as it comes. The jobs come on standard input:
 * `{ world, jobs: [{ id, account, version, mode, paymasterUrl }] }`.
 *
 * @param send sends the operation of a job through the bundler: `{ userOpHash, sender }`
 */
export async function drive(send) {
  const { world, jobs } = JSON.parse(await readAll(process.stdin));
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const outcome = await send(job, worldOf(world)).then(
        (returned) => ({ returned }),
        (error) => ({ thrown: { message: messageOf(error), code: error?.code } }),
      );
      process.stdout.write(`\n${JSON.stringify({ id: job.id, ...outcome })}\n`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  process.exit(0);
}

async function readAll(stream) {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** What a developer sees in the end, with what is behind it. */
function messageOf(error) {
  const messages = [];
  for (let each = error; each instanceof Error; each = each.cause) messages.push(each.message);
  return messages.join('\n') || JSON.stringify(error) || String(error);
}
