import { shortestDecimal } from '@paymaster/domain';
import { formatUsd, parseUsdE36 } from '@paymaster/pricing';
import { presentOperation } from './operation.view';
import type { Operation, OperationTarget } from './operation';
import type { NamesOfPaymaster } from './operation-names';

/** As the fields of {@link OperationView} are called. */
const FIELDS = [
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
  'requestId',
  'token',
] as const;

/** What else a line says of an operation. */
export interface CsvTerms {
  readonly names: Pick<NamesOfPaymaster, 'contract' | 'method' | 'policy' | 'token'>;
  /** The symbol of the chain's coin. */
  readonly coin: string;
}

type Column = (operation: Operation, terms: CsvTerms) => string | null | undefined;

/** Between the calls of an operation. */
const BETWEEN = '; ';
const NOT_RECORDED = 'not recorded';
const WEI_PER_COIN = 10n ** 18n;
const E24 = 10n ** 24n;

/** The columns of calls have one entry for each contract and method that the operation calls, in the same order. */
const MORE: Readonly<Record<string, Column>> = {
  tokenSymbol: ({ mode, token }, { names }) =>
    token === null ? (mode === 'token' ? NOT_RECORDED : null) : names.token(token),
  policyName: ({ policyId }, { names }) => policyId && names.policy(policyId),
  contracts: (operation) => ofCalls(operation, ({ to }) => to),
  contractNames: (operation, { names }) => ofCalls(operation, ({ to }) => names.contract(to)),
  methods: (operation) => ofCalls(operation, ({ selector }) => selector),
  methodNames: (operation, { names }) => ofCalls(operation, names.method),
  coin: (_operation, { coin }) => coin,
  expectedCost: ({ expectedCostWei }) => inCoins(expectedCostWei),
  actualCost: ({ actualCostWei }) => inCoins(actualCostWei),
  expectedCostUsd: ({ expectedCostWei, nativeUsd }) => inUsd(expectedCostWei, nativeUsd),
  actualCostUsd: ({ actualCostWei, nativeUsd }) => inUsd(actualCostWei, nativeUsd),
};

export const CSV_HEADER = `${[...FIELDS, ...Object.keys(MORE)].join(',')}\r\n`;

/** One line of RFC 4180. */
export function csvLine(operation: Operation, terms: CsvTerms): string {
  const view = presentOperation(operation);
  const more = Object.values(MORE).map((column) => column(operation, terms) ?? null);
  return `${[...FIELDS.map((field) => view[field]), ...more].map(csvField).join(',')}\r\n`;
}

function ofCalls({ targets }: Operation, say: (call: OperationTarget) => string | null | undefined): string {
  const calls = new Map((targets ?? []).map((call) => [`${call.to}:${call.selector}`, call]));
  return [...calls.values()].map((call) => (say(call) ?? '').replaceAll(';', ',')).join(BETWEEN);
}

/** All 18 decimals, as far as they are not zero. */
function inCoins(wei: string | null): string | null {
  if (wei === null) return null;
  const digits = wei.padStart(19, '0');
  return shortestDecimal(`${digits.slice(0, -18)}.${digits.slice(-18)}`);
}

/** At the price of the operation's time, cut off at the 12th digit behind the point as the sums of usage are. */
function inUsd(wei: string | null, nativeUsd: string | null): string | null {
  if (wei === null) return null;
  const perCoinE36 = nativeUsd === null ? undefined : parseUsdE36(nativeUsd);
  if (perCoinE36 === undefined) return NOT_RECORDED;
  const usdE12 = (BigInt(wei) * perCoinE36) / (WEI_PER_COIN * E24);
  return formatUsd(usdE12 * E24);
}

/** A text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvField(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = String(value);
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
