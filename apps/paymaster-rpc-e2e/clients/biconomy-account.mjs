// The whole smart account client of @biconomy/account 4.
import { createSmartAccountClient } from '@biconomy/account';
import { createWalletClient, http, toHex } from 'viem';
import { drive } from './lib/drive.mjs';
import { passOn, serve } from './lib/serve.mjs';

/** The client reads a list of known errors from GitHub before it shows a refusal. An empty list leaves the refusal as it came. */
const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) =>
  new URL(input).host === 'raw.githubusercontent.com' ? Promise.resolve(Response.json([])) : realFetch(input, init);

/** The client wants a bundler at an address of Biconomy's form, with its method for fees, and fees in its estimates. */
async function bundlerOf(world) {
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

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chain, stack, token } = world;
  const signer = createWalletClient({ account: world.newOwner(), chain, transport: http(stack.chainRpc) });
  const account = await createSmartAccountClient({
    ...{ signer, customChain: chain, rpcUrl: stack.chainRpc },
    ...{ bundlerUrl: await bundlerOf(world), paymasterUrl },
  });
  const sender = await account.getAccountAddress();
  if (mode === 'token') await world.giveTokens(sender);
  const paymasterServiceData =
    mode === 'token' ? { mode: 'ERC20', preferredToken: token.address } : { mode: 'SPONSORED' };
  const { userOpHash } = await account.sendTransaction(world.increment, { paymasterServiceData });
  return { sender, userOpHash };
});
