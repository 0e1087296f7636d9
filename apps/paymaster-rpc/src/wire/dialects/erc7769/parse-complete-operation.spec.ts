import { CANONICAL_ENTRY_POINTS, type EntryPointVersion } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { exampleCaller, MINT_CALL } from '../../../testing/examples/example-world';
import { wireOperationV06, wireOperationV07 } from '../../../testing/rpc-call';
import { completeOperationFor, type RawCompleteOperation } from './parse-complete-operation';

const caller = exampleCaller();
const paymaster = randomAddress();
const data = randomHex(106);
const signature = randomHex(65);
const MAGIC = '22e325a297439656';

const parse = (version: EntryPointVersion, fields: object) => {
  const wire = version === '0.6' ? wireOperationV06(MINT_CALL) : wireOperationV07(MINT_CALL);
  const entryPoint = { address: CANONICAL_ENTRY_POINTS[version], field: 'params[1]' };
  return completeOperationFor({ ...wire, ...fields } as RawCompleteOperation, { caller, entryPoint }).paymaster;
};

describe('completeOperationFor', () => {
  it.each([
    ['absent', {}],
    ['null, as abstractionkit sends them', { paymaster: null, paymasterData: null, paymasterPostOpGasLimit: null }],
    [
      "empty, as thirdweb's are",
      { paymasterData: '0x', paymasterPostOpGasLimit: '0x0', paymasterVerificationGasLimit: 0 },
    ],
  ])('reads fields of a paymaster that are %s as no paymaster', (_title, fields) => {
    expect(parse('0.7', fields)).toBeUndefined();
  });

  it('reads limits in every form', () => {
    const limits = { paymasterVerificationGasLimit: '33000', paymasterPostOpGasLimit: '0x' };
    expect(parse('0.7', { paymaster, paymasterData: data, ...limits })).toEqual({
      ...{ paymaster, paymasterData: data, paymasterVerificationGasLimit: 33_000n, paymasterPostOpGasLimit: 0n },
    });
  });

  it('splits paymasterAndData of v0.6', () => {
    const sent = parse('0.6', { paymasterAndData: `${paymaster}${data.slice(2)}` });
    expect(sent).toMatchObject({ paymaster, paymasterData: data });
    expect(parse('0.6', { paymasterAndData: '0x' })).toBeUndefined();
  });

  it.each([
    ["viem's: a field", { paymasterData: data, paymasterSignature: signature }],
    [
      "rundler's: a field, and the magic in the data",
      { paymasterData: `${data}${MAGIC}`, paymasterSignature: signature },
    ],
    ["Candide's: all in the data", { paymasterData: `${data}${signature.slice(2)}0041${MAGIC}` }],
  ])('reads a signature of v0.9 in every form: %s', (_title, fields) => {
    expect(parse('0.9', { paymaster, ...fields })).toMatchObject({
      paymasterData: data,
      paymasterSignature: signature,
    });
  });

  it.each<[string, EntryPointVersion, object, string]>([
    ['data of nobody', '0.7', { paymasterData: data }, 'paymasterData'],
    ['a signature on v0.8', '0.8', { paymaster, paymasterSignature: signature }, 'paymasterSignature'],
    ['an address that is cut off', '0.6', { paymasterAndData: '0x1234' }, 'paymasterAndData'],
    ['half a byte', '0.7', { paymaster, paymasterData: '0x123' }, 'paymasterData'],
    ['a signature longer than the data', '0.9', { paymaster, paymasterData: `0xffff${MAGIC}` }, 'paymasterData'],
  ])('refuses %s', (_title, version, fields, field) => {
    expect(() => parse(version, fields)).toThrow(expect.objectContaining({ field: `params[0].${field}` }));
  });
});
