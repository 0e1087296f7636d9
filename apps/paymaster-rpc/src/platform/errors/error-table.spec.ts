import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  DependencyUnavailableError,
  FundingWalletError,
  InvalidApiKeyError,
  InvalidParamsError,
  SimulationFailedError,
  SponsorshipRefusedError,
} from '@paymaster/domain';
import { PriceUnavailableError } from '@paymaster/pricing';
import { toWireError } from './error-table';
import { InvalidRequestError, MethodNotFoundError, ParseError, RateLimitedError } from './rpc-errors';
import { REASONS } from './reasons';

const wire = (error: unknown, changes: Partial<Parameters<typeof toWireError>[1]> = {}) =>
  toWireError(error, { requestId: 'r1', errors: { decisionStatus: 400 }, explain: false, ...changes });

describe('toWireError', () => {
  it.each<[Error, number, number, number]>([
    [new ParseError(''), -32700, 400, 400],
    [new InvalidRequestError(''), -32600, 400, 400],
    [new InvalidRequestError('', 'PAYLOAD_TOO_LARGE'), -32600, 413, 413],
    [new InvalidRequestError('', 'UNSUPPORTED_MEDIA_TYPE'), -32600, 415, 415],
    [new InvalidRequestError('', 'HTTP_METHOD_NOT_ALLOWED'), -32600, 405, 405],
    [new MethodNotFoundError('x'), -32601, 400, 200],
    [new InvalidParamsError('a', ''), -32602, 400, 200],
    [new InvalidApiKeyError(''), -32010, 401, 401],
    [new SponsorshipRefusedError('NO_POLICIES_SET', ''), -32501, 400, 200],
    [new FundingWalletError('FUNDING_WALLET_MISSING', ''), -32508, 400, 200],
    [new SimulationFailedError('VALIDATION_SIMULATION_FAILED', ''), -32500, 400, 200],
    [new SimulationFailedError('EXECUTION_SIMULATION_FAILED', ''), -32521, 400, 200],
    [new RateLimitedError('', 3), -32005, 429, 429],
    [new DependencyUnavailableError('chain', ''), -32011, 503, 503],
    [new PriceUnavailableError('STALE', ''), -32011, 503, 503],
    [new Error('x'), -32603, 500, 500],
  ])('%p is %i, HTTP %i for a dialect of 400 and %i for one of 200', (error, code, of400, of200) => {
    expect(wire(error)).toMatchObject({ httpStatus: of400, error: { code } });
    expect(wire(error, { errors: { decisionStatus: 200 } }).httpStatus).toBe(of200);
  });

  it('does not reveal internal errors', () => {
    const { error } = wire(new TypeError('postgres://user:secret@host'));
    expect(JSON.stringify(error)).not.toContain('secret');
    expect(error.data).toEqual({ reason: 'INTERNAL_ERROR', requestId: 'r1' });
  });

  it('shows limits and trace of a refusal only where the paymaster explains itself, amounts as text', () => {
    const trace = [{ rule: 'a', input: 'b', outcome: 'refuse' as const }];
    const refusal = new SponsorshipRefusedError('X', 'no', trace, { limit: 5n });
    expect(wire(refusal).error.data).toEqual({ reason: 'X', requestId: 'r1' });
    expect(wire(refusal, { explain: true }).error.data).toEqual({ reason: 'X', requestId: 'r1', limit: '5', trace });
  });

  it('shows every client where a deposit is missing, and amounts only where the paymaster explains itself', () => {
    const poor = new FundingWalletError('FUNDING_WALLET_BALANCE_TOO_LOW', '', { neededWei: '2' }, { contract: '0x1' });
    const shown = { reason: 'FUNDING_WALLET_BALANCE_TOO_LOW', requestId: 'r1', contract: '0x1' };
    expect(wire(poor).error.data).toEqual(shown);
    expect(wire(poor, { explain: true }).error.data).toEqual({ ...shown, neededWei: '2' });
  });

  it('says when to retry', () => {
    expect(wire(new RateLimitedError('', 3)).retryAfterSeconds).toBe(3);
    expect(wire(new DependencyUnavailableError('chain', '', { retryAfterSeconds: 10 })).retryAfterSeconds).toBe(10);
    expect(wire(new PriceUnavailableError('STALE', '')).retryAfterSeconds).toBeGreaterThan(0);
    expect(wire(new InvalidParamsError('a', ''))).not.toHaveProperty('retryAfterSeconds');
  });
});

describe('REASONS', () => {
  const pages = join(__dirname, '../../../../../docs/errors');

  it.each(Object.keys(REASONS))('%s has a page', (reason) => {
    expect(existsSync(join(pages, `${reason}.md`))).toBe(true);
  });

  it('knows a reason for every page', () => {
    const reasons = readdirSync(pages)
      .filter((file) => file !== 'README.md')
      .map((file) => file.replace('.md', ''));
    expect(reasons.filter((reason) => !(reason in REASONS))).toEqual([]);
  });

  const read = (file: string): string => readFileSync(join(pages, file), 'utf8');
  const cell = (page: string, name: string) => page.match(new RegExp(`^\\| ${name} \\| (.*) \\|$`, 'm'))?.[1];
  const rowsOfReadme = [...read('README.md').matchAll(/^\| (-\d+) \| ([\d /]+) \| \[(\w+)\]\((\w+)\.md\) \|/gm)];

  it.each(Object.entries(REASONS))('%s has the code and the HTTP statuses of its page', (reason, { row }) => {
    const page = read(`${reason}.md`);
    expect(page.split('\n')[0]).toBe(`# ${reason}`);
    expect(cell(page, 'JSON-RPC code')).toBe(String(row.code));
    expect(cell(page, 'HTTP status')).toBe(
      row.http === 'decision' ? '400 (Biconomy), 200 (other dialects)' : `${row.http}`,
    );
  });

  it('are the rows of the list, with the same codes and HTTP statuses', () => {
    const listed = rowsOfReadme.map(([, code, http, reason, page]) => ({ reason, page, code, http }));
    const expected = Object.entries(REASONS).map(([reason, { row }]) => {
      const http = row.http === 'decision' ? '400 / 200' : `${row.http}`;
      return { reason, page: reason, code: String(row.code), http };
    });
    const byReason = (a: { reason?: string | undefined }, b: typeof a) =>
      (a.reason ?? '').localeCompare(b.reason ?? '');
    expect(listed.sort(byReason)).toEqual(expected.sort(byReason));
  });
});
