// The whole smart account client of @biconomy/account 4.
import { createSmartAccountClient } from '@biconomy/account';
import { createWalletClient, http } from 'viem';
import { drive } from './lib/drive.mjs';

/** The client reads a list of known errors from GitHub before it shows a refusal. An empty list leaves the refusal as it came. */
const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) =>
  new URL(input).host === 'raw.githubusercontent.com' ? Promise.resolve(Response.json([])) : realFetch(input, init);

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chain, stack, token } = world;
  const signer = createWalletClient({ account: world.newOwner(), chain, transport: http(stack.chainRpc) });
  const account = await createSmartAccountClient({
    ...{ signer, customChain: chain, rpcUrl: stack.chainRpc },
    ...{ bundlerUrl: paymasterUrl, paymasterUrl },
  });
  const sender = await account.getAccountAddress();
  const paymasterServiceData =
    mode === 'token' ? { mode: 'ERC20', preferredToken: token.address } : { mode: 'SPONSORED' };
  const send = async (calls) => (await account.sendTransaction(calls, { paymasterServiceData })).userOpHash;
  return { sender, send, approvesItself: true };
});
