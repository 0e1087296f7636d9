// abstractionkit with its CandidePaymaster.
import {
  CandidePaymaster,
  createAndSignEip7702DelegationAuthorization,
  SafeAccountV0_3_0,
  SafeAccountV1_5_0_M_0_3_0,
  Simple7702Account,
  Simple7702AccountV09,
} from 'abstractionkit';
import { privateKeyToAccount } from 'viem/accounts';
import { drive } from './lib/drive.mjs';

const SAFES = { 'Safe 1.4.1': SafeAccountV0_3_0, 'Safe 1.5.0': SafeAccountV1_5_0_M_0_3_0 };

await drive(async ({ account: name, version, mode, paymasterUrl }, world) => {
  const { chainRpc, bundler, chainId } = world.stack;
  const key = world.newKey();
  const { address: owner } = privateKeyToAccount(key);
  const Delegated = version === '0.9' ? Simple7702AccountV09 : Simple7702Account;
  const account = SAFES[name] ? SAFES[name].initializeNewAccount([owner]) : new Delegated(owner);
  const paymaster = new CandidePaymaster(paymasterUrl);
  async function send(calls, limits) {
    const isDelegated = SAFES[name] || (await world.publicClient.getCode({ address: account.accountAddress }));
    const overrides = isDelegated ? {} : { eip7702Auth: { chainId: BigInt(chainId) } };
    const draft = await account.createUserOperation(calls, chainRpc, bundler, { ...overrides, ...limits });
    if (draft.eip7702Auth) {
      const { address, nonce } = draft.eip7702Auth;
      draft.eip7702Auth = createAndSignEip7702DelegationAuthorization(BigInt(chainId), address, BigInt(nonce), key);
    }
    const operation =
      mode === 'sponsored'
        ? (await paymaster.createSponsorPaymasterUserOperation(account, draft, bundler, undefined, limits))[0]
        : await paymaster.createTokenPaymasterUserOperation(account, draft, world.token.address, bundler, limits);
    operation.signature = SAFES[name]
      ? account.signUserOperation(operation, [key], BigInt(chainId))
      : account.signUserOperation(operation, key, BigInt(chainId));
    return (await account.sendUserOperation(operation, bundler)).userOperationHash;
  }
  return { sender: account.accountAddress, send, approvesItself: true };
});
