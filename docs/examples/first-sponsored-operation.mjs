// A smart account that owns no coin calls a contract of the local world, with unmodified viem: the demo contract, or the
// one of CONTRACT, CALL_DATA and API_KEY. Run `npm start` in another terminal first.
import { readFileSync } from 'node:fs';
import { http, createPublicClient, defineChain } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { toSimpleSmartAccount } from 'permissionless/accounts';

const stack = JSON.parse(readFileSync(process.argv[2] ?? '.local/stack.json', 'utf8'));
const apiKey = process.env.API_KEY ?? stack.paymaster.apiKey;
const to = process.env.CONTRACT ?? stack.demoContract.address;
const data = process.env.CALL_DATA ?? stack.demoContract.callData;

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

// One address: it is the paymaster, and sends the operation to the operator's bundlers.
const transport = http(`${stack.paymasterRpc}/api/v1/${stack.chainId}/${apiKey}`);
const paymaster = createPaymasterClient({ transport });
const bundler = createBundlerClient({ account, chain, client, paymaster, transport, pollingInterval: 500 });

const hash = await bundler.sendUserOperation({ calls: [{ to, data }] });
const receipt = await bundler.waitForUserOperationReceipt({ hash });
process.stdout.write(
  `${account.address} called ${to}: success ${receipt.success}, transaction ${receipt.receipt.transactionHash}, ` +
    `paid by ${receipt.paymaster}, own balance ${await client.getBalance({ address: account.address })} wei\n`,
);
