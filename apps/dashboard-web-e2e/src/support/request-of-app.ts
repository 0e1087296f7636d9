import { readStack, simpleAccount } from '@paymaster/devnet';
import { numberToHex } from 'viem';

const GWEI = 1_000_000_000n;

/** A request for sponsorship of one call to the demo contract, as an app sends it. */
export async function requestOfApp(): Promise<string> {
  const stack = readStack();
  const account = await simpleAccount(stack, { version: '0.7' });
  const { address: to, callData: data } = stack.demoContract;
  const { factory, factoryData } = await account.getFactoryArgs();
  const operation = {
    sender: await account.getAddress(),
    nonce: numberToHex(await account.getNonce()),
    callData: await account.encodeCalls([{ to, data, value: 0n }]),
    ...{ callGasLimit: '0x186a0', verificationGasLimit: '0x7a120', preVerificationGas: '0xea60' },
    ...{ maxFeePerGas: numberToHex(20n * GWEI), maxPriorityFeePerGas: numberToHex(GWEI) },
    ...(factory && { factory, factoryData }),
    signature: await account.getStubSignature(),
  };
  const params = [operation, account.entryPoint.address, numberToHex(stack.chainId), {}];
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_getPaymasterStubData', params });
}
