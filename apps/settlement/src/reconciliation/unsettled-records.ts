import {
  decodePaymasterAndData,
  isTokenFields,
  ServedContracts,
  signedPaymasterAndDataOf,
  type BundledOperation,
  type ChainConfig,
} from '@paymaster/chain';
import { prechargeWei, type Address } from '@paymaster/domain';
import type { SettlementBooks, TimedBlockRef, UnsettledOperation } from '@paymaster/ledger/settlement';
import type { ChainSource } from '../following/chain-source';
import { ViewsAtBlock } from '../following/views-at-block';
import { eachBounded } from './reconcile-chain';

/** What operations whose `postOp` was undone left behind of a wallet's money in one contract. Amounts in wei. */
export interface UnsettledRecord {
  readonly contract: Address;
  readonly wallet: Address;
  /** Locked until the contract's owner states what of it the EntryPoint did not take. */
  readonly recordedWei: bigint;
  /** Anybody may return this part. */
  readonly strandedWei: bigint;
  /** What the owner has to state; undefined: which operations the record is for cannot be told. */
  readonly statement: UnsettledStatement | undefined;
  /** When the oldest statement can be credited, unix seconds; 0: now; undefined: none waits. */
  readonly creditableAtSeconds: bigint | undefined;
}

/** What is left of the whole record. */
interface UnsettledStatement {
  /** What the EntryPoint did not take of the record; wei. */
  readonly returnedWei: bigint;
  /** The operations that the record is for, the newest first. */
  readonly operations: readonly UnsettledOperation[];
}

interface UnsettledRequest {
  readonly books: Pick<SettlementBooks, 'cursor' | 'unsettledOperations'>;
  readonly chain: Pick<ChainConfig, 'chainId' | 'entryPoints'>;
  readonly source: Pick<ChainSource, 'callAt' | 'bundled'>;
}

/**
 * Reads what is unsettled on a chain at the books' final block, and works out the statements. Only wallets are looked at
 * of which the books know an operation whose `postOp` was undone.
 *
 * @returns the block, and the records that are not empty
 * @throws when the chain's books were never opened, or the chain cannot be read
 */
export async function unsettledRecords({
  books,
  chain,
  source,
}: UnsettledRequest): Promise<{ block: TimedBlockRef; records: readonly UnsettledRecord[] }> {
  const cursor = await books.cursor(chain.chainId);
  if (!cursor) throw new Error(`The books of chain ${chain.chainId} were never opened.`);
  const { final } = cursor;
  const { paymasters } = new ServedContracts(chain.entryPoints);
  const accounts = new Map<string, UnsettledOperation[]>();
  for (const operation of await books.unsettledOperations(chain.chainId)) {
    // Blocks may have become final since the cursor was read.
    if (operation.blockNumber > final.number || !paymasters.includes(operation.contract)) continue;
    const key = `${operation.contract} ${operation.wallet}`;
    accounts.set(key, [...(accounts.get(key) ?? []), operation]);
  }
  const views = new ViewsAtBlock(source, final.hash);
  const records: UnsettledRecord[] = [];
  await eachBounded([...accounts.values()], async (operations) => {
    const { contract, wallet } = operations[0]!;
    const [recordedWei, strandedWei, creditableAtSeconds] = await Promise.all([
      views.weiIfKnown(contract, 'unsettledOf(address)', wallet),
      views.wei(contract, 'strandedOf(address)', wallet),
      views.creditableAtSeconds(contract, wallet),
    ]);
    if (recordedWei === 0n && strandedWei === 0n && creditableAtSeconds === undefined) return;
    const statement = await statementOf({ operations, recordedWei, source });
    records.push({ contract, wallet, recordedWei, strandedWei, statement, creditableAtSeconds });
  });
  return { block: final, records };
}

/**
 * An owner states old records first or all together, so what is left is for the newest operations. Their records have to
 * add up to it exactly; else nothing is said.
 */
async function statementOf({
  operations,
  recordedWei,
  source,
}: {
  operations: readonly UnsettledOperation[];
  recordedWei: bigint;
  source: Pick<ChainSource, 'bundled'>;
}): Promise<UnsettledStatement | undefined> {
  const stated: UnsettledOperation[] = [];
  let [leftWei, returnedWei] = [recordedWei, recordedWei];
  for (const operation of operations) {
    if (leftWei <= 0n) break;
    const ofItWei = await recordOf(operation, source);
    if (ofItWei === undefined) return undefined;
    if (ofItWei === 0n) continue;
    stated.push(operation);
    leftWei -= ofItWei;
    returnedWei -= operation.actualGasCostWei;
  }
  if (leftWei !== 0n || returnedWei < 0n) return undefined;
  return { returnedWei, operations: stated };
}

/**
 * What the contract has recorded for an operation: its precharge without the part that no EntryPoint can take.
 *
 * @returns undefined where the operation is not found in its transaction, or would have had another precharge
 */
async function recordOf(
  operation: UnsettledOperation,
  source: Pick<ChainSource, 'bundled'>,
): Promise<bigint | undefined> {
  const { entryPointVersion: version, chargedWei } = operation;
  const bundled = await source.bundled({ ...operation, version });
  const terms = bundled && termsOf(bundled);
  if (!terms) return undefined;
  const { isRecorded, unaccountedGas, ...price } = terms;
  if (prechargeWei({ version, ...price, unaccountedGas }) !== chargedWei) return undefined;
  return isRecorded ? prechargeWei({ version, ...price, unaccountedGas: 0n }) : 0n;
}

function termsOf({ complete }: BundledOperation) {
  const { operation, paymaster } = complete;
  if (!paymaster) return undefined;
  try {
    const wholeField = signedPaymasterAndDataOf(complete);
    const { sponsorFields } = decodePaymasterAndData(operation.entryPointVersion, wholeField);
    return {
      isRecorded: isTokenFields(sponsorFields) && sponsorFields.way === 'batchApproval',
      limits: { ...operation, ...paymaster },
      maxFeePerGas: operation.maxFeePerGas,
      unaccountedGas: sponsorFields.unaccountedGas,
      feeMarkupMillionths: sponsorFields.feeMarkupMillionths,
    };
  } catch (error) {
    // Not the bytes that our contract takes.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
