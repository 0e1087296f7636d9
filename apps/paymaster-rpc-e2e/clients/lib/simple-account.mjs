// A SimpleAccount of EntryPoint v0.6 with ethers, for clients that are a paymaster's client and nothing else.
import { AbiCoder, Contract, getBytes, Interface, JsonRpcProvider, keccak256, toBeHex, Wallet } from 'ethers';
import { ask } from './world.mjs';

const FACTORY = '0x9406Cc6185a346906296840746125a0E44976454';
const factoryAbi = [
  'function createAccount(address,uint256)',
  'function getAddress(address,uint256) view returns (address)',
];
const entryPointAbi = ['function getNonce(address,uint192) view returns (uint256)'];
const account = new Interface(['function execute(address,uint256,bytes)', 'function executeBatch(address[],bytes[])']);

/** A new account: its draft of an operation without limits and signature, and what sends it once it is sponsored. */
export async function newSimpleAccount(world) {
  const { chainRpc, chainId, bundler, entryPoints } = world.stack;
  const provider = new JsonRpcProvider(chainRpc, chainId, { staticNetwork: true });
  const owner = new Wallet(world.newKey());
  const factory = new Contract(FACTORY, factoryAbi, provider);
  const sender = await factory.getFunction('getAddress')(owner.address, 0);
  const entryPoint = new Contract(entryPoints['0.6'], entryPointAbi, provider);
  const createAccount = FACTORY + factory.interface.encodeFunctionData('createAccount', [owner.address, 0]).slice(2);
  return {
    sender,
    async draft(calls) {
      const { maxFeePerGas, maxPriorityFeePerGas } = await world.fees();
      const nonce = await entryPoint.getFunction('getNonce')(sender, 0);
      const initCode = nonce === 0n ? createAccount : '0x';
      const [only] = calls;
      const callData =
        calls.length === 1
          ? account.encodeFunctionData('execute', [only.to, only.value, only.data])
          : account.encodeFunctionData('executeBatch', [calls.map(({ to }) => to), calls.map(({ data }) => data)]);
      const fees = { maxFeePerGas: toBeHex(maxFeePerGas), maxPriorityFeePerGas: toBeHex(maxPriorityFeePerGas) };
      return { sender, nonce: toBeHex(nonce), initCode, callData, signature: '0x', paymasterAndData: '0x', ...fees };
    },
    /** @returns the operation's hash; of a paymaster's answer it takes its data and the three limits */
    async send(draft, { paymasterAndData, callGasLimit, verificationGasLimit, preVerificationGas }) {
      const operation = {
        ...{ ...draft, paymasterAndData },
        callGasLimit: toBeHex(callGasLimit),
        verificationGasLimit: toBeHex(verificationGasLimit),
        preVerificationGas: toBeHex(preVerificationGas),
      };
      operation.signature = await owner.signMessage(getBytes(hashOf(operation, entryPoints['0.6'], chainId)));
      return ask(bundler, 'eth_sendUserOperation', [operation, entryPoints['0.6']]);
    },
  };
}

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

/** Quantities as JSON-RPC has them. */
export const hexOf = (quantities = {}) =>
  Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, toBeHex(value)]));
