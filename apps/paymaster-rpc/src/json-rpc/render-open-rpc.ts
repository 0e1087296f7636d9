import { undressedMethods } from '../methods';
import { RpcDiscover } from '../methods/rpc.discover';

/** The text of docs/api/paymaster-rpc.openrpc.json: what `rpc.discover` answers. */
export function renderOpenRpc(): string {
  const { text } = new RpcDiscover(undressedMethods()).handle();
  return `${JSON.stringify(JSON.parse(text), null, 2)}\n`;
}
