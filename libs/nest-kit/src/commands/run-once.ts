import { parseArgs } from 'node:util';
import { run } from '../http/create-http-app';

/**
 * A command without arguments, for a job: does its work once and ends.
 * Exit code 0: done. 1: the work failed, with its error in a sentence. 2: the command is wrong; the help shows how to
 * use it.
 *
 * @param help the text of `--help`
 * @param work resolves with a sentence that says what was done
 */
export function runOnce(help: string, work: () => Promise<string>): void {
  run(async () => {
    let asked: { help?: boolean };
    try {
      asked = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } }).values;
    } catch (error) {
      process.stderr.write(`${messageOf(error)}\n\n${help}`);
      process.exitCode = 2;
      return;
    }
    process.stdout.write(asked.help ? help : await work());
  });
}

/** Node's error for a host with several addresses has no message of its own. */
export function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
