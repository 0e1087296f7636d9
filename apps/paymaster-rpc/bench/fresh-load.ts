import { publicKeyCreate } from 'secp256k1';
import type { BenchPaymaster, BenchWorld } from './bench-world';
import { postRequest } from './http-connection';
import type { LoadResult } from './load';
import { ReplyChecker, requestBody, sponsoredOperations } from './sponsored-requests';

/** Requests of operations that nobody has asked for yet. */
export interface FreshLoad {
  readonly requests: readonly Buffer[];
  /** The result itself, when each reply is the right answer to its request. @throws with the first that is not */
  checked(result: LoadResult): LoadResult;
}

/** Operations that nobody has asked for yet, of the world's senders, spread evenly over paymasters. */
export async function freshLoad(
  world: BenchWorld,
  { count, paymasters = [world.paymaster] }: { count: number; paymasters?: readonly BenchPaymaster[] },
): Promise<FreshLoad> {
  const operations = sponsoredOperations(count, world.demo, world.senders);
  const signerPublicKey = publicKeyCreate(Buffer.from(world.signerPrivateKey.slice(2), 'hex'));
  const signer = { chainId: world.chainId, paymaster: world.contract, signerPublicKey };
  const checker = await ReplyChecker.create(signer, operations);
  return {
    requests: operations.map((operation, index) =>
      postRequest(paymasters[index % paymasters.length]!.path, requestBody(operation)),
    ),
    checked(result) {
      for (const answered of result.answered) checker.check(answered);
      return result;
    },
  };
}
