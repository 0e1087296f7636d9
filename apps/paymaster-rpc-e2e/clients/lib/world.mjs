// The local world, for a client's process: what it is given on its standard input, and what an app would do around it.
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  encodeFunctionData,
  http,
  isAddressEqual,
  parseAbi,
  parseEventLogs,
  toHex,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

const FIELDS = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function mint(address holder, uint256 amount)',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
]);

/** More than all operations of an account cost; base units of a token with 6 decimals. */
const ENOUGH_TOKENS = 10_000_000_000n;

/** A block a second: the rest is for a busy machine. */
const LANDING_MS = 120_000;

/**
 * @param stack what stack.json says
 * @param token the one that is paid in
 * @param nft address of a contract that mints for everybody
 */
export function worldOf({ stack, token, nft }) {
  const chain = defineChain({
    id: stack.chainId,
    name: 'local',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [stack.chainRpc] } },
  });
  const publicClient = createPublicClient({ chain, transport: http(stack.chainRpc), pollingInterval: 200 });
  async function newRichWallet() {
    const account = privateKeyToAccount(generatePrivateKey());
    await publicClient.request({ method: 'anvil_setBalance', params: [account.address, toHex(10n ** 18n)] });
    return createWalletClient({ account, chain, transport: http(stack.chainRpc) });
  }
  return {
    ...{ stack, token, nft, chain, publicClient },
    newKey: generatePrivateKey,
    newOwner: () => privateKeyToAccount(generatePrivateKey()),
    /** Of the account's batch, where the app writes it. */
    approve: (spender) => ({
      to: token.address,
      data: encodeFunctionData({ abi: FIELDS, functionName: 'approve', args: [spender, ENOUGH_TOKENS] }),
      value: 0n,
    }),
    /** The fees the bundler asks for. */
    async fees() {
      const { standard } = await ask(stack.bundler, 'pimlico_getUserOperationGasPrice', []);
      return {
        maxFeePerGas: BigInt(standard.maxFeePerGas),
        maxPriorityFeePerGas: BigInt(standard.maxPriorityFeePerGas),
      };
    },
    /** Somebody else sends the owner's authorization, as MetaMask does before the first operation. */
    async delegate(owner, address) {
      const authorization = await owner.signAuthorization({ address, chainId: stack.chainId, nonce: 0 });
      const wallet = await newRichWallet();
      const hash = await wallet.sendTransaction({ to: owner.address, authorizationList: [authorization] });
      await publicClient.waitForTransactionReceipt({ hash });
    },
    /** The hash of the sender's operation in a transaction, where a client says no more than the transaction. */
    async operationIn(transactionHash, sender) {
      const { logs } = await publicClient.getTransactionReceipt({ hash: transactionHash });
      const events = parseEventLogs({ abi: FIELDS, eventName: 'UserOperationEvent', logs });
      return events.find(({ args }) => isAddressEqual(args.sender, sender))?.args.userOpHash;
    },
    /** Waits for an operation that the bundler has accepted. @throws when it failed, or is not on chain in time */
    async untilLanded(userOpHash) {
      for (const deadline = Date.now() + LANDING_MS; Date.now() < deadline;) {
        const receipt = await ask(stack.bundler, 'eth_getUserOperationReceipt', [userOpHash]);
        if (receipt?.success) return;
        if (receipt) throw new Error(`landed and failed: ${receipt.reason}`);
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
      throw new Error(`accepted by the bundler, and not on chain after ${LANDING_MS / 1_000} s`);
    },
    giveCoin: (holder, wei) => publicClient.request({ method: 'anvil_setBalance', params: [holder, toHex(wei)] }),
    async giveTokens(holder) {
      const wallet = await newRichWallet();
      const data = encodeFunctionData({ abi: FIELDS, functionName: 'mint', args: [holder, ENOUGH_TOKENS] });
      const hash = await wallet.sendTransaction({ to: token.address, data });
      await publicClient.waitForTransactionReceipt({ hash });
    },
  };
}

/** One JSON-RPC call by hand. */
export async function ask(url, method, params) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw Object.assign(new Error(error.message), error);
  return result;
}
