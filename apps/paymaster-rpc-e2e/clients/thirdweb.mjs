// thirdweb's smart wallet, whose paymaster is a function that the app writes.
import { createThirdwebClient, defineChain, prepareTransaction } from 'thirdweb';
import { privateKeyToAccount, smartWallet } from 'thirdweb/wallets';
import { toHex } from 'viem';
import { drive } from './lib/drive.mjs';
import { ask } from './lib/world.mjs';

const client = createThirdwebClient({ clientId: 'none' });
const LIMITS = [
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
];

await drive(async ({ version, mode, paymasterUrl }, world) => {
  const { chainId, chainRpc, bundler, entryPoints } = world.stack;
  const chain = defineChain({ id: chainId, rpc: chainRpc });
  const context = mode === 'token' ? { token: world.token.address } : {};
  const wallet = smartWallet({
    chain,
    sponsorGas: true,
    overrides: {
      bundlerUrl: bundler,
      entrypointAddress: entryPoints[version],
      async paymaster(userOp) {
        const operation = JSON.parse(
          JSON.stringify(userOp, (_, value) => (typeof value === 'bigint' ? toHex(value) : value)),
        );
        const answer = await ask(paymasterUrl, 'pm_sponsorUserOperation', [operation, entryPoints[version], context]);
        const limits = LIMITS.filter((name) => name in answer).map((name) => [name, BigInt(answer[name])]);
        return { ...answer, ...Object.fromEntries(limits) };
      },
    },
  });
  const personalAccount = privateKeyToAccount({ client, privateKey: world.newKey() });
  const account = await wallet.connect({ client, personalAccount });
  async function send(calls) {
    const transactions = calls.map((call) => ({ ...prepareTransaction({ client, chain, ...call }), chainId }));
    const { transactionHash } = await account.sendBatchTransaction(transactions);
    return world.operationIn(transactionHash, account.address);
  }
  return { sender: account.address, send };
});
