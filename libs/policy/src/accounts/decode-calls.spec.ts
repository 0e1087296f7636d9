import { randomAddress, randomHex } from '@paymaster/domain/testing';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import * as encode from '../testing/encode-calls';
import { MAX_CALL_DATA_BYTES, MAX_INNER_CALLS, type DecodeResult } from '../decode/decode-result';
import { MAX_SUFFIX_BYTES } from './account-family';
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

const detailOf = (callData: Hex) => {
  const decoded = decode(callData);
  return decoded.understood ? undefined : decoded.detail;
};

const failure = (kind: string, detail = expect.any(String)) => ({ understood: false, failure: kind, detail });

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
      ['odd number of digits', '0xb61d27f', 'NOT_HEX', 'call data is not whole bytes of hexadecimal'],
      ['no hexadecimal', '0xzz', 'NOT_HEX', 'call data is not whole bytes of hexadecimal'],
      ['no prefix', 'b61d27f6', 'NOT_HEX', 'call data is not whole bytes of hexadecimal'],
      ['fewer bytes than a selector', '0xb61d27', 'UNKNOWN_SHAPE', 'account function 0xb61d27'],
      ['a selector alone', '0xb61d27f6', 'NOT_CANONICAL', 'the data ends before target does'],
      [
        'an unknown function',
        randomHex(100).replace(/^0x.{8}/, '0xdeadbeef'),
        'UNKNOWN_SHAPE',
        'account function 0xdeadbeef',
      ],
      [
        'a byte more than fits a bundle',
        `0xb61d27f6${'00'.repeat(MAX_CALL_DATA_BYTES - 3)}`,
        'TOO_LARGE',
        'call data of more than 65536 bytes',
      ],
      [
        'all bytes that fit a bundle, without a meaning',
        `0xb61d27f6${'00'.repeat(MAX_CALL_DATA_BYTES - 4)}`,
        'NOT_CANONICAL',
        'offset of data is not where its data starts',
      ],
    ])('when it has %s', (_name, callData, kind, detail) => {
      expect(decode(callData)).toEqual(failure(kind, detail));
    });

    it('when a number is out of any bound, or bits are set that the type does not have', () => {
      const good = encode.encodeSingle('execute', [{ ...one[0]!, data: '0x12345678' }]);
      const withWord = (index: number, word: string) =>
        `${good.slice(0, 10 + 64 * index)}${word}${good.slice(74 + 64 * index)}`;
      const details: [string, string][] = [
        [withWord(0, 'f'.repeat(64)), 'target has bits above an address'],
        [withWord(2, `${'0'.repeat(55)}1${'0'.repeat(6)}60`), 'a number for offset of data is out of bounds'],
        [withWord(3, `${'0'.repeat(55)}1${'0'.repeat(7)}4`), 'a number for data is out of bounds'],
        [`${good.slice(0, -1)}1`, 'padding of data is not zero'],
        [`${good}${'00'.repeat(MAX_SUFFIX_BYTES + 1)}`, 'there are bytes after the arguments'],
      ];
      for (const [bad, detail] of details) expect(decode(bad)).toEqual(failure('NOT_CANONICAL', detail));
    });

    it('when a batch has more calls than the bound, in every batch shape', () => {
      const many = Array.from({ length: MAX_INNER_CALLS + 1 }, () => makeCall(4));
      const atBound = many.slice(1);
      for (const [detail, encodeMany] of [
        ['129 targets, more than 128', (some: encode.TestCall[]) => encode.encodeBatch('executeBatch', some)],
        ['129 targets, more than 128', encode.encodeBatchWithoutValues],
        ['129 calls, more than 128', encode.encodeBatchOfTuples],
        ['129 calls, more than 128', encode.encodeErc7579Calls],
        ['the MultiSend has more than 128 transactions', encode.encodeSafeCalls],
      ] as const) {
        expect(decode(encodeMany(many))).toEqual(failure('TOO_MANY_CALLS', detail));
        expect(decode(encodeMany(atBound))).toMatchObject({ understood: true });
      }
    });

    it('when the arrays of a batch differ in length', () => {
      const targets = calls.map(({ to }) => to);
      const data = calls.map((call) => call.data);
      const values = [1n, 2n];
      expect(decode(encode.encodeShape('executeBatch', [targets, values, data]))).toEqual(
        failure('LENGTHS_DIFFER', 'the batch has 3 targets but 2 values or data items'),
      );
      expect(decode(encode.encodeShape('executeBatch', [targets.slice(1), [], data]))).toEqual(
        failure('LENGTHS_DIFFER'),
      );
      expect(decode(encode.encodeShape('executeBatchWithoutValues', [targets, data.slice(1)]))).toEqual(
        failure('LENGTHS_DIFFER'),
      );
    });

    it('when one of the arrays of a batch is longer than the bound', () => {
      const targets = calls.map(({ to }) => to);
      const many = Array.from({ length: MAX_INNER_CALLS + 1 }, () => '0x');
      const tooMany = (what: string) => failure('TOO_MANY_CALLS', `129 ${what}, more than 128`);
      expect(decode(encode.encodeShape('executeBatch', [targets, many.map(() => 1n), []]))).toEqual(tooMany('values'));
      expect(decode(encode.encodeShape('executeBatch', [targets, [], many]))).toEqual(tooMany('data'));
      expect(decode(encode.encodeShape('executeBatchWithoutValues', [targets, many]))).toEqual(tooMany('data'));
    });

    it('when values are missing and the account kind would revert on that', () => {
      const callData = encode.encodeBatchWithEmptyValues(calls);
      expect(decode(callData, { name: 'BICONOMY', version: '2.0.0' })).toEqual(failure('LENGTHS_DIFFER'));
      expect(decode(callData, { name: 'INFINITISM', version: '1.0.0' })).toMatchObject({ understood: true });
    });
  });

  it.each<[string, Hex]>([
    ['target, value, offset of data, data', encode.encodeSingle('execute', one)],
    [
      'offset of targets, offset of values, offset of data, targets, values, data',
      encode.encodeBatch('executeBatch', calls),
    ],
    ['offset of targets, offset of data, targets, data', encode.encodeBatchWithoutValues(calls)],
    ['offset of calls, calls, target, value, offset of data, data', encode.encodeBatchOfTuples(calls)],
    ['target, value, offset of data, operation, data', encode.encodeSafe(makeCall())],
    [
      'offset of call, target, value, offset of data, data',
      encode.encodeShape('executeTuple', [[one[0]!.to, 1n, one[0]!.data]]),
    ],
    [
      'mode, offset of executionCalldata, executionCalldata, offset of calls, offset of data',
      encode.encodeErc7579Calls(calls),
    ],
  ])('should name the fields that it reads: %s', (fields, good) => {
    expect(encode.fieldsOf(good, detailOf)).toBe(fields);
  });

  it('should not let a wrong hint get in the way, because clients send one', () => {
    const callData = encode.encodeBatch('executeBatchY6U', calls);
    expect(decode(callData, { name: 'SAFE', version: '1.4.1' })).toMatchObject({ understood: true });
  });

  describe('SAFE', () => {
    const delegate = (to: string, data: string) => encode.encodeSafe({ to, data, operation: 1 });

    it('should refuse a delegatecall to anything but a known MultiSend', () => {
      const other = randomAddress();
      expect(decode(delegate(other, encode.encodeMultiSend(encode.packMultiSend(calls))))).toEqual(
        failure('DELEGATE_CALL', `a delegatecall to ${other}`),
      );
    });

    it('should refuse a delegatecall inside MultiSend, wherever it stands', () => {
      for (const index of calls.keys()) {
        const packed = encode.packMultiSend(calls.map((call, at) => ({ ...call, operation: at === index ? 1 : 0 })));
        expect(decode(delegate(encode.MULTI_SEND, encode.encodeMultiSend(packed)))).toEqual(
          failure('DELEGATE_CALL', `a delegatecall to ${calls[index]!.to} in MultiSend`),
        );
      }
    });

    it('should refuse a MultiSend nested in MultiSend', () => {
      const inner = { to: encode.MULTI_SEND, valueWei: 0n, data: encode.encodeMultiSend(encode.packMultiSend(calls)) };
      const packed = encode.packMultiSend([{ ...inner, operation: 1 }]);
      expect(decode(delegate(encode.MULTI_SEND, encode.encodeMultiSend(packed)))).toEqual(failure('DELEGATE_CALL'));
    });

    it.each([
      ['an operation of 2', encode.encodeSafe({ ...makeCall(), operation: 2 }), 'UNSUPPORTED_MODE', 'Safe operation 2'],
      [
        'another function of MultiSend',
        delegate(encode.MULTI_SEND, '0xdeadbeef'),
        'UNKNOWN_SHAPE',
        'the MultiSend contract is called with another function',
      ],
      [
        'an operation of 2 inside MultiSend',
        delegate(encode.MULTI_SEND, encode.encodeMultiSend(encode.packMultiSend([{ ...makeCall(), operation: 2 }]))),
        'UNSUPPORTED_MODE',
        'MultiSend operation 2',
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
        'a delegatecall to MultiSend with a value',
      ],
      [
        'bytes after the last transaction',
        delegate(encode.MULTI_SEND, encode.encodeMultiSend(`${encode.packMultiSend(calls)}00`)),
        'NOT_CANONICAL',
        'the MultiSend ends inside a transaction',
      ],
      [
        'a last transaction cut short',
        delegate(encode.MULTI_SEND, encode.encodeMultiSend(encode.packMultiSend(calls).slice(0, -2))),
        'NOT_CANONICAL',
        'the MultiSend ends inside a transaction',
      ],
      [
        'an inner length of 2^255',
        delegate(
          encode.MULTI_SEND,
          encode.encodeMultiSend(`0x00${randomAddress().slice(2)}${'00'.repeat(32)}80${'00'.repeat(31)}`),
        ),
        'NOT_CANONICAL',
        'a length in the MultiSend is out of bounds',
      ],
    ])('should refuse %s', (_name, callData, kind, detail) => {
      expect(decode(callData)).toEqual(failure(kind, detail));
    });

    it('should name the fields of MultiSend that it reads', () => {
      const good = encode.encodeMultiSend(encode.packMultiSend(calls));
      const complain = (data: string) => detailOf(delegate(encode.MULTI_SEND, data));
      expect(encode.fieldsOf(good, complain)).toBe('offset of transactions, transactions');
    });

    it('should read a MultiSend whose last transaction has no data', () => {
      const bare = calls.map((call) => ({ ...call, data: '0x' }));
      expect(decode(delegate(encode.MULTI_SEND, encode.encodeMultiSend(encode.packMultiSend(bare))))).toMatchObject({
        calls: bare,
      });
    });
  });

  describe('ERC-7579', () => {
    const single = encode.packExecution(one);
    const mode = (start: string) => `0x${start.padEnd(64, '0')}`;

    it.each([
      ['delegatecall', encode.encodeErc7579(mode('ff'), single), 'DELEGATE_CALL', 'ERC-7579 call type 0xff'],
      ['delegatecall, try', encode.encodeErc7579(mode('ff01'), single), 'DELEGATE_CALL', 'ERC-7579 call type 0xff'],
      ['static call', encode.encodeErc7579(mode('fe'), single), 'UNSUPPORTED_MODE', 'ERC-7579 call type 0xfe'],
      ['unknown call type', encode.encodeErc7579(mode('02'), single), 'UNSUPPORTED_MODE', 'ERC-7579 call type 0x02'],
      ['unknown exec type', encode.encodeErc7579(mode('0002'), single), 'UNSUPPORTED_MODE', 'ERC-7579 exec type 0x02'],
      [
        'unused bytes set',
        encode.encodeErc7579(mode('000000000001'), single),
        'UNSUPPORTED_MODE',
        'an ERC-7579 mode selector or payload',
      ],
      [
        'mode selector (ERC-7821)',
        encode.encodeErc7579(mode('01000000000078210001'), single),
        'UNSUPPORTED_MODE',
        'an ERC-7579 mode selector or payload',
      ],
      [
        'mode payload',
        encode.encodeErc7579(`0x${'0'.repeat(63)}1`, single),
        'UNSUPPORTED_MODE',
        'an ERC-7579 mode selector or payload',
      ],
      [
        'single shorter than its head',
        encode.encodeErc7579(mode('00'), single.slice(0, 2 + 102)),
        'NOT_CANONICAL',
        'a single execution shorter than target and value',
      ],
      ['single read as batch', encode.encodeErc7579(mode('01'), single), 'NOT_CANONICAL', expect.any(String)],
    ])('should refuse %s', (_name, callData, kind, detail) => {
      expect(decode(callData)).toEqual(failure(kind, detail));
    });
  });

  describe('executeUserOp prefix', () => {
    const callData = encode.prefixExecuteUserOp(encode.encodeErc7579Calls(calls));

    const foreign = 'an executeUserOp prefix that this account kind does not have';
    const inFront = 'an executeUserOp prefix in front of something else than ERC-7579 execute';

    it.each<[string, Hex, SmartAccountInfo | undefined, EntryPointVersion, string]>([
      ['on EntryPoint v0.6', callData, undefined, '0.6', foreign],
      ['for SimpleAccount', callData, { name: 'INFINITISM', version: '1.0.0' }, '0.8', foreign],
      ['for Biconomy 1.0.0', callData, { name: 'BICONOMY', version: '1.0.0' }, '0.7', foreign],
      [
        'in front of another shape',
        encode.prefixExecuteUserOp(encode.encodeSingle('execute', one)),
        undefined,
        '0.7',
        inFront,
      ],
      ['in front of itself', encode.prefixExecuteUserOp(callData), undefined, '0.7', inFront],
      ['in front of nothing', '0x8dd7712f', undefined, '0.7', inFront],
      [
        'in front of (address, bytes)',
        encode.prefixExecuteUserOp(encode.encodeExecutions(one)),
        undefined,
        '0.7',
        inFront,
      ],
    ])('should be refused %s', (_name, data, account, version, detail) => {
      expect(decode(data, account, version)).toEqual(failure('UNKNOWN_SHAPE', detail));
    });

    it.each(['0.7', '0.8', '0.9'] as const)('should be read on EntryPoint v%s', (version) => {
      expect(decode(callData, { name: 'BICONOMY', version: '2.0.0' }, version)).toMatchObject({ calls });
    });
  });
});
