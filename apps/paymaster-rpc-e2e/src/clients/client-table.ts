import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_ROWS, MODES, type ClientRow, type Mode } from './client-rows';
import { rowId } from './matrix';
import { OPERATIONS } from './operations';
import { readSeen, type Seen, type SeenRow } from './seen';

const DOCUMENT = join(__dirname, '../../../../docs/clients.md');
const PACKAGE = join(__dirname, '../../clients/package.json');

const [BEGIN, END] = ['<!-- made by npm run clients -->\n', '<!-- end of what is made -->'];
const HEAD = ['client', 'account', 'EntryPoint', 'sponsored', 'paid in a token', 'what had to be set', 'for tokens'];

/** Every row of the table, of the packages at the versions that the tests run, with what was seen of it. */
function clientTable(rows: readonly ClientRow[], seen: Seen): string {
  const { dependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { dependencies: Record<string, string> };
  const lines = rows.map((row) => {
    const account = row.code === 'stand-in' ? `${row.account} ¹` : row.account;
    const client = `${row.client} (${nameAndVersion(row.package, dependencies[row.package])})`;
    const [sponsored, token] = MODES.map((mode) => outcomeOf(row, mode, seen[rowId(row)]?.[mode]));
    return [client, account, `v${row.version}`, sponsored, token, row.set, row.setForTokens];
  });
  return [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** How many operations landed, and why the others did not. */
function outcomeOf({ cannot = {}, refused }: ClientRow, mode: Mode, seen: SeenRow | undefined): string {
  if (refused && refused.mode === mode) return `refused: ${refused.why}`;
  if (!seen) return 'not seen yet';
  const others = Object.entries({ ...cannot, ...seen.refused });
  const reasons = [...new Set(others.map(([, why]) => why))].map((why) => {
    const operations = others.filter((other) => other[1] === why).map(([operation]) => operation);
    return `${operations.join(', ')}: ${why}`;
  });
  return [`${seen.landed.length} landed`, ...reasons].join('; ');
}

/** What an account does, by the name that the table has for it. */
const operationList = () =>
  Object.entries(OPERATIONS)
    .map(([operation, what]) => `- \`${operation}\`: ${what}\n`)
    .join('');

/** Where two versions of a package are installed, one of them has another name there: `npm:name@version`. */
function nameAndVersion(installedAs: string, wanted = ''): string {
  return wanted.startsWith('npm:')
    ? wanted.slice('npm:'.length).replace(/@(?=[^@]*$)/, ' ')
    : `${installedAs} ${wanted}`;
}

/** The document with the table as it would be made now. */
function madeDocument(document: string): string {
  const [before, rest] = document.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error(`${DOCUMENT} has no place for the table`);
  return `${before}${BEGIN}\n${operationList()}\n${clientTable(CLIENT_ROWS, readSeen())}\n${END}${after}`;
}

const document = readFileSync(DOCUMENT, 'utf8');
const made = madeDocument(document);
if (!process.argv.includes('--check')) writeFileSync(DOCUMENT, made);
else if (made !== document) {
  process.stderr.write('The table in docs/clients.md is not what npm run clients makes.\n');
  process.exitCode = 1;
}
