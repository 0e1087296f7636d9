// No client: ethers alone, as an app without an SDK writes it. Its operation has no signature until it is sponsored.
import { AbiCoder, Contract, getBytes, Interface, JsonRpcProvider, keccak256, toBeHex, Wallet } from 'ethers';
import { drive } from './lib/drive.mjs';
import { ask } from './lib/world.mjs';

const FACTORY = '0x9406Cc6185a346906296840746125a0E44976454';
const factoryAbi = [
  'function createAccount(address,uint256)',
  'function getAddress(address,uint256) view returns (address)',
];
const account = new Interface(['function execute(address,uint256,bytes)', 'function executeBatch(address[],bytes[])']);

await drive(async ({ mode, paymasterUrl }, world) => {
  const { chainRpc, chainId, bundler, entryPoints, paymasters } = world.stack;
  const provider = new JsonRpcProvider(chainRpc, chainId, { staticNetwork: true });
  const owner = new Wallet(world.newKey());
  const factory = new Contract(FACTORY, factoryAbi, provider);
  const sender = await factory.getFunction('getAddress')(owner.address, 0);
  const initCode = FACTORY + factory.interface.encodeFunctionData('createAccount', [owner.address, 0]).slice(2);
  if (mode === 'token') await world.giveTokens(sender);
  const approve = world.approve(paymasters['0.6']);
  const { to, data } = world.increment;
  const callData =
    mode === 'token'
      ? account.encodeFunctionData('executeBatch', [
          [approve.to, to],
          [approve.data, data],
        ])
      : account.encodeFunctionData('execute', [to, 0, data]);
  const fees = await world.fees();
  const draft = {
    ...{ sender, nonce: '0x0', initCode, callData, signature: '0x', paymasterAndData: '0x' },
    maxFeePerGas: toBeHex(fees.maxFeePerGas),
    maxPriorityFeePerGas: toBeHex(fees.maxPriorityFeePerGas),
  };
  const terms =
    mode === 'token'
      ? { mode: 'ERC20', tokenInfo: { feeTokenAddress: world.token.address } }
      : { mode: 'SPONSORED', sponsorshipInfo: { smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } } };
  const answer = await ask(paymasterUrl, 'pm_sponsorUserOperation', [draft, terms]);
  const operation = {
    ...draft,
    paymasterAndData: answer.paymasterAndData,
    callGasLimit: toBeHex(answer.callGasLimit),
    verificationGasLimit: toBeHex(answer.verificationGasLimit),
    preVerificationGas: toBeHex(BigInt(answer.preVerificationGas)),
  };
  operation.signature = await owner.signMessage(getBytes(hashOf(operation, entryPoints['0.6'], chainId)));
  return { sender, userOpHash: await ask(bundler, 'eth_sendUserOperation', [operation, entryPoints['0.6']]) };
});

/** ERC-4337 v0.6, `getUserOpHash`. */
function hashOf(op, entryPoint, chainId) {
  const coder = AbiCoder.defaultAbiCoder();
  const inner = coder.encode(
    ['address', 'uint256', 'bytes32', 'bytes32', 'uint256', 'uint256', 'uint256', 'uint256', 'uint256', 'bytes32'],
    [
      ...[op.sender, op.nonce, keccak256(op.initCode), keccak256(op.callData)],
      ...[op.callGasLimit, op.verificationGasLimit, op.preVerificationGas],
      ...[op.maxFeePerGas, op.maxPriorityFeePerGas, keccak256(op.paymasterAndData)],
    ],
  );
  return keccak256(coder.encode(['bytes32', 'address', 'uint256'], [keccak256(inner), entryPoint, chainId]));
}
