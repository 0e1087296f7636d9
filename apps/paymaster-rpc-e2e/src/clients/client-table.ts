import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENT_ROWS, type ClientRow } from './client-rows';

const DOCUMENT = join(__dirname, '../../../../docs/clients.md');
const PACKAGE = join(__dirname, '../../clients/package.json');

const [BEGIN, END] = ['<!-- made by npm run clients -->\n', '<!-- end of what is made -->'];
const HEAD = ['client', 'account', 'EntryPoint', 'sponsored', 'paid in a token', 'what had to be set', 'for tokens'];

/** Every row of the table, of the packages at the versions that the tests run. */
function clientTable(rows: readonly ClientRow[]): string {
  const { dependencies } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { dependencies: Record<string, string> };
  const lines = rows.map((row) => {
    const account = row.code === 'stand-in' ? `${row.account} ¹` : row.account;
    const client = `${row.client} (${nameAndVersion(row.package, dependencies[row.package])})`;
    return [client, account, `v${row.version}`, 'landed', 'landed', row.set, row.setForTokens];
  });
  return [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

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
  return `${before}${BEGIN}\n${clientTable(CLIENT_ROWS)}\n${END}${after}`;
}

const document = readFileSync(DOCUMENT, 'utf8');
const made = madeDocument(document);
if (!process.argv.includes('--check')) writeFileSync(DOCUMENT, made);
else if (made !== document) {
  process.stderr.write('The table in docs/clients.md is not what npm run clients makes.\n');
  process.exitCode = 1;
}
