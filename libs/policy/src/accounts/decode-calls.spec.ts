import { randomAddress, randomHex } from '@paymaster/domain/testing';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import * as encode from '../testing/encode-calls';
import { MAX_CALL_DATA_BYTES, MAX_INNER_CALLS, type DecodeResult } from '../decode/decode-result';
import { decodeCalls } from './decode-calls';
import type { SmartAccountInfo } from './smart-account';

const makeCall = (dataBytes = 36): encode.TestCall => ({
  to: randomAddress(),
  valueWei: 7n,
  data: randomHex(dataBytes),
});
const withSelector = (call: encode.TestCall) => ({ ...call, selector: call.data.slice(0, 10) });

function decode(
  callData: string,
  account?: SmartAccountInfo,
  entryPointVersion: EntryPointVersion = '0.7',
): DecodeResult {
  return decodeCalls({ callData: callData as Hex, entryPointVersion, account });
}

const failure = (kind: string) => expect.objectContaining({ understood: false, failure: kind });

const calls = [makeCall(4), makeCall(32), makeCall(100)];
const one = [makeCall()];
const withoutValues = calls.map((call) => ({ ...call, valueWei: 0n }));

describe('decodeCalls', () => {
  it.each<[string, Hex, encode.TestCall[]]>([
    ['BICONOMY 2.0.0 execute_ncC', encode.encodeSingle('executeNcC', one), one],
    ['BICONOMY 2.0.0 executeBatch_y6U', encode.encodeBatch('executeBatchY6U', calls), calls],
    ['BICONOMY 2.0.0 and INFINITISM execute', encode.encodeSingle('execute', one), one],
    ['BICONOMY 2.0.0 and SimpleAccount v0.7 executeBatch', encode.encodeBatch('executeBatch', calls), calls],
    ['BICONOMY 1.0.0 executeCall_s1m', encode.encodeSingle('executeCallS1m', one), one],
    ['BICONOMY 1.0.0 executeBatchCall_4by', encode.encodeBatch('executeBatchCall4by', calls), calls],
    ['BICONOMY 1.0.0 executeCall', encode.encodeSingle('executeCall', one), one],
    ['BICONOMY 1.0.0 executeBatchCall', encode.encodeBatch('executeBatchCall', calls), calls],
    ['SimpleAccount v0.6 executeBatch', encode.encodeBatchWithoutValues(withoutValues), withoutValues],
    ['SimpleAccount v0.7 executeBatch without values', encode.encodeBatchWithEmptyValues(withoutValues), withoutValues],
    ['SimpleAccount v0.8 executeBatch', encode.encodeBatchOfTuples(calls), calls],
    ['SAFE single call', encode.encodeSafeCalls(one), one],
    ['SAFE executeUserOp', encode.encodeSafe({ ...makeCall(), ...one[0]!, name: 'safeExecuteUserOp' }), one],
    ['SAFE MultiSend', encode.encodeSafeCalls(calls), calls],
    ['ERC-7579 single', encode.encodeErc7579Calls(one), one],
    ['ERC-7579 batch', encode.encodeErc7579Calls(calls), calls],
    ['ERC-7579 single, try', encode.encodeErc7579(encode.MODE_SINGLE_TRY, encode.packExecution(one)), one],
    ['ERC-7579 batch, try', encode.encodeErc7579(encode.MODE_BATCH_TRY, encode.encodeExecutions(calls)), calls],
    ['executeUserOp prefix', encode.prefixExecuteUserOp(encode.encodeErc7579Calls(calls)), calls],
    ['upper case', encode.encodeSingle('execute', one).toUpperCase().replace('0X', '0x') as Hex, one],
  ])('should read the calls of %s', (_name, callData, expected) => {
    expect(decode(callData)).toMatchObject({ understood: true, calls: expected.map(withSelector) });
  });

  it('should read empty call data as no calls', () => {
    expect(decode('0x')).toEqual({ understood: true, shape: 'none', calls: [] });
  });

  it('should give no selector for data of fewer than four bytes', () => {
    const call = { ...makeCall(), data: '0x010203' };
    expect(decode(encode.encodeSingle('execute', [call]))).toMatchObject({ calls: [{ ...call, selector: undefined }] });
  });

  describe('fails closed', () => {
    it.each([
      ['odd number of digits', '0xb61d27f', 'NOT_HEX'],
      ['no hexadecimal', '0xzz', 'NOT_HEX'],
      ['no prefix', 'b61d27f6', 'NOT_HEX'],
      ['fewer bytes than a selector', '0xb61d27', 'UNKNOWN_SHAPE'],
      ['a selector alone', '0xb61d27f6', 'NOT_CANONICAL'],
      ['an unknown function', randomHex(100).replace(/^0x.{8}/, '0xdeadbeef'), 'UNKNOWN_SHAPE'],
      ['more bytes than fit a bundle', `0xb61d27f6${'00'.repeat(MAX_CALL_DATA_BYTES)}`, 'TOO_LARGE'],
    ])('when it has %s', (_name, callData, kind) => {
      expect(decode(callData)).toEqual(failure(kind));
    });

    it('when a batch has more calls than the bound, in every batch shape', () => {
      const many = Array.from({ length: MAX_INNER_CALLS + 1 }, () => makeCall(4));
      const atBound = many.slice(1);
      for (const encodeMany of [
        (some: encode.TestCall[]) => encode.encodeBatch('executeBatch', some),
        encode.encodeBatchWithoutValues,
        encode.encodeBatchOfTuples,
        encode.encodeErc7579Calls,
        encode.encodeSafeCalls,
      ]) {
        expect(decode(encodeMany(many))).toEqual(failure('TOO_MANY_CALLS'));
        expect(decode(encodeMany(atBound))).toMatchObject({ understood: true });
      }
    });

    it('when the arrays of a batch differ in length', () => {
      const targets = calls.map(({ to }) => to);
      const data = calls.map((call) => call.data);
      const values = [1n, 2n];
      expect(decode(encode.encodeShape('executeBatch', [targets, values, data]))).toEqual(failure('LENGTHS_DIFFER'));
      expect(decode(encode.encodeShape('executeBatch', [targets.slice(1), [], data]))).toEqual(
        failure('LENGTHS_DIFFER'),
      );
      expect(decode(encode.encodeShape('executeBatchWithoutValues', [targets, data.slice(1)]))).toEqual(
        failure('LENGTHS_DIFFER'),
      );
    });

    it('when values are missing and the account kind would revert on that', () => {
      const callData = encode.encodeBatchWithEmptyValues(calls);
      expect(decode(callData, { name: 'BICONOMY', version: '2.0.0' })).toEqual(failure('LENGTHS_DIFFER'));
      expect(decode(callData, { name: 'INFINITISM', version: '1.0.0' })).toMatchObject({ understood: true });
    });
  });

  it('should not let a wrong hint get in the way, because clients send one', () => {
    const callData = encode.encodeBatch('executeBatchY6U', calls);
    expect(decode(callData, { name: 'SAFE', version: '1.4.1' })).toMatchObject({ understood: true });
  });

  describe('SAFE', () => {
    const delegate = (to: string, data: string) => encode.encodeSafe({ to, data, operation: 1 });

    it('should refuse a delegatecall to anything but a known MultiSend', () => {
      expect(decode(delegate(randomAddress(), encode.encodeMultiSend(encode.packMultiSend(calls))))).toEqual(
        failure('DELEGATE_CALL'),
      );
    });

    it('should refuse a delegatecall inside MultiSend, wherever it stands', () => {
      for (const index of calls.keys()) {
        const packed = encode.packMultiSend(calls.map((call, at) => ({ ...call, operation: at === index ? 1 : 0 })));
        expect(decode(delegate(encode.MULTI_SEND, encode.encodeMultiSend(packed)))).toEqual(failure('DELEGATE_CALL'));
      }
    });

    it('should refuse a MultiSend nested in MultiSend', () => {
      const inner = { to: encode.MULTI_SEND, valueWei: 0n, data: encode.encodeMultiSend(encode.packMultiSend(calls)) };
      const packed = encode.packMultiSend([{ ...inner, operation: 1 }]);
      expect(decode(delegate(encode.MULTI_SEND, encode.encodeMultiSend(packed)))).toEqual(failure('DELEGATE_CALL'));
    });

    it.each([
      ['an operation of 2', encode.encodeSafe({ ...makeCall(), operation: 2 }), 'UNSUPPORTED_MODE'],
      ['another function of MultiSend', delegate(encode.MULTI_SEND, '0xdeadbeef'), 'UNKNOWN_SHAPE'],
      [
        'an operation of 2 inside MultiSend',
        delegate(encode.MULTI_SEND, encode.encodeMultiSend(encode.packMultiSend([{ ...makeCall(), operation: 2 }]))),
        'UNSUPPORTED_MODE',
      ],
      [
        'a value on the delegatecall',
        encode.encodeSafe({
          to: encode.MULTI_SEND,
          valueWei: 1n,
          data: encode.encodeMultiSend(encode.packMultiSend(calls)),
          operation: 1,
        }),
        'NOT_CANONICAL',
      ],
      [
        'bytes after the last transaction',
        delegate(encode.MULTI_SEND, encode.encodeMultiSend(`${encode.packMultiSend(calls)}00`)),
        'NOT_CANONICAL',
      ],
      [
        'a last transaction cut short',
        delegate(encode.MULTI_SEND, encode.encodeMultiSend(encode.packMultiSend(calls).slice(0, -2))),
        'NOT_CANONICAL',
      ],
      [
        'an inner length of 2^255',
        delegate(
          encode.MULTI_SEND,
          encode.encodeMultiSend(`0x00${randomAddress().slice(2)}${'00'.repeat(32)}80${'00'.repeat(31)}`),
        ),
        'NOT_CANONICAL',
      ],
    ])('should refuse %s', (_name, callData, kind) => {
      expect(decode(callData)).toEqual(failure(kind));
    });
  });

  describe('ERC-7579', () => {
    const single = encode.packExecution(one);
    const mode = (start: string) => `0x${start.padEnd(64, '0')}`;

    it.each([
      ['delegatecall', encode.encodeErc7579(mode('ff'), single), 'DELEGATE_CALL'],
      ['delegatecall, try', encode.encodeErc7579(mode('ff01'), single), 'DELEGATE_CALL'],
      ['static call', encode.encodeErc7579(mode('fe'), single), 'UNSUPPORTED_MODE'],
      ['unknown call type', encode.encodeErc7579(mode('02'), single), 'UNSUPPORTED_MODE'],
      ['unknown exec type', encode.encodeErc7579(mode('0002'), single), 'UNSUPPORTED_MODE'],
      ['unused bytes set', encode.encodeErc7579(mode('000000000001'), single), 'UNSUPPORTED_MODE'],
      ['mode selector (ERC-7821)', encode.encodeErc7579(mode('01000000000078210001'), single), 'UNSUPPORTED_MODE'],
      ['mode payload', encode.encodeErc7579(`0x${'0'.repeat(63)}1`, single), 'UNSUPPORTED_MODE'],
      ['single shorter than its head', encode.encodeErc7579(mode('00'), single.slice(0, 2 + 102)), 'NOT_CANONICAL'],
      ['single read as batch', encode.encodeErc7579(mode('01'), single), 'NOT_CANONICAL'],
    ])('should refuse %s', (_name, callData, kind) => {
      expect(decode(callData)).toEqual(failure(kind));
    });
  });

  describe('executeUserOp prefix', () => {
    const callData = encode.prefixExecuteUserOp(encode.encodeErc7579Calls(calls));

    it.each<[string, Hex, SmartAccountInfo | undefined, EntryPointVersion]>([
      ['on EntryPoint v0.6', callData, undefined, '0.6'],
      ['for SimpleAccount', callData, { name: 'INFINITISM', version: '1.0.0' }, '0.8'],
      ['for Biconomy 1.0.0', callData, { name: 'BICONOMY', version: '1.0.0' }, '0.7'],
      ['in front of another shape', encode.prefixExecuteUserOp(encode.encodeSingle('execute', one)), undefined, '0.7'],
      ['in front of itself', encode.prefixExecuteUserOp(callData), undefined, '0.7'],
      ['in front of nothing', '0x8dd7712f', undefined, '0.7'],
      ['in front of (address, bytes)', encode.prefixExecuteUserOp(encode.encodeExecutions(one)), undefined, '0.7'],
    ])('should be refused %s', (_name, data, account, version) => {
      expect(decode(data, account, version)).toEqual(failure('UNKNOWN_SHAPE'));
    });

    it.each(['0.7', '0.8', '0.9'] as const)('should be read on EntryPoint v%s', (version) => {
      expect(decode(callData, { name: 'BICONOMY', version: '2.0.0' }, version)).toMatchObject({ calls });
    });
  });
});
