import { createNonceManager, createPublicClient, createWalletClient, http, type Chain } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { jsonRpc } from 'viem/nonce';
import type { Hex } from '@paymaster/domain';

/** Far above the price at which the neighbours keep a chain, and more than their tips; wei per gas. */
const MOST_FEE_WEI = 100n * 10n ** 9n;
const TIP_WEI = 3n * 10n ** 9n;

/** A client that reads the chain and sends transactions of one key; several may be under way at once. */
export type DevChain = Awaited<ReturnType<typeof connectDevChain>>;

/** Connects a key to a chain whose id need not be known. */
export async function connectDevChain({ rpcUrl, privateKey }: { rpcUrl: string; privateKey: Hex }) {
  const transport = http(rpcUrl, { retryCount: 1, timeout: 60_000 });
  const chainId = await createPublicClient({ transport }).getChainId();
  const chain: Chain = {
    id: chainId,
    name: 'devnet',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  };
  const account = privateKeyToAccount(privateKey, { nonceManager: createNonceManager({ source: jsonRpc() }) });
  const reader = createPublicClient({ chain, transport, pollingInterval: 100 });
  const sender = createWalletClient({ chain, transport, account });

  /** Sent one after the other: nonces asked for at the same time may come out equal. Waiting is for all at once. */
  let sending: Promise<unknown> = Promise.resolve();

  /** Sends a transaction and waits for it. @throws when it reverts */
  async function execute(transaction: { to: Hex; data: Hex; value?: bigint; gas?: bigint }): Promise<void> {
    const sent = sending.then(async () => sender.sendTransaction({ ...(await highFees()), ...transaction }));
    sending = sent.catch(() => undefined);
    const hash = await sent;
    const receipt = await reader.waitForTransactionReceipt({ hash, timeout: 180_000 });
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} to ${transaction.to} reverted`);
  }

  /** Fees with which a transaction lands although the neighbours move in meanwhile and raise the base fee. */
  async function highFees() {
    const { baseFeePerGas } = await reader.getBlock();
    if (baseFeePerGas === null) return {};
    return { maxFeePerGas: 10n * baseFeePerGas + MOST_FEE_WEI, maxPriorityFeePerGas: TIP_WEI };
  }

  async function hasCode(address: Hex): Promise<boolean> {
    const code = await reader.getCode({ address });
    return code !== undefined && code !== '0x';
  }

  return { chainId, account, reader, execute, hasCode };
}
