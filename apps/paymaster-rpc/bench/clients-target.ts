import { publicKeyCreate } from 'secp256k1';
import type { BenchWorld } from './bench-world';
import { postRequest } from './http-connection';
import { closedLoop } from './load';
import { CONNECTIONS, measureThroughput, MOST_PER_SECOND, warmUp, type BenchOptions } from './measurement';
import { ReplyChecker, sponsoredOperations, standardRequestBody } from './sponsored-requests';
import { median } from './statistics';

/** Both requests together against one of Biconomy's dialect, which is measured in the same rounds. */
const TARGET = 1.7;

/**
 * Target 11: what clients of ERC-7677 send, a stub and then the data, for senders that nobody has asked about before.
 * The limits of the second request come from the client's bundler. Every reply is checked.
 */
export async function measureClients(world: BenchWorld, { rounds, seconds, say, judge }: BenchOptions): Promise<void> {
  const { product: server } = world;
  // Of each round: a machine that gets busy between two rounds changes both of its parts.
  const ratios: number[] = [];
  say('');
  say(`ERC-7677: stub and data of fresh senders, ${CONNECTIONS} connections; beside them one sponsored operation.`);
  await warmUp(world, { server });
  await measurePairs(world, 2);
  for (let round = 1; round <= rounds; round++) {
    const single = await measureThroughput(world, { server, seconds });
    const pair = await measurePairs(world, seconds);
    ratios.push(pair / single.cpuMicros);
    say(`round ${round}  one ${single.cpuMicros.toFixed(0)} us CPU   stub and data ${pair.toFixed(0)} us CPU`);
  }
  const ratio = median(ratios);
  judge({
    ...{ target: 11, what: 'CPU of ERC-7677 stub and data / one sponsored', value: ratio.toFixed(2) },
    ...{ bound: `<= ${TARGET.toFixed(2)}`, met: ratio <= TARGET },
  });
}

/** CPU of a stub and its data; microseconds. */
async function measurePairs({ product, ...world }: BenchWorld, seconds: number): Promise<number> {
  const operations = sponsoredOperations((MOST_PER_SECOND / 2) * seconds, world.demo);
  const signerPublicKey = publicKeyCreate(Buffer.from(world.signerPrivateKey.slice(2), 'hex'));
  const { chainId, contract: paymaster } = world;
  const checker = await ReplyChecker.create({ chainId, paymaster, signerPublicKey }, operations);
  const requests = operations.flatMap((operation) =>
    [true, false].map((isStub) => postRequest(world.paymaster.path, standardRequestBody(operation, chainId, isStub))),
  );
  const cpuBefore = product.cpuSeconds();
  const { answered } = await closedLoop({ port: product.port, requests, connections: CONNECTIONS, seconds });
  const cpuMicros = ((product.cpuSeconds() - cpuBefore) * 1e6) / (answered.length / 2);
  for (const { request, reply } of answered)
    checker.checkStandard({ request: Math.floor(request / 2), reply }, request % 2 === 0);
  return cpuMicros;
}
