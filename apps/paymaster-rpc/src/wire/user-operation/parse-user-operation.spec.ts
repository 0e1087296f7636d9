import {
  EIP7702_MARKER,
  InvalidParamsError,
  ZERO_ADDRESS,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { detectEntryPointVersion } from './detect-entry-point-version';
import { parseUserOperation } from './parse-user-operation';
import type { RawUserOperation } from './raw-user-operation';

const paymaster = randomAddress();
const raw = (changes: object = {}): RawUserOperation => ({
  sender: '0xFF285DE09CDb62a907b1531Ee6330b2cDbcaE74D',
  nonce: '0x1',
  callData: '0x',
  maxFeePerGas: '0x2',
  maxPriorityFeePerGas: '1',
  ...changes,
});
const CHAIN_ID = 8453;
const parse = (changes: object, version: EntryPointVersion = '0.7') =>
  parseUserOperation(raw(changes), { version, reserved: [paymaster], chainId: CHAIN_ID });

function fieldOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof InvalidParamsError) {
      expect(error.message).toContain(error.field);
      return error.field;
    }
    throw error;
  }
  throw new Error('it was accepted');
}

describe('parseUserOperation', () => {
  it.each<[unknown, bigint]>([
    ['0x', 0n],
    ['0x0', 0n],
    ['0x00', 0n],
    ['0x001', 1n],
    ['0xfF', 255n],
    [
      '15224955350739496636633250427077404792929322447987211085485661224960',
      15224955350739496636633250427077404792929322447987211085485661224960n,
    ],
    [17, 17n],
    [`0x${'f'.repeat(64)}`, 2n ** 256n - 1n],
  ])('reads the nonce %s', (nonce, expected) => {
    expect(parse({ nonce }).nonce).toBe(expected);
  });

  it('takes absent limits for zero and an absent signature for 0x', () => {
    expect(parse({})).toMatchObject({
      callGasLimit: 0n,
      verificationGasLimit: 0n,
      preVerificationGas: 0n,
      signature: '0x',
    });
  });

  it('lowers the sender and keeps the bytes of call data as they were sent', () => {
    const callData = '0xABcd';
    expect(parse({ callData })).toMatchObject({ sender: '0xff285de09cdb62a907b1531ee6330b2cdbcae74d', callData });
  });

  it('never takes over a paymaster field or a field it does not know', () => {
    const operation = parse({
      paymaster: randomAddress(),
      paymasterData: '0x12',
      paymasterPostOpGasLimit: '0x4c4b40',
      foo: 1,
    });
    expect(Object.keys(operation)).not.toEqual(expect.arrayContaining(['paymaster']));
    expect(operation).not.toHaveProperty('paymasterPostOpGasLimit');
    expect(operation).not.toHaveProperty('foo');
  });

  it.each<[string, object, string]>([
    ['a nonce of 2^256', { nonce: `0x1${'0'.repeat(64)}` }, 'params[0].nonce'],
    ['a limit of 2^128', { callGasLimit: (2n ** 128n).toString() }, 'params[0].callGasLimit'],
    ['call data of odd length', { callData: '0x123' }, 'params[0].callData'],
    ['a tip above the fee', { maxPriorityFeePerGas: '0x3' }, 'params[0].maxPriorityFeePerGas'],
    ['factory data without a factory', { factoryData: '0x12' }, 'params[0].factoryData'],
    ['the EIP-7702 factory, which v0.7 does not know', { factory: EIP7702_MARKER }, 'params[0].factory'],
    ['the same in its short form', { factory: '0x7702' }, 'params[0].factory'],
    ['the zero address', { sender: ZERO_ADDRESS }, 'params[0].sender'],
    ['a precompile', { sender: `0x${'0'.repeat(38)}09` }, 'params[0].sender'],
    ['our paymaster as sender', { sender: paymaster }, 'params[0].sender'],
    ['more than 8,192 bytes', { callData: randomHex(8_000) }, 'params[0]'],
    ['a signature of 10 KiB', { signature: randomHex(10_240) }, 'params[0]'],
  ])('refuses %s', (_title, changes, field) => {
    expect(fieldOf(() => parse(changes))).toBe(field);
  });

  it('refuses an initCode that is shorter than a factory address', () => {
    expect(fieldOf(() => parse({ initCode: '0x1234' }, '0.6'))).toBe('params[0].initCode');
  });

  it('reads 0x as no factory, as some v0.7 clients write it', () => {
    expect(parse({ factory: '0x', factoryData: '0x' })).not.toHaveProperty('factory');
  });
});

describe('parseUserOperation, of an operation that delegates by EIP-7702', () => {
  const address = randomAddress();
  /** As viem sends it. */
  const signed = {
    ...{ address: `0x${address.slice(2).toUpperCase()}`, chainId: '0x2105', nonce: '0x07', yParity: '0x01' },
    ...{ r: `0x${'00'.repeat(31)}ab`, s: `0x${'11'.repeat(32)}` },
  };
  const parsed = { address, chainId: 8453n, nonce: 7n, r: 0xabn, s: BigInt(signed.s), yParity: 1 };

  it.each(['0x7702', EIP7702_MARKER])('reads the factory %s as the marker', (factory) => {
    expect(parse({ factory }, '0.8')).toMatchObject({ factory: EIP7702_MARKER, factoryData: '0x' });
    expect(parse({ factory, factoryData: '0xab' }, '0.8')).toMatchObject({ factoryData: '0xab' });
  });

  it.each(['eip7702Auth', 'authorization'])('reads %s', (name) => {
    expect(parse({ factory: '0x7702', [name]: signed }, '0.8')).toMatchObject({ eip7702Auth: parsed });
  });

  it('takes an authorization for every chain, and numbers in any form', () => {
    const decimal = { ...signed, chainId: 0, nonce: '7', yParity: 0 };
    expect(parse({ eip7702Auth: decimal })).toMatchObject({ eip7702Auth: { ...parsed, chainId: 0n, yParity: 0 } });
  });

  it('reads no authorization when there is none', () => {
    expect(parse({ eip7702Auth: null })).not.toHaveProperty('eip7702Auth');
  });

  it.each<[string, object, string]>([
    ['of another chain', { chainId: '0x1' }, '.chainId'],
    ['with the nonce that no account reaches', { nonce: `0x${'f'.repeat(16)}` }, '.nonce'],
    ['with a nonce of 65 bits', { nonce: `0x1${'0'.repeat(16)}` }, '.nonce'],
    ['to the zero address', { address: ZERO_ADDRESS }, '.address'],
    ['with a yParity of 27', { yParity: '0x1b' }, '.yParity'],
    ['with an r of 257 bits', { r: `0x1${'0'.repeat(64)}` }, '.r'],
    ['with an s of 257 bits', { s: `0x1${'0'.repeat(64)}` }, '.s'],
  ])('refuses an authorization %s', (_title, change, field) => {
    for (const name of ['eip7702Auth', 'authorization']) {
      const operation = { factory: '0x7702', [name]: { ...signed, ...change } };
      expect(fieldOf(() => parse(operation, '0.8'))).toBe(`params[0].${name}${field}`);
    }
  });

  it('refuses two authorizations, and one beside a factory that deploys', () => {
    const both = { eip7702Auth: signed, authorization: signed };
    expect(fieldOf(() => parse(both, '0.8'))).toBe('params[0].authorization');
    const deployed = { factory: randomAddress(), eip7702Auth: signed };
    expect(fieldOf(() => parse(deployed, '0.8'))).toBe('params[0].factory');
  });

  it('treats a factory that only starts like the marker as a factory', () => {
    const factory = `0x7702aa${'0'.repeat(34)}`;
    expect(parse({ factory }, '0.8')).toMatchObject({ factory });
  });
});

describe('detectEntryPointVersion', () => {
  const factory: Address = randomAddress();
  const detect = (changes: object, options: Partial<Parameters<typeof detectEntryPointVersion>[1]> = {}) =>
    detectEntryPointVersion(raw(changes), {
      named: undefined,
      served: ['0.6', '0.7', '0.8', '0.9'],
      paymasterVersion: '2.0.0',
      ...options,
    });

  it.each([
    ['v0.6 by initCode', { initCode: '0x' }, '0.6'],
    ['v0.6 by paymasterAndData', { paymasterAndData: '0x' as Hex }, '0.6'],
    ['v0.7 by factory', { factory }, '0.7'],
    ['v0.7 by a paymaster limit', { paymasterPostOpGasLimit: '0x0' }, '0.7'],
    ['v0.9 by a signature of the paymaster', { paymasterSignature: '0x' }, '0.9'],
    ['v0.7 where nothing tells', {}, '0.7'],
    ['v0.7 where the fields are null', { initCode: null, paymasterAndData: null }, '0.7'],
  ])('finds %s', (_title, changes, version) => {
    expect(detect(changes)).toBe(version);
  });

  it.each(['1.0.0', '1.1.0'] as const)(
    'takes v0.6 when no field decides and the paymaster is of version %s',
    (paymasterVersion) => {
      expect(detect({}, { paymasterVersion })).toBe('0.6');
      expect(detect({}, { paymasterVersion, served: ['0.8'] })).toBe('0.8');
      expect(detect({ factory }, { paymasterVersion })).toBe('0.7');
    },
  );

  it('takes v0.7 or v0.8 if only one of them is served, and the version that is named', () => {
    expect(detect({ factory }, { served: ['0.6', '0.8'] })).toBe('0.8');
    expect(detect({ factory }, { named: '0.8' })).toBe('0.8');
    expect(detect({}, { named: '0.6' })).toBe('0.6');
  });

  it.each([
    ['an authorization', { eip7702Auth: {} }],
    ['its other name', { authorization: {} }],
    ['the marker', { factory: '0x7702' }],
    ['the padded marker', { factory: EIP7702_MARKER }],
  ])('takes v0.8 for an operation with %s, where that is served', (_title, changes) => {
    for (const paymasterVersion of ['1.0.0', '2.0.0'] as const)
      expect(detect(changes, { paymasterVersion })).toBe('0.8');
    expect(detect(changes, { served: ['0.6', '0.7'] })).toBe('0.7');
    expect(detect(changes, { named: '0.7' })).toBe('0.7');
  });

  it.each<[string, object, object, string]>([
    ['mixed fields', { initCode: '0x', factory }, {}, 'params[0].factory'],
    ['packed fields', { accountGasLimits: '0x' }, {}, 'params[0].accountGasLimits'],
    ['an EIP-7702 authorization for v0.6', { eip7702Auth: {} }, { named: '0.6' }, 'params[0].eip7702Auth'],
    ['one beside an initCode', { eip7702Auth: {}, initCode: '0x' }, {}, 'params[0].eip7702Auth'],
    ['the other name of it for v0.6', { authorization: {} }, { named: '0.6' }, 'params[0].authorization'],
    ['a v0.6 field for v0.7', { initCode: '0x' }, { named: '0.7' }, 'params[0].initCode'],
    ['a v0.7 field for v0.6', { factory }, { named: '0.6' }, 'params[0].factory'],
    [
      'the field of v0.9 where that is not served',
      { paymasterSignature: '0x' },
      { served: ['0.6', '0.8'] },
      'params[0].paymasterSignature',
    ],
    ['a version that is not served', { initCode: '0x' }, { served: ['0.7'] }, 'params[0].initCode'],
  ])('refuses %s', (_title, changes, options, field) => {
    expect(fieldOf(() => detect(changes, options))).toBe(field);
  });
});
