import type { Address, Hex } from '@paymaster/domain';
import { parseBytes, parseQuantity, toWord } from '../json-rpc/parse';
import type { TouchedSlot } from './access-list';
import type { AgreedChain } from './agreed-chain';
import type { AgreedRead } from './agreement';
import type { Block } from './block';
import type { BlockHeader } from './block-header';
import type { ChainProvider, EndpointStatus } from './chain-provider';
import type { EthCall } from './eth-call';
import { monotonicClock, type MonotonicClock } from './monotonic-clock';
import type { ProviderStatus } from './ranked-endpoint';

/** What has to be believed before anything is signed. One provider alone can answer it, or several that agree. */
export type ChainReads = Pick<ChainProvider, 'block' | 'ethCall' | 'code' | 'storageAt' | 'transactionCount'> & {
  /** How each provider does; for readiness and metrics. */
  status(): ReadonlyArray<EndpointStatus | ProviderStatus>;
};

/** How long the newest block that providers agreed on stands for now; milliseconds. */
const HEAD_STANDS_MS = 2_000;

/**
 * Reads a chain as more than half of its providers tell it, at a block that they agree on. So one provider that lies,
 * lags or hangs changes nothing that is signed.
 */
export class AgreedReads implements ChainReads {
  private head: { readonly header: BlockHeader; readonly atMs: number } | undefined;

  constructor(
    private readonly chain: AgreedChain,
    private readonly clock: MonotonicClock = monotonicClock,
  ) {}

  status(): readonly ProviderStatus[] {
    return this.chain.status();
  }

  async block(tag: 'latest' | 'pending', assertPlausible: (block: Block) => void = () => undefined): Promise<Block> {
    if (tag === 'pending') return this.chain.pending(assertPlausible);
    const { number, timeSeconds, baseFeePerGasWei } = await this.newestHeader();
    const block = { number, timestampSeconds: timeSeconds, baseFeePerGasWei };
    assertPlausible(block);
    return block;
  }

  async ethCall<T>(call: EthCall, parse: (returned: unknown) => T): Promise<T> {
    return parse(await this.chain.callAt(await this.blockHash(), call));
  }

  code(address: Address): Promise<Hex> {
    return this.stateOf('eth_getCode', [address], (value) => parseBytes(value, 'eth_getCode'));
  }

  storageAt({ address, slot }: TouchedSlot): Promise<Hex> {
    return this.stateOf('eth_getStorageAt', [address, slot], (value) =>
      toWord(parseQuantity(value, 'eth_getStorageAt')),
    );
  }

  transactionCount(address: Address): Promise<bigint> {
    return this.stateOf('eth_getTransactionCount', [address], (value) =>
      parseQuantity(value, 'eth_getTransactionCount'),
    );
  }

  private async stateOf<T extends Hex | bigint>(
    method: string,
    params: readonly unknown[],
    parse: AgreedRead<T>['parse'],
  ): Promise<T> {
    const blockHash = await this.blockHash();
    const key = (value: T) => String(value).toLowerCase();
    return this.chain.read({ method, params: [...params, { blockHash }], parse, key });
  }

  /** Of a block that enough providers have. */
  private async blockHash(): Promise<Hex> {
    const known = this.head && this.clock() - this.head.atMs < HEAD_STANDS_MS ? this.head.header : undefined;
    return (known ?? (await this.newestHeader())).hash;
  }

  private async newestHeader(): Promise<BlockHeader> {
    const atMs = this.clock();
    const header = await this.chain.head();
    this.head = { header, atMs };
    return header;
  }
}
