import { parseArgs } from 'node:util';

/**
 * Reads a tool's arguments; prints the help and ends on `--help`, and on anything it does not know.
 *
 * @param {string} help the text of `--help`
 * @param {import('node:util').ParseArgsConfig['options']} [options]
 */
export function readArguments(help, options = {}) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } });
    if (!values.help) return values;
    process.stdout.write(help);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${error.message}\n\n${help}`);
    process.exit(2);
  }
}
