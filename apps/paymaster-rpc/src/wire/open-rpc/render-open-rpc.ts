import { DIALECTS } from '../dialects/index';
import { openRpcDocument } from './open-rpc';
import { documentsOf } from './rpc.discover';

/** The text of docs/api/paymaster-rpc.openrpc.json: what `rpc.discover` answers. */
export function renderOpenRpc(): string {
  return `${JSON.stringify(openRpcDocument(documentsOf(DIALECTS)), null, 2)}\n`;
}
