import { parseArgs, type ParseArgsConfig } from 'node:util';
import { run } from '../http/create-http-app';

/** A command line that cannot be run; the help follows. */
export class UsageError extends Error {}

const HELP_OPTION = { help: { type: 'boolean', short: 'h' } } as const;

/** What {@link parseArgs} reads of a command line. */
type Asked<Line extends ParseArgsConfig> = ReturnType<typeof parseArgs<Line>>;

/**
 * A command of an app: reads its arguments, does its work once and ends.
 * Exit code 2: the command is wrong; the help shows how to use it. Else what the work resolves with (0: done), or 1 when
 * it rejects, with its error in a sentence.
 *
 * @param help the text of `--help`
 * @param line what {@link parseArgs} takes, `--help` aside
 * @param work throws a {@link UsageError} when the arguments make no sense together
 */
export function runCommand<const Line extends ParseArgsConfig>(
  help: string,
  line: Line,
  work: (asked: Asked<Line>) => Promise<number | void>,
): void {
  run(async () => {
    try {
      const asked = readLine(line);
      if ('help' in asked.values) process.stdout.write(help);
      else process.exitCode = (await work(asked)) ?? 0;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      process.stderr.write(`${error.message}\n\n${help}`);
      process.exitCode = 2;
    }
  });
}

function readLine<Line extends ParseArgsConfig>(line: Line): Asked<Line> {
  try {
    return parseArgs({ ...line, options: { ...line.options, ...HELP_OPTION } }) as Asked<Line>;
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error });
  }
}
