import { encodeFunctionData, hashMessage, numberToHex, parseAbi, type Address, type Hex } from 'viem';
import { getUserOperationHash } from 'viem/account-abstraction';
import { generatePrivateKey, privateKeyToAddress, sign, signatureToHex } from 'viem/accounts';
import { askGateway, GatewayRefusedError, type Exchange } from './ask-gateway';

/** What is done, in this order. */
export const STEPS = [
  'Make a key and find its account',
  'Ask for the price of gas',
  'Ask the paymaster',
  'Sign',
  'Send it to the bundler',
  'Wait for the block',
] as const;

/** A step that is done, and what was said in it. */
export interface DoneStep {
  readonly says: string;
  readonly exchanges: readonly Exchange[];
}

export interface Playground {
  /** The gateway's, with a key in it. */
  readonly url: string;
  readonly chainId: number;
  readonly entryPoint: { readonly address: string; readonly version: string };
  /** Of SimpleAccounts of that EntryPoint. */
  readonly factory: Address;
  /** What the account calls, made for its address. */
  readonly call: { readonly to: string; readonly dataFor: (account: Address) => Hex };
  /** Has the form of a signature, for the estimate. */
  readonly noSignature: Hex;
  readonly onDone: (step: DoneStep) => void;
}

export interface Landed {
  readonly userOpHash: Hex;
  readonly transactionHash: Hex;
  /** Whether the call of the account succeeded. */
  readonly success: boolean;
}

interface Fees {
  readonly maxFeePerGas: Hex;
  readonly maxPriorityFeePerGas: Hex;
}

const ACCOUNT_ABI = parseAbi([
  'function createAccount(address,uint256)',
  'function getAddress(address,uint256)',
  'function execute(address,uint256,bytes)',
]);
const ASK_EVERY_MS = 1_000;
/** Then a bundler does not take it into a block any more. */
const PATIENCE_MS = 120_000;
/** What `pm_getPaymasterData` may add to an operation, of all versions. */
const ADDED = [
  ...['paymaster', 'paymasterData', 'paymasterVerificationGasLimit', 'paymasterPostOpGasLimit', 'paymasterAndData'],
  ...['callGasLimit', 'verificationGasLimit', 'preVerificationGas'],
];

/**
 * Lands one operation of an account that is new: its key is made here, and forgotten with the page.
 *
 * @throws {GatewayRefusedError} in the step that is not done then
 */
export async function landOperation(playground: Playground): Promise<Landed> {
  const { url, chainId, entryPoint, factory, call, noSignature, onDone } = playground;
  const version = entryPoint.version as '0.6' | '0.7' | '0.8';
  const entryPointAddress = entryPoint.address as Address;
  const privateKey = generatePrivateKey();
  const owner = privateKeyToAddress(privateKey);
  const encoded = (functionName: 'createAccount' | 'getAddress' | 'execute', args: readonly unknown[]) =>
    encodeFunctionData({ abi: ACCOUNT_ABI, functionName, args: args as never });

  const found = await askGateway<Hex>(url, 'eth_call', [
    { to: factory, data: encoded('getAddress', [owner, 0n]) },
    'latest',
  ]);
  const sender = `0x${found.result.slice(-40)}` as Address;
  onDone({ says: `The account ${sender} is new; the operation makes it.`, exchanges: [found] });

  const fees = await askGateway<{ readonly standard: Fees }>(url, 'pimlico_getUserOperationGasPrice', []);
  onDone({ says: 'The gateway knows what gas costs now.', exchanges: [fees] });

  const factoryData = encoded('createAccount', [owner, 0n]);
  const operation = {
    ...{ sender, nonce: '0x0' },
    ...(version === '0.6' ? { initCode: `${factory}${factoryData.slice(2)}` } : { factory, factoryData }),
    callData: encoded('execute', [call.to, 0n, call.dataFor(sender)]),
    maxFeePerGas: fees.result.standard.maxFeePerGas,
    maxPriorityFeePerGas: fees.result.standard.maxPriorityFeePerGas,
    signature: noSignature,
  };
  const granted = await askGateway<Readonly<Record<string, Hex>>>(url, 'pm_getPaymasterData', [
    ...[operation, entryPointAddress, numberToHex(chainId), { calculateGasLimits: true }],
  ]);
  const sponsored = {
    ...operation,
    ...Object.fromEntries(Object.entries(granted.result).filter(([name]) => ADDED.includes(name))),
  };
  onDone({ says: 'It pays: the answer has its signature and the gas limits.', exchanges: [granted] });

  const userOpHash = getUserOperationHash({
    ...{ chainId, entryPointAddress, entryPointVersion: version },
    userOperation: withNumbers(sponsored) as never,
  });
  const hash = version === '0.8' ? userOpHash : hashMessage({ raw: userOpHash });
  const signed = { ...sponsored, signature: signatureToHex(await sign({ hash, privateKey })) };
  onDone({
    says: 'The key of the account signs the operation, the paymaster’s part included.',
    exchanges: [{ request: signed, answer: userOpHash }],
  });

  const sent = await askGateway<Hex>(url, 'eth_sendUserOperation', [signed, entryPointAddress]);
  onDone({ says: 'A bundler has it.', exchanges: [sent] });

  const receipt = await receiptOf(url, sent.result);
  const {
    success,
    receipt: { transactionHash },
  } = receipt.result;
  onDone({ says: `It is in a block, in the transaction ${transactionHash}.`, exchanges: [receipt] });
  return { userOpHash: sent.result, transactionHash, success };
}

interface Receipt {
  readonly success: boolean;
  readonly receipt: { readonly transactionHash: Hex };
}

async function receiptOf(url: string, userOpHash: Hex): Promise<Exchange & { readonly result: Receipt }> {
  const until = Date.now() + PATIENCE_MS;
  for (;;) {
    const asked = await askGateway<Receipt | null>(url, 'eth_getUserOperationReceipt', [userOpHash]);
    const { result } = asked;
    if (result) return { ...asked, result };
    if (Date.now() > until) {
      throw new GatewayRefusedError('It is in no block yet. Look at it in the list of operations later.', asked);
    }
    await new Promise((done) => setTimeout(done, ASK_EVERY_MS));
  }
}

const NUMBERS =
  /^(nonce|maxFeePerGas|maxPriorityFeePerGas|callGasLimit|verificationGasLimit|preVerificationGas|paymaster(Verification|PostOp)GasLimit)$/;

/** As viem hashes it: quantities are numbers there. */
function withNumbers(operation: object): object {
  const entries = Object.entries(operation as Readonly<Record<string, string>>);
  return Object.fromEntries(entries.map(([name, value]) => [name, NUMBERS.test(name) ? BigInt(value) : value]));
}
