// Compiles a Solidity file of one contract, deploys it with the key of a keystore at the node RPC_URL, and prints name,
// address and ABI as POST /smart-contract of the dashboard takes them:
//   node docs/examples/deploy-contract.mjs <file.sol> <keystore> <passphrase file>
import { readFileSync } from 'node:fs';
import { ContractFactory, JsonRpcProvider, Wallet } from 'ethers';
import solc from 'solc';

const [source, keystore, passphrase] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));

const output = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: 'Solidity',
      sources: { source: { content: source } },
      settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
    }),
  ),
);
const errors = (output.errors ?? []).filter(({ severity }) => severity === 'error');
if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'));
const [[name, { abi, evm }]] = Object.entries(output.contracts.source);

const provider = new JsonRpcProvider(process.env.RPC_URL);
const wallet = (await Wallet.fromEncryptedJson(keystore, passphrase.trim())).connect(provider);
const contract = await new ContractFactory(abi, evm.bytecode.object, wallet).deploy();
await contract.waitForDeployment();
process.stdout.write(`${JSON.stringify({ name, address: await contract.getAddress(), abi: JSON.stringify(abi) })}\n`);
provider.destroy();
