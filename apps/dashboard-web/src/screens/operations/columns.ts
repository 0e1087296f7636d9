/** What a row can show besides state and time, in this order. */
export const COLUMNS = {
  contract: 'Contract',
  method: 'Method',
  policy: 'Policy or reason',
  payment: 'Paid in',
  sender: 'Account',
  version: 'EntryPoint',
  cost: 'Cost',
} as const;
export type Column = keyof typeof COLUMNS;

const ALL = Object.keys(COLUMNS) as readonly Column[];
const SHOWN_AT_FIRST: readonly Column[] = ['contract', 'method', 'policy', 'sender', 'cost'];
/** In the URL, where all are hidden. */
const NO_COLUMN = 'none';

/** The columns that the URL names; those that are shown at first where it names none. */
export function columnsOf(text: string | undefined): readonly Column[] {
  if (text === undefined) return SHOWN_AT_FIRST;
  const named = text.split(',');
  return ALL.filter((column) => named.includes(column));
}

/** The same in the URL; undefined for the columns that are shown at first. */
export function columnsText(columns: readonly string[]): string | undefined {
  const text = ALL.filter((column) => columns.includes(column)).join(',');
  return text === SHOWN_AT_FIRST.join(',') ? undefined : text || NO_COLUMN;
}
