import type { ChainConfig } from '@paymaster/chain';
import { formatEther } from 'ethers';
import { ViewsAtBlock } from '../following/views-at-block';
import { unsettledRecords, type UnsettledRecord } from '../reconciliation/unsettled-records';
import type { CommandContext } from './command-context';
import { dateOf, sayStep } from './next-step';

/**
 * Says what failed batch approvals left locked, what the EntryPoint took of it, and what the owner of the contract sends
 * to free the rest. Needs no key and changes nothing.
 *
 * @returns whether nothing is locked and nothing waits
 */
export async function showUnsettled(
  { books, sourceOf, say }: Pick<CommandContext, 'books' | 'sourceOf' | 'say'>,
  chain: ChainConfig,
): Promise<boolean> {
  const source = sourceOf(chain);
  const { block, records } = await unsettledRecords({ books, chain, source });
  say(`Chain ${chain.chainId} at final block ${block.number} of ${dateOf(BigInt(block.timeSeconds))}`);
  const views = new ViewsAtBlock(source, block.hash);
  const coins = (wei: bigint) => `${formatEther(wei)} ${chain.nativeSymbol}`;
  for (const record of records) {
    const { contract, creditableAtSeconds } = record;
    const isWaiting = creditableAtSeconds !== undefined && creditableAtSeconds > 0n;
    const delaysOthers = isWaiting && !(await views.hasDateOfEachStatement(contract));
    sayRecord(record, { say, coins, delaysOthers, owner: await views.owner(contract) });
  }
  if (records.length === 0) say('Nothing is unsettled.');
  return records.length === 0;
}

function sayRecord(
  { contract, wallet, recordedWei, strandedWei, statement, creditableAtSeconds }: UnsettledRecord,
  shown: {
    readonly say: (line: string) => void;
    readonly coins: (wei: bigint) => string;
    readonly owner: string;
    /** A new statement would start the wait of the earlier ones anew. */
    readonly delaysOthers: boolean;
  },
): void {
  const { say, coins, owner, delaysOthers } = shown;
  say(`  wallet ${wallet} in ${contract}`);
  say(`    unsettled ${coins(recordedWei)}, stranded ${coins(strandedWei)}`);
  for (const { userOpHash, blockNumber, actualGasCostWei } of statement?.operations ?? [])
    say(`    operation ${userOpHash} of block ${blockNumber}: the EntryPoint took ${coins(actualGasCostWei)}`);
  if (strandedWei > 0n) sayStep({ who: 'anybody', to: contract, call: 'returnStranded', args: [wallet] }, say);
  if (recordedWei > 0n && statement) {
    const args = [wallet, recordedWei, statement.returnedWei];
    const note = delaysOthers
      ? 'after creditUnsettled: it would start the wait of the statement before anew'
      : 'once: it is shown until its block is final';
    sayStep({ who: `the owner ${owner}`, to: contract, call: 'returnUnsettled', args, note }, say);
  }
  if (recordedWei > 0n && !statement)
    say('    it is not plain for which operations: see docs/operations/runbooks/precharges-unsettled.md');
  if (creditableAtSeconds === undefined) return;
  const note = creditableAtSeconds === 0n ? 'now' : `from ${dateOf(creditableAtSeconds)} on`;
  sayStep({ who: 'anybody', to: contract, call: 'creditUnsettled', args: [wallet], note }, say);
}
