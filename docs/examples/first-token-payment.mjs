// A smart account that owns a token and no coin calls the demo contract of the local world and pays in the token,
// with unmodified viem. Run `npm start` in another terminal first.
import { readFileSync } from 'node:fs';
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  erc20Abi,
  http,
  parseAbi,
} from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { toSimpleSmartAccount } from 'permissionless/accounts';

const stack = JSON.parse(readFileSync(process.argv[2] ?? '.local/stack.json', 'utf8'));
const chain = defineChain({
  id: stack.chainId,
  name: 'local',
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [stack.chainRpc] } },
});
const client = createPublicClient({ chain, transport: http(stack.chainRpc) });
const account = await toSimpleSmartAccount({
  client,
  owner: privateKeyToAccount(generatePrivateKey()),
  entryPoint: { address: stack.entryPoints['0.7'], version: '0.7' },
  factoryAddress: stack.accountFactories['0.7'],
});

// Somebody sent the account 100 tokens; here it is the demo token's faucet.
const token = stack.tokens.find(({ symbol }) => symbol === 'USDx');
const friend = privateKeyToAccount(stack.devKeys.accountOwner.privateKey);
const gift = await createWalletClient({ account: friend, chain, transport: http(stack.chainRpc) }).writeContract({
  address: token.address,
  abi: parseAbi(['function mint(address account, uint256 amount)']),
  functionName: 'mint',
  args: [account.address, 100n * 10n ** BigInt(token.decimals)],
});
await client.waitForTransactionReceipt({ hash: gift, pollingInterval: 200 });

const gateway = `${stack.paymasterRpc}/api/v2/${stack.chainId}/${stack.paymaster.apiKey}`;
const bundler = createBundlerClient({
  account,
  chain,
  client,
  paymaster: createPaymasterClient({ transport: http(gateway) }),
  paymasterContext: { token: token.address },
  transport: http(stack.bundler),
  pollingInterval: 500,
});

// The paymaster takes what it is owed and no more; this lets it take up to 100 tokens, now and in later operations.
const allowance = 100n * 10n ** BigInt(token.decimals);
const approve = encodeFunctionData({
  abi: erc20Abi,
  functionName: 'approve',
  args: [stack.paymasters['0.7'], allowance],
});
const hash = await bundler.sendUserOperation({
  calls: [
    { to: token.address, data: approve },
    { to: stack.demoContract.address, data: stack.demoContract.callData },
  ],
});
const receipt = await bundler.waitForUserOperationReceipt({ hash });

const left = await client.readContract({
  address: token.address,
  abi: erc20Abi,
  functionName: 'balanceOf',
  args: [account.address],
});
const paid = 100 - Number(left) / 10 ** token.decimals;
process.stdout.write(
  `${account.address} called the demo contract: success ${receipt.success}, transaction ${receipt.receipt.transactionHash}, ` +
    `paid ${paid.toFixed(token.decimals)} ${token.symbol}, own balance ${await client.getBalance({ address: account.address })} wei\n`,
);
