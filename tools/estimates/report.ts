import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MEASURED_MARGINS } from '@paymaster/gas';
import type { Measured } from './measure';

const PAGE = join(__dirname, '../../docs/estimates.md');
const MADE = ['<!-- made by npm run estimates -->', '<!-- end of what is made -->'] as const;
/**
 * Medians without the gas that every limit has for state that changes (ADR 0022), in percent above what an operation
 * takes; and milliseconds.
 */
export const MOST = { callPercent: 10, verificationPercent: 17, estimateMs: 25 } as const;

const { callGas, verificationGas } = MEASURED_MARGINS;
const percentAbove = (limit: bigint, least: bigint): number => (Number(limit - least) * 100) / Number(least);

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[Math.ceil(sorted.length / 2) - 1], sorted[middle]];
  return (low + high) / 2;
}

/** Percent above what operations take: ours, and the bundler's where it answered. */
function excessOf(measured: readonly Measured[]) {
  const asked = measured.flatMap((each) => (each.bundler ? [{ ...each, bundler: each.bundler }] : []));
  const isSearched = (each: Measured) => each.leastVerificationGas !== each.verificationGasLimit;
  return {
    call: measured.map((each) => percentAbove(each.callGasLimit - callGas, each.callGasUsed)),
    verification: measured
      .filter(isSearched)
      .map((each) => percentAbove(each.verificationGasLimit - verificationGas, each.leastVerificationGas)),
    bundlerCall: asked.map((each) => percentAbove(each.bundler.callGasLimit, each.callGasUsed)),
    bundlerVerification: asked
      .filter(isSearched)
      .map((each) => percentAbove(each.bundler.verificationGasLimit, each.leastVerificationGas)),
    bundlerFailed: measured.length - asked.length,
  };
}

/** Which bounds of the page do not hold; empty when all do. */
export function verdictOf(measured: readonly Measured[], estimateMs: readonly number[]): string[] {
  const { call, verification } = excessOf(measured);
  const tooLow = measured.filter(({ landed }) => !landed).length;
  const missed = [
    tooLow > 0 && `${tooLow} operations did not land as estimated`,
    medianOf(call) > MOST.callPercent && `call gas is ${medianOf(call).toFixed(1)} % above what is used (median)`,
    medianOf(verification) > MOST.verificationPercent &&
      `verification gas is ${medianOf(verification).toFixed(1)} % above the least (median)`,
    medianOf(estimateMs) > MOST.estimateMs && `an estimate takes ${medianOf(estimateMs).toFixed(1)} ms (median)`,
  ];
  return missed.filter((each): each is string => each !== false);
}

/** The table, a row for each kind of account. */
export function markdownOf(measured: readonly Measured[], estimateMs: readonly number[]): string {
  const keyOf = ({ family, version, isFirst }: Measured) => `${family} | v${version} | ${isFirst ? 'first' : 'second'}`;
  const rows = [...new Set(measured.map(keyOf))].map((key) =>
    rowOf(
      key,
      measured.filter((each) => keyOf(each) === key),
    ),
  );
  const p50 = medianOf(estimateMs).toFixed(1);
  return [
    '| account | EntryPoint | operation | landed | call gas: ours | bundler | verification gas: ours | bundler |',
    '| --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    rowOf('**all** | | ', measured),
    '',
    `Half of the estimates took ${p50} ms or less; the whole request ${medianOf(measured.map((each) => each.requestMs)).toFixed(1)} ms, and an estimate of the bundler ${medianOf(measured.map((each) => each.bundlerMs)).toFixed(1)} ms.`,
  ].join('\n');
}

function rowOf(key: string, measured: readonly Measured[]): string {
  const excess = excessOf(measured);
  const shown = (values: readonly number[]): string =>
    values.length === 0
      ? ''
      : `${medianOf(values).toFixed(1)} % (${Math.min(...values).toFixed(1)} to ${Math.max(...values).toFixed(1)})`;
  const landed = `${measured.filter((each) => each.landed).length} of ${measured.length}`;
  const refused = excess.bundlerFailed > 0 ? `, ${excess.bundlerFailed} refused` : '';
  return `| ${key} | ${landed} | ${shown(excess.call)} | ${shown(excess.bundlerCall)}${refused} | ${shown(excess.verification)} | ${shown(excess.bundlerVerification)} |`;
}

/** Puts the table into docs/estimates.md. */
export function writePage(markdown: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [start, stop] = MADE.map((mark) => page.indexOf(mark)) as [number, number];
  writeFileSync(PAGE, `${page.slice(0, start)}${MADE[0]}\n\n${markdown}\n\n${page.slice(stop)}`);
}
