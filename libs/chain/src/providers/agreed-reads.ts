import type { Address, Hex } from '@paymaster/domain';
import { monotonicClock, type MonotonicClock } from '@paymaster/turns';
import { parseBytes, parseQuantity, toWord } from '../json-rpc/parse';
import type { TouchedSlot } from './access-list';
import type { AgreedChain } from './agreed-chain';
import type { AgreedRead } from './agreement';
import type { Block } from './block';
import type { BlockHeader } from './block-header';
import type { ChainProvider, EndpointStatus } from './chain-provider';
import type { EthCall } from './eth-call';
import type { ProviderStatus } from './ranked-endpoint';

/** Reads that a gateway must rely on before it signs. A single provider can answer them, or several that agree. */
export type ChainReads = Pick<ChainProvider, 'block' | 'ethCall' | 'code' | 'storageAt'> & {
  /** The state of each provider; for readiness and metrics. */
  status(): ReadonlyArray<EndpointStatus | ProviderStatus>;
};

/** How long the newest agreed block counts as the block of now; milliseconds. */
const HEAD_STANDS_MS = 2_000;
/** The same for reads where a later change matters; milliseconds. */
const NEWER_MS = 250;

type StateRead<T> = Pick<AgreedRead<T>, 'method' | 'params' | 'parse'>;

/**
 * Reads a chain as more than half of its providers tell it, at a block on which they agree. So a provider that lies,
 * lags or hangs does not change what is signed.
 *
 * `deadlineMs` is that of the request that asks, by the monotonic clock. All requests share the block at which they
 * read, so the wait for that block does not end with one request's deadline.
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

  /** When an account has no code at a block of a moment ago, a newer block is read: the account may be that new. */
  async code(address: Address, deadlineMs?: number): Promise<Hex> {
    const parse = (value: unknown) => parseBytes(value, 'eth_getCode');
    const read = { method: 'eth_getCode', params: [address], parse };
    const blockHash = await this.blockHash();
    const code = await this.stateAt(blockHash, read, deadlineMs);
    if (code !== '0x') return code;
    const newer = await this.blockHash(NEWER_MS);
    return newer === blockHash ? code : this.stateAt(newer, read, deadlineMs);
  }

  storageAt({ address, slot }: TouchedSlot, deadlineMs?: number): Promise<Hex> {
    const parse = (value: unknown) => toWord(parseQuantity(value, 'eth_getStorageAt'));
    return this.stateOf({ method: 'eth_getStorageAt', params: [address, slot], parse }, deadlineMs);
  }

  private async stateOf<T extends Hex | bigint>(read: StateRead<T>, deadlineMs: number | undefined): Promise<T> {
    return this.stateAt(await this.blockHash(), read, deadlineMs);
  }

  private stateAt<T extends Hex | bigint>(
    blockHash: Hex,
    { method, params, parse }: StateRead<T>,
    deadlineMs: number | undefined,
  ): Promise<T> {
    const key = (value: T) => String(value).toLowerCase();
    return this.chain.read({ method, params: [...params, { blockHash }], parse, key }, deadlineMs);
  }

  /** A block that enough providers have. */
  private async blockHash(standsMs = HEAD_STANDS_MS): Promise<Hex> {
    const known = this.head && this.clock() - this.head.atMs < standsMs ? this.head.header : undefined;
    return (known ?? (await this.newestHeader())).hash;
  }

  private async newestHeader(): Promise<BlockHeader> {
    const atMs = this.clock();
    const header = await this.chain.head();
    this.head = { header, atMs };
    return header;
  }
}
