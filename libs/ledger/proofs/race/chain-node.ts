import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { AppliedBlock, BlockHeader } from '../../src/settlement';
import type { ModelChain } from '../../src/settlement/testing/model-chain';
import { REORG_WINDOW } from './race-world';

/** A block's place in the chain and in time. */
export interface ChainHead {
  readonly number: number;
  readonly timeSeconds: number;
}

const BLOCKS_PER_ANSWER = 100;

/** Serves the model chain to other processes over HTTP. Each answer shows the chain at one moment. */
export class ChainNode {
  private readonly server: Server;

  constructor(private readonly chain: ModelChain) {
    this.server = createServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://node');
      response.end(
        pathname === '/head' ? write(this.head()) : write(this.blocks(BigInt(searchParams.get('from') ?? 0))),
      );
    });
    // Only the client ends an idle connection: a process that was stopped will send its next request on the connection
    // that it still has.
    this.server.keepAliveTimeout = 0;
  }

  /** @returns its URL */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private head() {
    const { number, timeSeconds } = this.chain.head;
    return { number: Number(number), timeSeconds };
  }

  private blocks(from: bigint): ChainView {
    const deepest = this.chain.head.number - BigInt(REORG_WINDOW);
    const final = this.chain.blockAt(deepest < this.chain.genesis.number ? this.chain.genesis.number : deepest)!.block;
    const blocks = Array.from({ length: BLOCKS_PER_ANSWER }, (_, index) => this.chain.blockAt(from + BigInt(index)));
    return { final, blocks: blocks.filter((block) => block !== undefined) };
  }
}

/** The final block, and the blocks from a number on. */
export interface ChainView {
  readonly final: BlockHeader;
  readonly blocks: readonly AppliedBlock[];
}

export const readHead = (nodeUrl: string): Promise<ChainHead> => read(`${nodeUrl}/head`);
export const readBlocks = (nodeUrl: string, from: bigint): Promise<ChainView> => read(`${nodeUrl}/blocks?from=${from}`);

const agent = new Agent({ keepAlive: true });

/** Not with `fetch`, which each process would have to load first. */
async function read<T>(url: string): Promise<T> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent }, resolve).on('error', reject);
  });
  return JSON.parse(await text(answer), (_key, value: unknown) =>
    typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value,
  ) as T;
}

const write = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
