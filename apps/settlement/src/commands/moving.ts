import type { ChainConfig } from '@paymaster/chain';
import type { Address } from '@paymaster/domain';
import type { FinalBalance, TimedBlockRef } from '@paymaster/ledger/settlement';
import { formatEther } from 'ethers';
import { eachBounded } from '../reconciliation/reconcile-chain';
import { ViewsAtBlock } from '../following/views-at-block';
import type { CommandContext } from './command-context';
import { dateOf, sayStep, type Step } from './next-step';

/** A move from one contract to the next. */
interface Move {
  readonly version: string;
  readonly entryPoint: Address;
  readonly from: Address;
  readonly to: Address;
  /** Before the switch wallets fill the next contract; after it they empty the old one. */
  readonly phase: 'filling' | 'draining';
}

/** What a wallet has in both contracts. Amounts in wei, on chain at the books' head unless said otherwise. */
interface Account extends FinalBalance {
  readonly onChainWei: bigint;
  readonly strandedWei: bigint;
  /** Fees that the wallet has paid and that are not collected yet. */
  readonly feesWei: bigint;
  /** Recorded for operations that no `postOp` settled. Only the contract's owner knows how much of it is left. */
  readonly unsettledWei: bigint;
  readonly requestedWei: bigint;
  readonly executableAtSeconds: bigint;
  readonly onNextWei: bigint;
}

type Context = Pick<CommandContext, 'books' | 'sourceOf' | 'say'>;

/**
 * Says how far a chain's moves from one paymaster contract to the next are: how much each wallet has in which contract,
 * and what its owner sends next. Needs no key and changes nothing.
 *
 * @returns whether nothing is left to do: the next contract is filled, the draining ones are empty
 */
export async function showMoves({ books, sourceOf, say }: Context, chain: ChainConfig): Promise<boolean> {
  const moves = movesOf(chain);
  if (moves.length === 0) {
    say(`Chain ${chain.chainId}: chains.json names no nextPaymaster and no drainingPaymasters.`);
    return true;
  }
  const cursor = await books.cursor(chain.chainId);
  if (!cursor) throw new Error(`The books of chain ${chain.chainId} were never opened.`);
  const balances = await books.finalBalances(chain.chainId);
  const { head } = cursor;
  say(`Chain ${chain.chainId} at block ${head.number} of ${dateOf(BigInt(head.timeSeconds))}`);
  const views = new ViewsAtBlock(sourceOf(chain), head.hash);
  let isDone = true;
  for (const move of moves) isDone = (await showMove(move, { views, head, balances, say, chain })) && isDone;
  return isDone;
}

function movesOf({ entryPoints }: ChainConfig): readonly Move[] {
  return Object.entries(entryPoints).flatMap(
    ([version, { entryPoint, paymaster, nextPaymaster, drainingPaymasters = [] }]): Move[] => [
      ...drainingPaymasters.map((from): Move => ({ version, entryPoint, from, to: paymaster, phase: 'draining' })),
      ...(nextPaymaster
        ? [{ version, entryPoint, from: paymaster, to: nextPaymaster, phase: 'filling' } as const]
        : []),
    ],
  );
}

interface Shown {
  readonly views: ViewsAtBlock;
  readonly head: TimedBlockRef;
  readonly balances: readonly FinalBalance[];
  readonly say: (line: string) => void;
  readonly chain: ChainConfig;
}

async function showMove(move: Move, shown: Shown): Promise<boolean> {
  const { views, say, chain } = shown;
  const { version, from, to, phase } = move;
  const coins = (wei: bigint) => `${formatEther(wei)} ${chain.nativeSymbol}`;
  say('');
  if (phase === 'filling') {
    say(`EntryPoint v${version}: operations are signed for ${from}; ${to} comes next`);
    if (!(await views.isDeployed(to))) {
      say('  it is not deployed yet: settlement follows it already, so deploy it now');
      return false;
    }
  } else say(`EntryPoint v${version}: ${from} drains; operations are signed for ${to}`);

  const accounts = await readAccounts(move, shown);
  const open = accounts.filter((account) => (phase === 'filling' ? isUnfilled(account) : !isEmpty(account)));
  const windowSeconds = await views.withdrawalWindowSeconds(from);
  for (const account of open) {
    const { wallet, onChainWei, heldWei, strandedWei, unsettledWei, requestedWei, onNextWei } = account;
    say(`  wallet ${wallet}`);
    say(
      `    old ${coins(onChainWei)}, in flight ${coins(heldWei)}, stranded ${coins(strandedWei)}; new ${coins(onNextWei)}`,
    );
    if (requestedWei > 0n)
      say(`    withdrawal of ${coins(requestedWei)} requested, due ${dateOf(account.executableAtSeconds)}`);
    if (unsettledWei > 0n)
      say(
        `    unsettled ${coins(unsettledWei)}: the contract's owner states what of it is left (\`ledger unsettled\`)`,
      );
    const nowSeconds = BigInt(shown.head.timeSeconds);
    const steps = phase === 'filling' ? [fill(account, move)] : drain(account, { move, nowSeconds, windowSeconds });
    for (const step of steps) sayStep(step, say);
    if (steps.length === 0) say('    next: nothing; operations under way land or expire, and blocks become final');
  }
  if (phase === 'filling') {
    say(`  ${open.length} of ${accounts.length} wallets have nothing in the next contract`);
    return open.length === 0;
  }
  const isWithoutFees = await showFees(move, { ...shown, accounts, coins });
  const isDone = open.length === 0 && isWithoutFees;
  say(
    isDone
      ? `  EMPTY: ${from} may be taken out of drainingPaymasters`
      : `  NOT EMPTY: ${open.length} of ${accounts.length} wallets have something left; ${from} stays in drainingPaymasters`,
  );
  return isDone;
}

/** The wallets that the books know in the old contract, the richest first. */
async function readAccounts({ from, to, phase }: Move, { views, balances }: Shown): Promise<readonly Account[]> {
  const accounts: Account[] = [];
  await eachBounded(
    balances.filter(({ contract }) => contract === from),
    async (balance) => {
      const { wallet } = balance;
      const [onChainWei, strandedWei, feesWei, unsettledWei, withdrawal, onNextWei] = await Promise.all([
        views.wei(from, 'balanceOf(address)', wallet),
        views.wei(from, 'strandedOf(address)', wallet),
        views.weiIfKnown(from, 'feesOf(address)', wallet),
        views.weiIfKnown(from, 'unsettledOf(address)', wallet),
        views.withdrawal(from, wallet),
        views.wei(to, 'balanceOf(address)', wallet),
      ]);
      accounts.push({ ...balance, onChainWei, strandedWei, feesWei, unsettledWei, ...withdrawal, onNextWei });
    },
  );
  const ofInterest = phase === 'filling' ? accounts.filter((account) => !isEmpty(account)) : accounts;
  return [...ofInterest].sort((a, b) => (a.onChainWei === b.onChainWei ? 0 : a.onChainWei < b.onChainWei ? 1 : -1));
}

/** Whether the old contract is empty, by the chain and by the books, and no signed operation can still land on it. */
function isEmpty({ balanceWei, heldWei, onChainWei, strandedWei, unsettledWei }: Account): boolean {
  return [balanceWei, heldWei, onChainWei, strandedWei, unsettledWei].every((amountWei) => amountWei === 0n);
}

function isUnfilled({ onNextWei }: Account): boolean {
  return onNextWei === 0n;
}

function fill({ wallet }: Account, { to }: Move): Step {
  return { who: 'anybody', to, call: 'depositFor', args: [wallet], note: 'with what the wallet is to have there' };
}

function drain(
  { wallet, onChainWei, strandedWei, requestedWei, executableAtSeconds }: Account,
  at: { readonly move: Move; readonly nowSeconds: bigint; readonly windowSeconds: bigint | undefined },
): readonly Step[] {
  const { from, to } = at.move;
  const steps: Step[] = [];
  if (strandedWei > 0n) steps.push({ who: 'anybody', to: from, call: 'returnStranded', args: [wallet] });
  if (onChainWei === 0n) return steps;
  const endsAtSeconds = at.windowSeconds === undefined ? undefined : executableAtSeconds + at.windowSeconds;
  const isVoid = endsAtSeconds !== undefined && at.nowSeconds >= endsAtSeconds;
  if (requestedWei === 0n || isVoid) {
    const note = requestedWei === 0n ? 'operations under way still land' : 'the request before has ended';
    return [...steps, { who: wallet, to: from, call: 'requestWithdrawal', args: [onChainWei], note }];
  }
  const until = endsAtSeconds === undefined ? '' : `, until ${dateOf(endsAtSeconds)}`;
  const when = at.nowSeconds < executableAtSeconds ? `from ${dateOf(executableAtSeconds)} on` : 'now';
  return [
    ...steps,
    { who: wallet, to: from, call: 'executeWithdrawal', args: [wallet], note: `${when}${until}` },
    { who: 'anybody', to, call: 'depositFor', args: [wallet], note: 'with what came out, or as much as is wanted' },
  ];
}

/** The operator's own income, and the part of the deposit that belongs to no wallet. */
async function showFees(
  { entryPoint, from }: Move,
  { views, say, accounts, coins }: Shown & { accounts: readonly Account[]; coins: (wei: bigint) => string },
): Promise<boolean> {
  const payers = accounts.filter((account) => account.feesWei > 0n);
  if (payers.length > 0)
    sayStep({ who: 'anybody', to: from, call: 'collectFees', args: [payers.map(({ wallet }) => wallet)] }, say);
  const uncollectedWei = payers.reduce((sum, account) => sum + account.feesWei, 0n);
  const collectedWei = await views.wei(from, 'feeBalance()');
  const feesWei = collectedWei + uncollectedWei;
  if (collectedWei > 0n) {
    const owner = await views.owner(from);
    say(`  fees ${coins(collectedWei)}`);
    sayStep({ who: owner, to: from, call: 'withdrawFees', args: [owner, collectedWei] }, say);
  }
  const depositWei = await views.wei(entryPoint, 'balanceOf(address)', from);
  const restWei = accounts.reduce((rest, { onChainWei, strandedWei }) => rest - onChainWei - strandedWei, depositWei);
  if (restWei > feesWei)
    say(
      `  ${coins(restWei - feesWei)} of its EntryPoint deposit are of no wallet (docs/operations/moving-contracts.md)`,
    );
  return feesWei === 0n;
}
