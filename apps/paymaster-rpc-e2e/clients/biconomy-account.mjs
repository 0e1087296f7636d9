// The whole smart account client of @biconomy/account 4.
import { createServer } from 'node:http';
import { createSmartAccountClient } from '@biconomy/account';
import { createWalletClient, http, toHex } from 'viem';
import { drive } from './lib/drive.mjs';

/** The client reads a list of known errors from GitHub before it shows a refusal. An empty list leaves the refusal as it came. */
const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) =>
  new URL(input).host === 'raw.githubusercontent.com' ? Promise.resolve(Response.json([])) : realFetch(input, init);

/** The client wants a bundler at an address of Biconomy's form, with its method for fees, and fees in its estimates. */
async function bundlerOf(world) {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const { maxFeePerGas, maxPriorityFeePerGas } = await world.fees();
    const fees = { maxFeePerGas: toHex(maxFeePerGas), maxPriorityFeePerGas: toHex(maxPriorityFeePerGas) };
    const isEstimate = method === 'eth_estimateUserOperationGas';
    let answer = { jsonrpc: '2.0', id, result: fees };
    if (method !== 'biconomy_getGasFeeValues') {
      // A third parameter asks Biconomy's bundler for more than the standard has. It estimates for accounts without coin.
      const rich = { [params[0].sender]: { balance: toHex(10n ** 20n) } };
      const standard = { jsonrpc: '2.0', id, method, params: [...params.slice(0, 2), ...(isEstimate ? [rich] : [])] };
      const headers = { 'content-type': 'application/json' };
      const asked = await fetch(world.stack.bundler, { method: 'POST', headers, body: JSON.stringify(standard) });
      answer = await asked.json();
      if (isEstimate && answer.result) Object.assign(answer.result, fees);
    }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${server.address().port}/api/v2/${world.stack.chainId}/bundler`;
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
