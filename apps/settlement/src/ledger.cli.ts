import 'reflect-metadata';
import type { ChainConfig } from '@paymaster/chain';
import type { Finding } from '@paymaster/ledger/settlement';
import { loadConfig, runCommand, UsageError } from '@paymaster/nest-kit';
import { withBooks, type CommandContext } from './commands/command-context';
import { showMoves } from './commands/moving';
import { resumeChain } from './commands/resume';
import { showUnsettled } from './commands/unsettled';
import { BooksConfig } from './config/books.config';
import { reconcileChain } from './reconciliation/reconcile-chain';

const HELP = `The books of settlement.

  status                    how far the books of every chain go, and whether they are halted
  reconcile --chain N       compares the books with the contracts' balances and EntryPoint deposits at the final block
  verify                    rebuilds every balance from its entries and open holds, and names each difference
  resume --chain N [--yes]  says what it takes to let a halted chain go on: which blocks the books would undo.
                            With --yes it undoes them and clears the halt. It never goes below a final block.
  moving --chain N          how far the move from one paymaster contract to the next is: what each wallet has in both,
                            what its owner sends next, and when the old contract may be taken out of chains.json
  unsettled --chain N       what failed batch approvals lock of whose money, what the EntryPoint took of it, and what the
                            contract's owner sends to free the rest
  republish                 marks every event that is kept as not published: settlement publishes them again, with
                            their old ids. For a stream that lost events; one that is gone is noticed by itself.
  --help                    this text

Exit code 0: done, and nothing differs or is left. 1: it cannot be done, or something is. 2: the command is wrong.
Reads DATABASE_URL, CHAINS_FILE and LEASE_TTL_SECONDS. Repairs nothing by itself.
`;

const ARGUMENTS = {
  allowPositionals: true,
  options: { chain: { type: 'string' }, yes: { type: 'boolean' } },
} as const;

runCommand(HELP, ARGUMENTS, async ({ values, positionals }) => {
  const [command, ...others] = positionals;
  if (others.length > 0) throw new UsageError(`${others[0]} is too much.`);
  switch (command) {
    case 'status':
      return withBooks(loadConfig(BooksConfig), showStatus);
    case 'verify':
      return withBooks(loadConfig(BooksConfig), verify);
    case 'republish':
      return withBooks(loadConfig(BooksConfig), republish);
    case 'reconcile':
      return withChain(values.chain, reconcile);
    case 'moving':
      return withChain(values.chain, async (context, chain) => ((await showMoves(context, chain)) ? 0 : 1));
    case 'unsettled':
      return withChain(values.chain, async (context, chain) => ((await showUnsettled(context, chain)) ? 0 : 1));
    case 'resume':
      return withChain(values.chain, async (context, chain) =>
        (await resumeChain(context, { chain, yes: values.yes ?? false })) ? 0 : 1,
      );
    case undefined:
      throw new UsageError('Which command?');
    default:
      throw new UsageError(`${command} is not a command.`);
  }
});

async function showStatus({ books, chains, say }: CommandContext): Promise<number> {
  let halted = 0;
  for (const { chainId, name } of chains) {
    const cursor = await books.cursor(chainId);
    if (!cursor) {
      say(`${chainId}  ${name}  books not opened yet`);
      continue;
    }
    const headTime = new Date(cursor.head.timeSeconds * 1_000).toISOString();
    const state = cursor.haltedReason === null ? 'follows' : `HALTED: ${cursor.haltedReason}`;
    if (cursor.haltedReason !== null) halted += 1;
    say(`${chainId}  ${name}  head ${cursor.head.number} of ${headTime}, final ${cursor.final.number}  ${state}`);
  }
  return halted > 0 ? 1 : 0;
}

async function verify({ books, say }: CommandContext): Promise<number> {
  return report(await books.verifyBooks(), { say, agreement: 'Every balance is what its entries and holds make it.' });
}

async function reconcile({ books, sourceOf, say }: CommandContext, chain: ChainConfig): Promise<number> {
  const { block, wallets, findings } = await reconcileChain({ books, chain, source: sourceOf(chain) });
  say(`Chain ${chain.chainId} at final block ${block.number} (${block.hash}): ${wallets} wallets compared.`);
  return report(findings, { say, agreement: 'Books and chain agree.' });
}

async function republish({ books, say }: CommandContext): Promise<number> {
  const events = await books.outbox.republish(new Date(0));
  say(`${events} events will be published again.`);
  return 0;
}

function report(
  findings: readonly Finding[],
  { say, agreement }: { say: CommandContext['say']; agreement: string },
): number {
  if (findings.length === 0) say(agreement);
  for (const { what, expected, found } of findings) say(`DIFFERS  ${what}: expected ${expected}, found ${found}`);
  return findings.length > 0 ? 1 : 0;
}

async function withChain(
  id: string | undefined,
  use: (context: CommandContext, chain: ChainConfig) => Promise<number>,
): Promise<number> {
  if (id === undefined || !/^\d+$/.test(id)) throw new UsageError('--chain N is needed, a chain id of chains.json.');
  return withBooks(loadConfig(BooksConfig), async (context) => {
    const chain = context.chains.find(({ chainId }) => chainId === Number(id));
    if (!chain) throw new UsageError(`chains.json does not name chain ${id}.`);
    return use(context, chain);
  });
}
