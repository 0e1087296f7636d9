import type { Address, Hex } from '@paymaster/domain';
import {
  getCreate2Address,
  JsonRpcProvider,
  keccak256,
  Wallet,
  type HDNodeWallet,
  type TransactionRequest,
} from 'ethers';
import { UsageError, type CommandLine } from './command-line';
import { openKeystore } from './keystore';

/** The keyless CREATE2 factory that stands at this address on almost every chain. */
const DETERMINISTIC_DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const SALT: Hex = `0x${'00'.repeat(32)}`;
const RECEIPT_WITHIN_MS = 300_000;
const ANSWER_WITHIN_MS = 15_000;

/** A chain as an operator's command uses it: reads, and transactions that are waited for. */
export class OperatorChain {
  private constructor(
    readonly provider: JsonRpcProvider,
    readonly chainId: number,
    private readonly wallet: Wallet | HDNodeWallet | undefined,
  ) {}

  /** @throws {UsageError} naming the option that cannot be used */
  static async open(line: CommandLine, { pays }: { pays: boolean }): Promise<OperatorChain> {
    const url = line.optional('rpc-url') ?? process.env['RPC_URL'] ?? line.required('rpc-url');
    const wallet = pays ? await openKeystore(line) : undefined;
    const chainId = await chainIdOf(url);
    const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, polling: true, pollingInterval: 500 });
    return new OperatorChain(provider, chainId, wallet?.connect(provider));
  }

  /** Who pays; only where the command sends something. */
  get sender(): Address {
    return this.payer.address.toLowerCase() as Address;
  }

  async hasCode(address: string): Promise<boolean> {
    return (await this.provider.getCode(address)) !== '0x';
  }

  /** Where the deterministic deployer puts it: the address depends on nothing but the code. */
  addressOf(initCode: Hex): Address {
    return getCreate2Address(DETERMINISTIC_DEPLOYER, SALT, keccak256(initCode)).toLowerCase() as Address;
  }

  /**
   * Deploys through the deterministic deployer.
   *
   * @returns where it is, and the block it was deployed in; undefined when it was there already
   */
  async deploy(initCode: Hex): Promise<{ address: Address; blockNumber: number | undefined }> {
    const address = this.addressOf(initCode);
    if (await this.hasCode(address)) return { address, blockNumber: undefined };
    if (!(await this.hasCode(DETERMINISTIC_DEPLOYER))) {
      throw new UsageError(`chain ${this.chainId} has no deterministic deployer at ${DETERMINISTIC_DEPLOYER}`);
    }
    const blockNumber = await this.send({ to: DETERMINISTIC_DEPLOYER, data: `${SALT}${initCode.slice(2)}` });
    if (!(await this.hasCode(address))) throw new Error('nothing was deployed: the constructor reverted');
    return { address, blockNumber };
  }

  /** @returns the block it is in @throws when it reverts, or is not in a block within five minutes */
  async send(transaction: TransactionRequest): Promise<number> {
    const sent = await this.payer.sendTransaction(transaction);
    const receipt = await this.provider.waitForTransaction(sent.hash, 1, RECEIPT_WITHIN_MS);
    if (receipt?.status !== 1) throw new Error(`transaction ${sent.hash} failed`);
    return receipt.blockNumber;
  }

  close(): void {
    this.provider.destroy();
  }

  private get payer(): Wallet | HDNodeWallet {
    if (!this.wallet) throw new Error('this command was opened without a key');
    return this.wallet;
  }
}

/** Asked first and by hand: a provider would ask a node that is not there for ever. */
async function chainIdOf(url: string): Promise<number> {
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    const chainId = Number(((await answer.json()) as { result?: unknown }).result);
    if (Number.isSafeInteger(chainId) && chainId > 0) return chainId;
  } catch {
    // Said below, without the URL: it may hold a key.
  }
  throw new UsageError('--rpc-url: the node does not answer eth_chainId');
}
