import { OPERATIONS } from './operations.mjs';
import { worldOf } from './world.mjs';

/** Accounts wait for blocks most of the time. */
const AT_ONCE = 6;

/**
 * Plays jobs with a client and prints the outcome of each operation as a line of JSON, as it comes. The jobs come on
 * standard input: `{ world, jobs: [{ id, account, version, mode, paymasterUrl, operations }] }`. An account makes the
 * operations of its job one after the other, each once the one before is on chain or was refused.
 *
 * @param open makes a new account and its client for a job: `{ sender, send(calls, limits), approvesItself }`. `send` hands
 * an operation to the bundler and returns its hash; with `approvesItself` the client puts the approval of a token into it
 */
export async function drive(open) {
  const { world, jobs } = JSON.parse(await readAll(process.stdin));
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      // One URL: the gateway's address of the paymaster is the client's bundler too.
      await play(open, job, worldOf({ ...world, stack: { ...world.stack, bundler: job.paymasterUrl } }));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  process.exit(0);
}

async function play(open, job, world) {
  const { id, mode, version, operations } = job;
  let account;
  let hasApproved = false;
  for (const operation of operations) {
    const outcome = await playOne(operation).then(
      (returned) => ({ returned }),
      (error) => ({ thrown: { message: messageOf(error), code: error?.code } }),
    );
    process.stdout.write(`\n${JSON.stringify({ id, operation, ...outcome })}\n`);
  }

  async function playOne(operation) {
    account ??= await opened();
    const { sender, send, approvesItself } = account;
    const { calls, coin, limits } = OPERATIONS[operation](world, sender);
    if (coin) await world.giveCoin(sender, coin);
    const isApproved = mode === 'sponsored' || approvesItself || hasApproved;
    const approvals = isApproved ? [] : [world.approve(world.stack.paymasters[version])];
    const userOpHash = await send([...approvals, ...calls], limits);
    await world.untilLanded(userOpHash);
    hasApproved = true;
    return { sender, userOpHash };
  }

  async function opened() {
    const made = await open(job, world);
    await world.giveTokens(made.sender);
    return made;
  }
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
