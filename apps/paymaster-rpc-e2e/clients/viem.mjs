// viem's own accounts and clients.
import { concat, http, pad, stringToHex, toHex } from 'viem';
import {
  createBundlerClient,
  createPaymasterClient,
  toCoinbaseSmartAccount,
  toSimple7702SmartAccount,
  toSoladySmartAccount,
  toWebAuthnAccount,
} from 'viem/account-abstraction';
import { drive } from './lib/drive.mjs';
import { newPasskey } from './lib/passkey.mjs';

const coinbase = (client, owner) => toCoinbaseSmartAccount({ client, owners: [owner], version: '1.1' });
function ofPasskey(client) {
  const { x, y, get } = newPasskey();
  const credential = { id: 'passkey', publicKey: concat([toHex(x), toHex(y)]) };
  return coinbase(
    client,
    toWebAuthnAccount({ credential, rpId: 'app.example', getFn: async (options) => get(options) }),
  );
}
const simple7702 = (client, owner) => toSimple7702SmartAccount({ client, owner });
const ACCOUNTS = {
  'Coinbase Smart Wallet 1.1': coinbase,
  'Coinbase Smart Wallet 1.1 with a passkey': ofPasskey,
  'Coinbase Smart Wallet 1.1 with dataSuffix': coinbase,
  'Solady ERC4337': (client, owner) =>
    toSoladySmartAccount({ client, owner, salt: pad(owner.address, { dir: 'right', size: 32 }) }),
  'Simple7702Account, by EIP-7702': simple7702,
  'Simple7702Account with dataSuffix, by EIP-7702': simple7702,
};
/** Who made the operation, by ERC-8021: behind everything that the account reads. */
const ATTRIBUTION = concat([stringToHex('baseapp'), '0x0700', '0x80218021802180218021802180218021']);

await drive(async ({ account: name, mode, paymasterUrl }, world) => {
  const owner = world.newOwner();
  const account = await ACCOUNTS[name](world.publicClient, owner);
  const client = createBundlerClient({
    account,
    client: world.publicClient,
    transport: http(world.stack.bundler),
    paymaster: createPaymasterClient({ transport: http(paymasterUrl) }),
    ...(name.includes('with dataSuffix') && { dataSuffix: ATTRIBUTION }),
    ...(mode === 'token' && { paymasterContext: { token: world.token.address } }),
  });
  /** Where the account delegates: in its first operation. */
  const authorizationOf = async () =>
    account.authorization &&
    !(await account.isDeployed()) &&
    owner.signAuthorization({ ...account.authorization, chainId: world.stack.chainId, nonce: 0 });
  return {
    sender: account.address,
    async send(calls, limits) {
      const authorization = await authorizationOf();
      return client.sendUserOperation({ calls, ...limits, ...(authorization && { authorization }) });
    },
  };
});
