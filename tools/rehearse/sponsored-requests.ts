import { DEV_KEYS } from '@paymaster/devnet';
import type { UserOperationV06 } from '@paymaster/domain';
import { publicKeyCreate } from 'secp256k1';
import { ReplyChecker, requestBody, sponsoredOperations } from '../../apps/paymaster-rpc/bench/sponsored-requests';
import type { Reply } from './client-connection';
import type { LoadRequest } from './load';
import type { World } from './world';

/** A request to sponsor one operation. */
export interface SponsoredRequest extends LoadRequest {
  /** No other operation has it. */
  readonly sender: string;
}

const NOTHING = Buffer.alloc(0);
/** Clients that share an address share its limits: each request comes from one of so many networks. */
const CLIENT_NETWORKS = 1_000;

/**
 * Makes requests of real operations, of all paymasters in turn, as an Ingress would hand them on. An answer is right
 * when it holds the contract signer's signature over that very operation.
 */
export async function sponsoredRequests(world: World, apiKeys: readonly string[]): Promise<() => SponsoredRequest> {
  const signerPublicKey = publicKeyCreate(Buffer.from(DEV_KEYS.signer.privateKey.slice(2), 'hex'));
  const operations: Array<UserOperationV06 | undefined> = [];
  const context = { chainId: world.chainId, paymaster: world.contract, signerPublicKey };
  const checker = await ReplyChecker.create(context, operations as UserOperationV06[]);
  let made = 0;
  return () => {
    const index = made++;
    const [operation] = sponsoredOperations(1, world.demo) as [UserOperationV06];
    operations[index] = operation;
    const apiKey = apiKeys[index % apiKeys.length] ?? '';
    const path = `/api/v2/${world.chainId}/${apiKey}`;
    const request = {
      sender: operation.sender,
      bytes: postRequest({ path, body: requestBody(operation), index }),
      check(reply: Reply) {
        checker.check({ request: index, reply });
        // Answered rightly, it is not needed again; there are tens of thousands.
        operations[index] = undefined;
        request.bytes = NOTHING;
      },
    };
    return request;
  };
}

function postRequest({ path, body, index }: { path: string; body: string; index: number }): Buffer {
  const network = index % CLIENT_NETWORKS;
  const head = [
    `POST ${path} HTTP/1.1`,
    'host: gateway.example',
    'content-type: application/json',
    `x-forwarded-for: 198.${18 + (network >> 8)}.${network & 255}.1`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
