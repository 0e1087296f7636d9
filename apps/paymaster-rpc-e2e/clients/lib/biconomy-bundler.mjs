import { toHex } from 'viem';
import { passOn, serve } from './serve.mjs';

/** Biconomy's clients want a bundler at an address of its form, with its method for fees, and fees in its estimates. */
export async function bundlerOf(world) {
  const address = await serve(async (_, { id, method, params }) => {
    const { maxFeePerGas, maxPriorityFeePerGas } = await world.fees();
    const fees = { maxFeePerGas: toHex(maxFeePerGas), maxPriorityFeePerGas: toHex(maxPriorityFeePerGas) };
    if (method === 'biconomy_getGasFeeValues') return { jsonrpc: '2.0', id, result: fees };
    const isEstimate = method === 'eth_estimateUserOperationGas';
    // A third parameter asks Biconomy's bundler for more than the standard has. It estimates for accounts without coin.
    const rich = { [params[0].sender]: { balance: toHex(10n ** 20n) } };
    const standard = { jsonrpc: '2.0', id, method, params: [...params.slice(0, 2), ...(isEstimate ? [rich] : [])] };
    const answer = await passOn(world.stack.bundler, standard);
    if (isEstimate && answer.result) Object.assign(answer.result, fees);
    return answer;
  });
  return `${address}/api/v2/${world.stack.chainId}/bundler`;
}
