import { undressedMethods } from '../methods';
import { RpcDiscover } from '../methods/rpc.discover';

/** The text of docs/api/paymaster-rpc.openrpc.json: what `rpc.discover` answers. */
export function renderOpenRpc(): string {
  return `${JSON.stringify(new RpcDiscover(undressedMethods()).handle(), null, 2)}\n`;
}
