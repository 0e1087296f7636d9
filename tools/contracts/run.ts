import { COMMANDS } from './commands';
import { CommandLine, HELP, UsageError } from './command-line';

const say = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const line = CommandLine.read(process.argv.slice(2));
  if (line.wantsHelp) {
    process.stdout.write(HELP);
    return 0;
  }
  const command = line.command === undefined ? undefined : COMMANDS[line.command];
  if (!command)
    throw new UsageError(line.command ? `there is no command ${line.command}` : 'which command? See --help');
  await command(line, say);
  return 0;
}

/** What ethers says of a failed call holds the whole transaction: its short form is enough. */
function sentenceOf(error: unknown): string {
  const { shortMessage } = error as { shortMessage?: unknown };
  if (typeof shortMessage === 'string') return shortMessage;
  return error instanceof Error ? error.message : String(error);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exit(error instanceof UsageError ? 2 : 1);
  },
);
