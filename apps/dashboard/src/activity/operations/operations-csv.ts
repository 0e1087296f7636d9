import { presentOperation } from './operation.view';
import type { Operation } from './operation';

const COLUMNS = [
  'id',
  'createdAt',
  'updatedAt',
  'state',
  'mode',
  'chainId',
  'sender',
  'nonce',
  'entryPointVersion',
  'policyId',
  'reason',
  'fundingWallet',
  'expectedCostWei',
  'actualCostWei',
  'gasCostWei',
  'success',
  'userOpHash',
  'transactionHash',
  'blockNumber',
  'voidReason',
] as const;

export const CSV_HEADER = `${COLUMNS.join(',')}\r\n`;

/** One line of RFC 4180. */
export function csvLine(operation: Operation): string {
  const view = presentOperation(operation);
  return `${COLUMNS.map((column) => csvField(view[column])).join(',')}\r\n`;
}

/** A text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvField(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
