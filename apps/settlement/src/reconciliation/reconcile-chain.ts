import { ServedContracts, type ChainConfig } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import type { BlockRef, FinalBalance, Finding, SettlementBooks } from '@paymaster/ledger/settlement';
import type { ChainSource } from '../following/chain-source';
import { ViewsAtBlock } from '../following/views-at-block';
import { walletsOfTurn } from './wallets-of-turn';

export interface ReconcileRequest {
  readonly books: Pick<SettlementBooks, 'cursor' | 'recordReconciliation'> & {
    finalBalances(chainId: number): Promise<readonly Balance[]>;
  };
  readonly chain: Pick<ChainConfig, 'chainId' | 'entryPoints'>;
  readonly source: Pick<ChainSource, 'callAt'>;
  /** Which turn this is: only the richest wallets and its share of the others are read. Absent: all are read. */
  readonly turn?: number;
}

export interface Reconciliation {
  /** The final block at which both sides were read. */
  readonly block: BlockRef;
  /** How many wallets were read on the chain. */
  readonly wallets: number;
  /** The differences; empty when books and chain agree. */
  readonly findings: readonly Finding[];
}

/** A wallet's balance in the books. */
type Balance = Pick<FinalBalance, 'contract' | 'wallet' | 'balanceWei'>;

/** How often the books are read again when a block became final during the read. */
const SNAPSHOT_ATTEMPTS = 20;
const CONCURRENT_READS = 8;

/**
 * Compares the books of a chain with the chain, at the books' final block. It compares wallets' balances with the
 * contract's (all of them, or those of `turn`), and checks that the deposit of each contract covers what it owes. It
 * records what it found, and repairs nothing.
 *
 * @param request `turn` bounds what is read: the richest wallets, and some others in turn
 *
 * @throws when the chain's books were never opened, or the chain cannot be read
 */
export async function reconcileChain({ books, chain, source, turn }: ReconcileRequest): Promise<Reconciliation> {
  const { block, balances } = await snapshot(books, chain.chainId);
  const views = new ViewsAtBlock(source, block.hash);
  const findings: Finding[] = [];
  let wallets = 0;
  for (const contract of new ServedContracts(chain.entryPoints).all) {
    const own = balances.filter((balance) => balance.contract === contract.paymaster);
    // A next contract is followed before it is deployed; until then there is nothing to compare.
    if (!contract.isSignedFor && own.length === 0 && !(await views.isDeployed(contract.paymaster))) continue;
    const { compared, believed } = turn === undefined ? { compared: own, believed: [] } : walletsOfTurn(own, turn);
    findings.push(...(await compareContract({ views, ...contract, compared, believed })));
    wallets += compared.length;
  }
  findings.push(...balancesOfRemovedContracts(chain, balances));
  await books.recordReconciliation({ chainId: chain.chainId, blockNumber: block.number, findings });
  return { block, wallets, findings };
}

/** The balances and their block. They are read again when a block became final in between. */
async function snapshot(
  books: ReconcileRequest['books'],
  chainId: number,
): Promise<{ block: BlockRef; balances: readonly Balance[] }> {
  for (let attempt = 1; attempt <= SNAPSHOT_ATTEMPTS; attempt++) {
    const before = await books.cursor(chainId);
    if (!before) throw new Error(`The books of chain ${chainId} were never opened.`);
    const balances = await books.finalBalances(chainId);
    const after = await books.cursor(chainId);
    if (after?.final.hash === before.final.hash) return { block: before.final, balances };
  }
  throw new Error(`Blocks of chain ${chainId} become final faster than its balances can be read.`);
}

async function compareContract(contract: {
  views: ViewsAtBlock;
  paymaster: Address;
  entryPoint: Address;
  compared: readonly Balance[];
  /** Wallets that are not read this time count with their balance in the books. */
  believed: readonly Balance[];
}): Promise<readonly Finding[]> {
  const { views, paymaster, entryPoint, compared, believed } = contract;
  const findings: Finding[] = [];
  let owedWei = await views.wei(paymaster, 'feeBalance()');
  for (const { balanceWei } of believed) owedWei += balanceWei;
  await eachBounded(compared, async ({ wallet, balanceWei }) => {
    const [onChainWei, strandedWei, feesWei] = await Promise.all([
      views.wei(paymaster, 'balanceOf(address)', wallet),
      views.wei(paymaster, 'strandedOf(address)', wallet),
      views.weiIfKnown(paymaster, 'feesOf(address)', wallet),
    ]);
    owedWei += onChainWei + strandedWei + feesWei;
    if (onChainWei === balanceWei) return;
    findings.push({
      what: `balance of ${wallet} in ${paymaster}`,
      expected: `${onChainWei} wei, as the contract says`,
      found: `${balanceWei} wei in the books`,
    });
  });
  const depositWei = await views.wei(entryPoint, 'balanceOf(address)', paymaster);
  if (owedWei > depositWei) {
    findings.push({
      what: `deposit of ${paymaster} in EntryPoint ${entryPoint}`,
      expected: `at least ${owedWei} wei: wallets, fees and stranded precharges`,
      found: `${depositWei} wei`,
    });
  }
  return findings;
}

/** Balances in contracts that chains.json no longer names. */
function balancesOfRemovedContracts(
  chain: ReconcileRequest['chain'],
  balances: readonly Balance[],
): readonly Finding[] {
  const { paymasters } = new ServedContracts(chain.entryPoints);
  return balances
    .filter(({ contract, balanceWei }) => !paymasters.includes(contract) && balanceWei > 0n)
    .map(({ contract, wallet, balanceWei }) => ({
      what: `balance of ${wallet} in ${contract}`,
      expected: 'a contract that chains.json names',
      found: `${balanceWei} wei in the books`,
    }));
}

/** Runs the work for all items, a few at a time. */
export async function eachBounded<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += CONCURRENT_READS) {
    await Promise.all(items.slice(start, start + CONCURRENT_READS).map(work));
  }
}
