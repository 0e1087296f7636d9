// The whole smart account client of @biconomy/account 4.
import { createSmartAccountClient } from '@biconomy/account';
import { createWalletClient, http } from 'viem';
import { drive } from './lib/drive.mjs';
import { alternating, untilClientSaysLanded } from './lib/biconomy-account.mjs';

/** The client reads a list of known errors from GitHub before it shows a refusal. An empty list leaves the refusal as it came. */
const realFetch = globalThis.fetch;
globalThis.fetch = (input, init) =>
  new URL(input).host === 'raw.githubusercontent.com' ? Promise.resolve(Response.json([])) : realFetch(input, init);

await drive(async (job, world) => {
  const { mode, paymasterUrl } = job;
  const { chain, stack, token } = world;
  const signer = createWalletClient({ account: world.newOwner(), chain, transport: http(stack.chainRpc) });
  const account = await createSmartAccountClient({
    ...{ signer, customChain: chain, rpcUrl: stack.chainRpc },
    ...{ bundlerUrl: paymasterUrl, paymasterUrl },
  });
  const sender = await account.getAccountAddress();
  const estimatesItself = alternating(job);
  async function send(calls) {
    const terms = mode === 'token' ? { mode: 'ERC20', preferredToken: token.address } : { mode: 'SPONSORED' };
    const paymasterServiceData = { ...terms, ...(estimatesItself() && { calculateGasLimits: false }) };
    return untilClientSaysLanded(job, await account.sendTransaction(calls, { paymasterServiceData }));
  }
  return { sender, send, approvesItself: true };
});
