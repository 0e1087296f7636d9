import { InvalidParamsError } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { compileParams } from '../json-rpc/params-validator';
import { coreParams } from '../schemas/core-params.schema';
import { parseContext, parseMode, type RawMode } from './parse-mode';

const validate = compileParams({ summary: '', params: coreParams, result: { name: '', schema: {} } });
const operation = (changes: object = {}): object => ({
  sender: randomAddress(),
  nonce: '0x0',
  callData: '0x',
  maxFeePerGas: '0x1',
  maxPriorityFeePerGas: '0',
  ...changes,
});
const sponsorshipInfo = { webhookData: {}, smartAccountInfo: { name: 'BICONOMY', version: '2.0.0' } };
const mode = (changes: object = {}): object => ({ mode: 'SPONSORED', sponsorshipInfo, ...changes });

/** Through the schema and the parser, as a request goes. */
function check(params: readonly unknown[]): unknown {
  const [, second] = validate(params);
  return parseMode(second as RawMode, 'params[1]');
}

function refusal(run: () => unknown): { field: string; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidParamsError) return { field: error.field, message: error.message };
    throw error;
  }
  throw new Error('it was accepted');
}

describe('params of the core dialect', () => {
  it.each<[string, object, string]>([
    ['a sender of 19 bytes', { sender: `0x${'1'.repeat(38)}` }, 'params[0].sender'],
    ['a sender of 21 bytes', { sender: `0x${'1'.repeat(42)}` }, 'params[0].sender'],
    ['a sender without 0x', { sender: '1'.repeat(40) }, 'params[0].sender'],
    ['a sender with 0X', { sender: `0X${'1'.repeat(40)}` }, 'params[0].sender'],
    ['a sender with a newline', { sender: `0x${'1'.repeat(40)}\n` }, 'params[0].sender'],
    ['full-width digits', { sender: `0x${'１'.repeat(40)}` }, 'params[0].sender'],
    ['a negative nonce', { nonce: -1 }, 'params[0].nonce'],
    ['a nonce with a minus', { nonce: '-1' }, 'params[0].nonce'],
    ['a nonce with an exponent', { nonce: '1e3' }, 'params[0].nonce'],
    ['a number beyond 2^53', { nonce: 2 ** 53 }, 'params[0].nonce'],
    ['infinity', { nonce: JSON.parse('1e400') }, 'params[0].nonce'],
    ['half a nonce', { nonce: 1.5 }, 'params[0].nonce'],
    ['call data that is no hex', { callData: '0xzz' }, 'params[0].callData'],
    ['a boolean fee', { maxFeePerGas: true }, 'params[0].maxFeePerGas'],
  ])('names the field of %s', (_title, changes, field) => {
    const { field: named, message } = refusal(() => check([operation(changes), mode()]));
    expect(named).toBe(field);
    expect(message).toContain(`${field} must be`);
  });

  it('names all fields that an empty operation lacks', () => {
    const { message } = refusal(() => check([{}, mode()]));
    expect(message).toBe('params[0] lacks sender, nonce, callData, maxFeePerGas, maxPriorityFeePerGas.');
  });

  it.each([null, [], 'operation'])('refuses %j as an operation', (wrong) => {
    expect(refusal(() => check([wrong, mode()])).field).toBe('params[0]');
  });
});

describe('the mode object', () => {
  it.each<[string, object, string]>([
    ['no mode and no object', { mode: undefined, sponsorshipInfo: undefined }, 'params[1].mode'],
    ['a mode in lower case', { mode: 'sponsored' }, 'params[1].mode'],
    ['HYBRID', { mode: 'HYBRID' }, 'params[1].mode'],
    ['a list', { mode: ['SPONSORED'] }, 'params[1].mode'],
    ['a trailing NUL', { mode: 'SPONSORED\0' }, 'params[1].mode'],
    ['calculateGasLimits as text', { calculateGasLimits: 'true' }, 'params[1].calculateGasLimits'],
    ['calculateGasLimits null', { calculateGasLimits: null }, 'params[1].calculateGasLimits'],
    ['no sponsorshipInfo', { sponsorshipInfo: undefined }, 'params[1].sponsorshipInfo'],
    ['no smartAccountInfo', { sponsorshipInfo: {} }, 'params[1].sponsorshipInfo.smartAccountInfo'],
    ['ERC20 without tokenInfo', { mode: 'ERC20' }, 'params[1].tokenInfo'],
    ['too short a validity', { expiryDuration: 119 }, 'params[1].expiryDuration'],
    ['a fractional validity', { expiryDuration: 300.5 }, 'params[1].expiryDuration'],
    [
      'webhookData as text',
      { sponsorshipInfo: { ...sponsorshipInfo, webhookData: 'x' } },
      'params[1].sponsorshipInfo.webhookData',
    ],
    [
      'an unknown account version',
      { sponsorshipInfo: { smartAccountInfo: { name: 'BICONOMY', version: "2.0.0'--" } } },
      'params[1].sponsorshipInfo.smartAccountInfo.version',
    ],
    [
      'a token list of 10,000',
      { mode: 'ERC20', tokenInfo: { tokenList: Array(10_000).fill(randomAddress()) } },
      'params[1].tokenInfo.tokenList',
    ],
    [
      'a token that is no address',
      { mode: 'ERC20', tokenInfo: { preferredToken: '0x12' } },
      'params[1].tokenInfo.preferredToken',
    ],
  ])('names the field of %s', (_title, changes, field) => {
    const { field: named, message } = refusal(() => check([operation(), JSON.parse(JSON.stringify(mode(changes)))]));
    expect(named).toBe(field);
    expect(message).toContain(field);
  });

  it('names the accepted account kinds when one is unknown', () => {
    const unknown = { sponsorshipInfo: { smartAccountInfo: { name: 'KERNEL', version: '1.0.0' } } };
    expect(refusal(() => check([operation(), mode(unknown)])).message).toContain('BICONOMY, INFINITISM, SAFE');
  });

  it('takes a missing mode for sponsored when sponsorshipInfo is there, whatever else is', () => {
    expect(parseMode({ sponsorshipInfo, tokenInfo: {} }, 'params[1]')).toEqual({
      mode: 'SPONSORED',
      calculateGasLimits: true,
      expirySeconds: undefined,
      account: { name: 'BICONOMY', version: '2.0.0' },
    });
  });

  it('echoes the alias, reads the misspelling, and 0 as the default validity', () => {
    const smartAccountInfo = { name: 'INFINITSM', version: '1.0.0' };
    const parsed = parseMode(
      { mode: 'SPONSORSHIP', expiryDuration: 0, sponsorshipInfo: { smartAccountInfo } },
      'params[1]',
    );
    expect(parsed).toMatchObject({ mode: 'SPONSORSHIP', expirySeconds: undefined, account: { name: 'INFINITISM' } });
  });

  it.each<[string, RawMode]>([
    ['mode ERC20', { mode: 'ERC20', tokenInfo: {} }],
    ['only tokenInfo', { tokenInfo: {} }],
  ])('says that token mode is not enabled for %s', (_title, raw) => {
    expect(refusal(() => parseMode(raw, 'params[1]')).message).toContain('not enabled for this paymaster');
  });

  it('reads an ERC-7677 context of tokenInfo alone as token mode, like the core dialect', () => {
    expect(refusal(() => parseContext({ tokenInfo: {} }, 'params[3]')).message).toContain('not enabled');
    expect(parseContext({ sponsorshipInfo, tokenInfo: {} }, 'params[3]').mode).toBe('SPONSORED');
  });

  it('needs nothing in an ERC-7677 context', () => {
    expect(parseContext(null, 'params[3]')).toMatchObject({ mode: 'SPONSORED', account: undefined });
    expect(refusal(() => parseContext({ token: randomAddress() }, 'params[3]')).field).toBe('params[3].token');
  });
});
