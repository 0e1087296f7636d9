import {
  createPublicClient,
  custom,
  encodeDeployData,
  encodeFunctionData,
  type Abi,
  type PublicClient,
  type TransactionReceipt,
} from 'viem';
import { DEV_KEYS, rpc } from '@paymaster/devnet';
import { normalizeAddress, type Address, type Hex } from '@paymaster/domain';
import { testContracts, type TestContract } from './compile-contracts';

/** One call of a contract, by its ABI. */
export interface ContractCall {
  readonly to: Address;
  readonly abi: Abi;
  readonly name: string;
  readonly args?: readonly unknown[];
}

const TRANSACTION_GAS = '0x1c9c380';
const GAS_PRICE_WEI = 3_000_000_000n;

/**
 * Helpers to deploy, send, mine and read on a local chain. Every transaction is mined at once, in its own block. The
 * sender is a key that the gateway does not know.
 */
export class TokenChain {
  readonly reader: PublicClient;
  /** Pays for all gas here, and bundles the operations. */
  readonly outsider = normalizeAddress(DEV_KEYS.bundlerExecutor.address);

  constructor(readonly rpcUrl: string) {
    const request = ({ method, params = [] }: { method: string; params?: readonly unknown[] }): Promise<unknown> =>
      rpc(rpcUrl, method, params);
    this.reader = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) });
  }

  /** Sends a transaction and mines it. @throws when it reverts */
  async send({ to, data }: { to?: Address; data: Hex }): Promise<TransactionReceipt> {
    const gasPrice = `0x${GAS_PRICE_WEI.toString(16)}`;
    const transaction = { from: this.outsider, ...(to && { to }), data, gas: TRANSACTION_GAS, gasPrice };
    const hash = await rpc<Hex>(this.rpcUrl, 'eth_sendTransaction', [transaction]);
    await this.mine();
    const receipt = await this.reader.getTransactionReceipt({ hash });
    if (receipt.status !== 'success') throw new Error(`transaction ${hash} reverted`);
    return receipt;
  }

  call({ to, abi, name, args = [] }: ContractCall): Promise<TransactionReceipt> {
    return this.send({ to, data: encodeFunctionData({ abi, functionName: name, args }) });
  }

  read<T>({ to, abi, name, args = [] }: ContractCall): Promise<T> {
    return this.reader.readContract({ address: to, abi, functionName: name, args }) as Promise<T>;
  }

  async deploy({ abi, bytecode }: TestContract, args: readonly unknown[] = []): Promise<Address> {
    const { contractAddress } = await this.send({ data: encodeDeployData({ abi, bytecode, args }) });
    return normalizeAddress(contractAddress ?? '');
  }

  async mine(blocks = 1): Promise<void> {
    await rpc(this.rpcUrl, 'anvil_mine', [`0x${blocks.toString(16)}`]);
  }

  /** Winds the chain's clock forward, and mines a block. */
  async passSeconds(seconds: number): Promise<void> {
    await rpc(this.rpcUrl, 'evm_increaseTime', [seconds]);
    await this.mine();
  }

  async nowSeconds(): Promise<number> {
    return Number((await this.reader.getBlock()).timestamp);
  }

  /** An account that accepts any signature, with an owner who signs permits. */
  newAccount(owner: Address = this.outsider): Promise<Address> {
    return this.deploy(testContracts().TokenAccount, [owner]);
  }

  /** A token whose faults everybody can turn on and off. */
  newToken(decimals: number): Promise<Address> {
    return this.deploy(testContracts().WeirdToken, [decimals]);
  }

  newTrap(): Promise<Address> {
    return this.deploy(testContracts().Trap);
  }

  /** Has an account call a contract outside of any operation. */
  asAccount(account: Address, { to, abi, name, args = [] }: ContractCall): Promise<TransactionReceipt> {
    const data = encodeFunctionData({ abi, functionName: name, args });
    return this.call({ to: account, abi: testContracts().TokenAccount.abi, name: 'execute', args: [to, 0n, data] });
  }
}
