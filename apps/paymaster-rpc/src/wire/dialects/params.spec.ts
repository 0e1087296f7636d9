import { InvalidParamsError } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { compileParams } from '../json-rpc/params-validator';
import { biconomyParams } from './biconomy/params.schema';
import { erc7677Params } from './erc7677/params.schema';
import { parseContext, parseMode, type RawMode, type RequestedMode } from './common/parse-mode';

const validate = compileParams({ params: biconomyParams });
const validateContext = compileParams({ params: erc7677Params('stub') });
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

describe('params of Biconomy', () => {
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
    [
      'a token in a list that is no address',
      { mode: 'ERC20', tokenInfo: { tokenList: [randomAddress(), 'ETH'] } },
      'params[1].tokenInfo.tokenList[1]',
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
      webhookData: { value: {}, field: 'params[1].sponsorshipInfo.webhookData' },
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

  it('needs nothing in an ERC-7677 context', () => {
    expect(parseContext(null, 'params[3]')).toMatchObject({ mode: 'SPONSORED', account: undefined });
  });
});

describe('the mode object in ERC20 mode', () => {
  const token = randomAddress();
  const other = randomAddress();
  const mixedCase = (address: string): string => `0x${address.slice(2).toUpperCase()}`;
  const erc20 = (tokenInfo: object, changes: object = {}): RequestedMode =>
    check([operation(), JSON.parse(JSON.stringify({ mode: 'ERC20', tokenInfo, ...changes }))]) as RequestedMode;
  const context = (raw: object): RequestedMode => {
    const [, , , last] = validateContext([operation(), randomAddress(), '0x1', JSON.parse(JSON.stringify(raw))]);
    return parseContext(last as RawMode, 'params[3]');
  };

  it('reads the tokens in lower case, each once, and leaves out what is null', () => {
    const parsed = erc20({ preferredToken: mixedCase(other), tokenList: [token, null, mixedCase(token)] });
    expect(parsed).toMatchObject({ mode: 'ERC20', tokens: { preferred: other, list: [token], feeToken: undefined } });
  });

  it.each<[string, object]>([
    ['nothing', {}],
    ['nulls', { preferredToken: null, feeTokenAddress: null, tokenList: null, permit: null }],
    ['an empty list', { tokenList: [] }],
  ])('takes %s for no token named', (_title, tokenInfo) => {
    const parsed = erc20(tokenInfo);
    expect(parsed).toMatchObject({ tokens: { feeToken: undefined, preferred: undefined, list: [] } });
    expect(parsed).toMatchObject({ calculateGasLimits: true, expirySeconds: undefined, permit: undefined });
  });

  it('needs no sponsorshipInfo, and takes the hint at the account from it when it is there', () => {
    expect(erc20({ feeTokenAddress: token })).toMatchObject({ account: undefined });
    expect(erc20({}, { sponsorshipInfo })).toMatchObject({ account: { name: 'BICONOMY', version: '2.0.0' } });
    expect(erc20({}, { sponsorshipInfo: { webhookData: {} } })).toMatchObject({ account: undefined });
  });

  it('follows from tokenInfo alone, and not when sponsorshipInfo is there too', () => {
    expect(parseMode({ tokenInfo: {} }, 'params[1]').mode).toBe('ERC20');
    expect(parseMode({ tokenInfo: {}, sponsorshipInfo }, 'params[1]').mode).toBe('SPONSORED');
    expect(context({ tokenInfo: {} }).mode).toBe('ERC20');
    expect(context({ tokenInfo: {}, sponsorshipInfo }).mode).toBe('SPONSORED');
  });

  it('takes a validity that is longer than any, as existing clients ask for', () => {
    expect(erc20({}, { expiryDuration: 6_000 })).toMatchObject({ expirySeconds: 6_000 });
  });

  const r = randomHex(32);
  const s = randomHex(32);
  const signature = `${r}${s.slice(2)}1c`;
  it.each<[string, object]>([
    ['one piece', { value: '0x0f4240', deadline: '99', signature }],
    ['one piece with a recovery id of 1', { value: 1_000_000, deadline: 99, signature: `${r}${s.slice(2)}01` }],
    ['v, r and s', { value: '1000000', deadline: '0x63', v: 28, r, s }],
  ])('reads a permit in %s', (_title, permit) => {
    const expected = { valueBaseUnits: 1_000_000n, deadlineSeconds: 99n, signature };
    expect(erc20({ feeTokenAddress: token, permit })).toMatchObject({ permit: expected });
    expect(context({ token, permit })).toMatchObject({ permit: expected });
  });

  it.each<[string, object, string]>([
    ['a value beyond 256 bits', { value: `0x1${'0'.repeat(64)}`, deadline: 1, signature }, 'permit.value'],
    ['a negative deadline', { value: 1, deadline: -1, signature }, 'permit.deadline'],
    ['no deadline', { value: 1, signature }, 'permit.deadline'],
    ['64 bytes of signature', { value: 1, deadline: 1, signature: signature.slice(0, -2) }, 'permit.signature'],
    ['no signature', { value: 1, deadline: 1, v: 27, r }, 'permit.signature'],
    ['an impossible v', { value: 1, deadline: 1, signature: `${signature.slice(0, -2)}1d` }, 'permit.signature'],
    ['an impossible v of its own', { value: 1, deadline: 1, v: 30, r, s }, 'permit.v'],
  ])('names the field of a permit with %s', (_title, permit, field) => {
    expect(refusal(() => erc20({ permit })).field).toBe(`params[1].tokenInfo.${field}`);
    expect(refusal(() => context({ token, permit })).field).toBe(`params[3].${field}`);
  });

  it('reads { token } of an ERC-7677 context, with all that the mode object may say beside it', () => {
    const parsed = context({ token: mixedCase(token), expiryDuration: 200, calculateGasLimits: false });
    expect(parsed).toMatchObject({ mode: 'ERC20', expirySeconds: 200, calculateGasLimits: false });
    expect(parsed).toMatchObject({ tokens: { feeToken: token, field: 'params[3].token' }, field: 'params[3].token' });
    expect(context({ token, mode: 'ERC20' }).mode).toBe('ERC20');
  });

  it.each<[string, object, string]>([
    ['a token beside SPONSORED', { token, mode: 'SPONSORED' }, 'params[3].mode'],
    ['ERC20 without any token object', { mode: 'ERC20' }, 'params[3].tokenInfo'],
    ['a token that is no address', { token: '0x12' }, 'params[3].token'],
  ])('names the field of an ERC-7677 context with %s', (_title, raw, field) => {
    expect(refusal(() => context(raw)).field).toBe(field);
  });
});
