import { setTimeout as sleep } from 'node:timers/promises';
import { JsonRpcError, rpc } from '../chain/json-rpc';
import type { Stack } from '../stack/stack-file';

/** Nothing was decided: a dependency did not answer in time, or there was too much at once (decisions, "Errors"). */
const COME_BACK = [-32_011, -32_005];
const COME_BACK_AFTER_MS = 1_000;
const PATIENCE_MS = 60_000;

/** The gateway's address with the key in it: never printed. */
export function gatewayOf(stack: Stack): string {
  return `${stack.paymasterRpc}/api/v2/${stack.chainId}/${stack.paymaster.apiKey}`;
}

/**
 * One call to the gateway, as a wallet makes it: it comes back when it is told to.
 *
 * @throws {JsonRpcError} when it is refused, or told to come back for a minute
 */
export async function askGateway<T>(stack: Stack, method: string, params: readonly unknown[]): Promise<T> {
  for (const end = Date.now() + PATIENCE_MS; ; await sleep(COME_BACK_AFTER_MS)) {
    try {
      return await rpc<T>(gatewayOf(stack), method, params);
    } catch (error) {
      const mayComeBack = error instanceof JsonRpcError && COME_BACK.includes(error.code);
      if (!mayComeBack || Date.now() > end) throw error;
    }
  }
}
