import type { BenchPaymaster, BenchWorld } from './bench-world';
import { HttpConnection, postRequest, type Reply } from './http-connection';
import type { BenchOptions } from './measurement';
import type { PinnedServer } from './pinned-server';
import { requestBody, sponsoredOperations } from './sponsored-requests';

/** Operations that the budget is for; half as many again ask. */
const BUDGET = 2_000;
const ASKING = 3_000;
const CONNECTIONS = 32;
/** Replies after which the second gateway is killed. */
const KILLED_AFTER = 300;

interface Asked {
  readonly sender: string;
  readonly request: Buffer;
  signed: boolean;
  answered: boolean;
}

/**
 * Target 7, second half: a budget for exactly N operations over two gateways grants exactly N, also when one of them is
 * killed with requests in it; and nothing is signed that is not reserved.
 *
 * @throws when it does not hold
 */
export async function proveTwoGateways(world: BenchWorld, { judge }: BenchOptions): Promise<void> {
  const costWei = await costOfOne(world);
  const second = await world.another();
  for (const kill of [false, true]) {
    const paymaster = await world.newPaymaster(BigInt(BUDGET) * costWei + costWei - 1n);
    const asked = operationsOf(world, paymaster);
    const servers = [world.product, second];
    await Promise.all(
      servers.map((server, index) =>
        ask(
          server,
          asked.filter((_, at) => at % 2 === index),
          {
            onReply: async (replies) => {
              if (kill && server === second && replies === KILLED_AFTER) await second.kill();
            },
          },
        ),
      ),
    );
    // As clients do: what got no answer is asked again, of the gateway that is left.
    const lost = asked.filter(({ answered }) => !answered);
    await ask(world.product, lost, {});
    await assertBooks(world, paymaster, { asked, costWei });
    const how = kill ? `one killed with ${lost.length} requests unanswered` : 'both alive';
    judge({
      target: 7,
      what: `two gateways, ${how}`,
      value: `${BUDGET}/${ASKING}`,
      bound: `exactly ${BUDGET}, each reserved`,
      met: true,
    });
  }
}

async function costOfOne(world: BenchWorld): Promise<bigint> {
  const paymaster = await world.newPaymaster();
  const [operation] = operationsOf(world, paymaster);
  await ask(world.product, [operation!], {});
  const [row] = await world.ledger.rows<{ hold_wei: string }>(
    'SELECT hold_wei FROM ledger.reservations WHERE paymaster_id = $1',
    [paymaster.paymasterId],
  );
  return BigInt(row!.hold_wei);
}

function operationsOf(world: BenchWorld, { path }: BenchPaymaster): Asked[] {
  return sponsoredOperations(ASKING, world.demo, world.senders).map((operation) => ({
    ...{ sender: operation.sender, signed: false, answered: false },
    request: postRequest(path, requestBody(operation)),
  }));
}

/** Sends each request once; those that a server took with it stay unanswered. */
async function ask(
  server: PinnedServer,
  asked: readonly Asked[],
  { onReply }: { onReply?: (replies: number) => Promise<void> },
): Promise<void> {
  let [next, replies] = [0, 0];
  const sendAll = async (): Promise<void> => {
    const connection = await HttpConnection.open(server.port).catch(() => undefined);
    while (connection && next < asked.length) {
      const one = asked[next++]!;
      const reply = await new Promise<Reply | Error>((done) => connection.send(one.request, done));
      if (reply instanceof Error) break;
      one.answered = true;
      one.signed = reply.status === 200;
      if (!one.signed && !reply.body.includes('"FUNDING_WALLET_BALANCE_TOO_LOW"'))
        throw new Error(`wrong reply: ${reply.status} ${reply.body.slice(0, 500)}`);
      await onReply?.(++replies);
    }
    connection?.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, sendAll));
}

async function assertBooks(
  world: BenchWorld,
  { paymasterId }: BenchPaymaster,
  { asked, costWei }: { asked: readonly Asked[]; costWei: bigint },
): Promise<void> {
  const rows = await world.ledger.rows<{ sender: string; hold_wei: string }>(
    'SELECT sender, hold_wei FROM ledger.reservations WHERE paymaster_id = $1',
    [paymasterId],
  );
  const reserved = new Set(rows.map(({ sender }) => sender));
  const signed = asked.filter((one) => one.signed);
  const unanswered = asked.filter((one) => !one.answered).length;
  const unreserved = signed.filter(({ sender }) => !reserved.has(sender)).length;
  const heldWei = rows.reduce((sum, { hold_wei }) => sum + BigInt(hold_wei), 0n);
  const exact = rows.length === BUDGET && heldWei === BigInt(BUDGET) * costWei;
  // A grant whose answer was lost is found again when it is asked for again, unless all room was gone by then: never.
  if (exact && unreserved === 0 && unanswered === 0 && signed.length === BUDGET) return;
  throw new Error(
    `of a budget of ${BUDGET}: ${rows.length} reserved, ${signed.length} signed, ${unreserved} of them not reserved, ${unanswered} unanswered`,
  );
}
