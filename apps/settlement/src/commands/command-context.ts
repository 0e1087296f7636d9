import { randomUUID } from 'node:crypto';
import { loadChainsFile, type ChainConfig } from '@paymaster/chain';
import { openSettlementBooks, type SettlementBooks } from '@paymaster/ledger/settlement';
import { BooksConfig } from '../config/books.config';
import { createPool } from '../database/pool';
import { LeaseKeeper } from '../following/lease-keeper';
import { openChainSource } from '../following/open-chain-source';
import type { ChainSource } from '../following/chain-source';

/** What a command works with. */
export interface CommandContext {
  readonly config: Readonly<BooksConfig>;
  readonly books: SettlementBooks;
  readonly chains: readonly ChainConfig[];
  sourceOf(chain: ChainConfig): ChainSource;
  leaseOf(chain: ChainConfig): LeaseKeeper;
  /** Writes a line for people. */
  readonly say: (line: string) => void;
}

/** Opens the books for one command, and closes them when the command has ended. */
export async function withBooks<T>(
  config: Readonly<BooksConfig>,
  use: (context: CommandContext) => Promise<T>,
): Promise<T> {
  const pool = createPool(config);
  const books = openSettlementBooks({ pool });
  const holder = `command-${randomUUID()}`;
  try {
    return await use({
      config,
      books,
      chains: loadChainsFile(config.chainsFile),
      sourceOf: (chain) => openChainSource(chain, () => undefined),
      leaseOf: ({ chainId }) => new LeaseKeeper({ books, chainId, holder, ttlMs: config.leaseTtlSeconds * 1_000 }),
      say: (line) => void process.stdout.write(`${line}\n`),
    });
  } finally {
    await pool.end();
  }
}
