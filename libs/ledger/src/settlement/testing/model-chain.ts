import type { Address, ChainEvent, Hex, OperationEvent, UnpaidInTokens } from '@paymaster/domain';
import type { AppliedBlock, BlockHeader } from '../settlement-books';

/** A funding wallet as the contract keeps it. */
export interface ModelWallet {
  readonly balanceWei: bigint;
  readonly requestedWei: bigint;
  /** When the request can be executed, unix seconds. */
  readonly executableAt: number;
}

/** An operation for which the gateway has given a signature. */
export interface ModelOperation {
  readonly userOpHash: Hex;
  readonly contract: Address;
  readonly wallet: Address;
  readonly entryPoint: Address;
  readonly sender: Address;
  readonly nonce: bigint;
  readonly prechargeWei: bigint;
  readonly validUntilSeconds: number;
}

interface ModelBlock extends AppliedBlock {
  /** State after the block; never changed once the next block is there. */
  readonly wallets: Map<string, ModelWallet>;
  /** The operations of this block. */
  readonly usedNonces: Set<string>;
}

type EventBody<T = ChainEvent> = T extends ChainEvent ? Omit<T, 'logIndex' | 'transactionHash'> : never;

const EMPTY: ModelWallet = { balanceWei: 0n, requestedWei: 0n, executableAt: 0 };
export const WITHDRAWAL_DELAY_SECONDS = 3_600;

export const hex = (bytes: number, value: number | bigint): Hex =>
  `0x${BigInt(value)
    .toString(16)
    .padStart(bytes * 2, '0')}`;

/** A chain with the contract's rules of money, in plain TypeScript: what the ledger must agree with. */
export class ModelChain {
  private readonly blocks: ModelBlock[] = [];
  private readonly usedNonces = new Set<string>();
  private hashes = 0;

  constructor(readonly genesis: BlockHeader) {
    this.blocks.push({ block: genesis, events: [], wallets: new Map(), usedNonces: new Set() });
  }

  get head(): BlockHeader {
    return this.top.block;
  }

  blockAt(number: bigint): AppliedBlock | undefined {
    return this.modelBlockAt(number);
  }

  /** A wallet as of the end of a block. */
  walletAt(number: bigint, account: { contract: Address; wallet: Address }): ModelWallet {
    return this.modelBlockAt(number)?.wallets.get(accountKey(account)) ?? EMPTY;
  }

  /** Opens the next block; later calls act in it. */
  mine(secondsLater: number): void {
    const { block, wallets } = this.top;
    const header: BlockHeader = {
      number: block.number + 1n,
      hash: hex(32, ++this.hashes),
      parentHash: block.hash,
      timeSeconds: block.timeSeconds + secondsLater,
    };
    this.blocks.push({ block: header, events: [], wallets: new Map(wallets), usedNonces: new Set() });
  }

  /** Takes off the newest blocks. @returns the operations that were in them */
  undo(depth: number): readonly Hex[] {
    return this.blocks.splice(-depth).flatMap(({ events, usedNonces }) => {
      for (const nonce of usedNonces) this.usedNonces.delete(nonce);
      return operationsIn(events).map(({ userOpHash }) => userOpHash);
    });
  }

  wallet(account: { contract: Address; wallet: Address }): ModelWallet {
    return this.top.wallets.get(accountKey(account)) ?? EMPTY;
  }

  get accounts(): readonly string[] {
    return [...this.top.wallets.keys()];
  }

  deposit(account: { contract: Address; wallet: Address }, amountWei: bigint): void {
    this.change(account, ({ balanceWei }) => ({ balanceWei: balanceWei + amountWei }));
    this.emit({ kind: 'deposited', ...account, amountWei });
  }

  giveBack(account: { contract: Address; wallet: Address }, amountWei: bigint): void {
    this.change(account, ({ balanceWei }) => ({ balanceWei: balanceWei + amountWei }));
    this.emit({ kind: 'returned', ...account, amountWei });
  }

  requestWithdrawal(account: { contract: Address; wallet: Address }, amountWei: bigint): void {
    const executableAt = this.head.timeSeconds + WITHDRAWAL_DELAY_SECONDS;
    this.change(account, () => ({ requestedWei: amountWei, executableAt }));
    this.emit({ kind: 'withdrawalRequested', ...account, amountWei });
  }

  cancelWithdrawal(account: { contract: Address; wallet: Address }): void {
    if (this.wallet(account).requestedWei === 0n) return;
    this.change(account, () => ({ requestedWei: 0n }));
    this.emit({ kind: 'withdrawalCancelled', ...account });
  }

  executeWithdrawal(account: { contract: Address; wallet: Address }): void {
    const { requestedWei, balanceWei, executableAt } = this.wallet(account);
    if (requestedWei === 0n || this.head.timeSeconds < executableAt) return;
    const amountWei = requestedWei < balanceWei ? requestedWei : balanceWei;
    this.change(account, () => ({ requestedWei: 0n, balanceWei: balanceWei - amountWei }));
    this.emit({ kind: 'withdrawalExecuted', ...account, amountWei });
  }

  isUsed(operation: { entryPoint: Address; sender: Address; nonce: bigint }): boolean {
    return this.usedNonces.has(nonceKey(operation));
  }

  /** Whether the EntryPoint would take it into the present block. */
  isValid(operation: ModelOperation): boolean {
    return this.head.timeSeconds <= operation.validUntilSeconds && !this.isUsed(operation);
  }

  land(
    operation: ModelOperation,
    outcome: Pick<OperationEvent, 'chargedWei' | 'success' | 'paidInToken' | 'actualGasUsed'> & {
      unpaid?: UnpaidInTokens | undefined;
    },
  ): void {
    const { userOpHash, contract, wallet, entryPoint, sender, nonce, prechargeWei } = operation;
    this.change(operation, ({ balanceWei }) => ({ balanceWei: balanceWei - outcome.chargedWei }));
    this.markUsed(operation);
    this.emit({
      ...{ kind: 'operation', contract, wallet, userOpHash, entryPoint, entryPointVersion: '0.7', sender, nonce },
      ...{ prechargeWei, chargedWei: outcome.chargedWei, success: outcome.success },
      actualGasCostWei: outcome.chargedWei,
      ...(outcome.unpaid && { unpaid: outcome.unpaid }),
      ...('actualGasUsed' in outcome && { actualGasUsed: outcome.actualGasUsed }),
      ...('paidInToken' in outcome && { paidInToken: outcome.paidInToken }),
    });
  }

  useNonce(nonce: { entryPoint: Address; sender: Address; nonce: bigint }): void {
    this.markUsed(nonce);
    this.emit({ kind: 'nonceUsed', contract: nonce.entryPoint, ...nonce });
  }

  /** What every landed operation cost, by hash. */
  costs(): ReadonlyMap<string, bigint> {
    const operations = this.blocks.flatMap(({ events }) => operationsIn(events));
    return new Map(operations.map(({ userOpHash, chargedWei }) => [userOpHash, chargedWei]));
  }

  private modelBlockAt(number: bigint): ModelBlock | undefined {
    return this.blocks[Number(number - this.genesis.number)];
  }

  private get top(): ModelBlock {
    return this.blocks.at(-1)!;
  }

  private markUsed(nonce: { entryPoint: Address; sender: Address; nonce: bigint }): void {
    this.top.usedNonces.add(nonceKey(nonce));
    this.usedNonces.add(nonceKey(nonce));
  }

  private change(
    account: { contract: Address; wallet: Address },
    change: (wallet: ModelWallet) => Partial<ModelWallet>,
  ): void {
    const wallet = this.wallet(account);
    this.top.wallets.set(accountKey(account), { ...wallet, ...change(wallet) });
  }

  private emit(body: EventBody): void {
    const { events, block } = this.top;
    // Different for each block: another block of the same number has other transactions.
    const transactionHash = hex(32, BigInt(block.hash) * 1_000n);
    const event = { ...body, logIndex: events.length, transactionHash } as ChainEvent;
    (events as ChainEvent[]).push(event);
  }
}

export const accountKey = ({ contract, wallet }: { contract: Address; wallet: Address }): string =>
  `${contract} ${wallet}`;

const nonceKey = ({ entryPoint, sender, nonce }: { entryPoint: Address; sender: Address; nonce: bigint }): string =>
  `${entryPoint} ${sender} ${nonce}`;

const operationsIn = (events: readonly ChainEvent[]) => events.filter((event) => event.kind === 'operation');
