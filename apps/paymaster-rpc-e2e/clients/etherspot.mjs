// Etherspot's modular SDK, as its documentation writes it.
import { GenericBundler, ModularSdk } from '@etherspot/modular-sdk';
import { drive } from './lib/drive.mjs';

const ENTRY_POINT = '0x0000000071727De22E5E9d8BAf0edAc6f37da032';
/** The same on all chains that the SDK knows. */
const FACTORY = '0x38CC0EDdD3a944CA17981e0A19470d2298B8d43a';

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chain, stack, token } = world;
  const sdk = new ModularSdk(world.newKey(), {
    ...{
      chain,
      chainId: stack.chainId,
      rpcProviderUrl: paymasterUrl,
      bundlerProvider: new GenericBundler(paymasterUrl),
    },
    ...{ entryPointAddress: ENTRY_POINT, walletFactoryAddress: FACTORY },
  });
  const sender = await sdk.getCounterFactualAddress();
  const context = mode === 'token' ? { token: token.address } : {};
  async function send(calls) {
    await sdk.clearUserOpsFromBatch();
    for (const { to, data, value } of calls) await sdk.addUserOpsToBatch({ to, data, value });
    return sdk.send(await sdk.estimate({ paymasterDetails: { url: paymasterUrl, context } }));
  }
  return { sender, send };
});
