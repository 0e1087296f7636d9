import fc from 'fast-check';
import { AbiCoder, dataSlice } from 'ethers';
import type { Hex } from '@paymaster/domain';
import * as encode from '../testing/encode-calls';
import type { InnerCall } from '../decode/decode-result';
import { MAX_SUFFIX_BYTES } from './account-family';
import { decodeCalls } from './decode-calls';
import { CALLING_SELECTORS, FUNCTION_BY_SELECTOR } from './known-functions';

fc.configureGlobal({ seed: Number(process.env['TEST_SEED']) });

type Encoder = (calls: readonly encode.TestCall[]) => Hex;

const SINGLES = ['execute', 'executeNcC', 'executeCall', 'executeCallS1m'] as const;
const BATCHES = ['executeBatch', 'executeBatchY6U', 'executeBatchCall', 'executeBatchCall4by'] as const;

const ENCODERS: readonly (readonly [string, { single: boolean; encode: Encoder }])[] = [
  ...SINGLES.map(
    (name) =>
      [
        name,
        { single: true, encode: (calls: readonly encode.TestCall[]) => encode.encodeSingle(name, calls) },
      ] as const,
  ),
  ...BATCHES.map(
    (name) =>
      [
        name,
        { single: false, encode: (calls: readonly encode.TestCall[]) => encode.encodeBatch(name, calls) },
      ] as const,
  ),
  ['executeBatch of tuples', { single: false, encode: encode.encodeBatchOfTuples }],
  [
    'Kernel v2',
    {
      single: true,
      encode: ([call]) => encode.encodeShape('executeWithOperation', [call?.to, call?.valueWei, call?.data, 0]),
    },
  ],
  [
    'MetaMask',
    { single: true, encode: ([only]) => encode.encodeShape('executeTuple', [[only?.to, only?.valueWei, only?.data]]) },
  ],
  ['Safe', { single: false, encode: (calls) => encode.encodeSafeCalls(calls) }],
  ['setupSafe', { single: false, encode: (calls) => encode.encodeSetupSafe(calls) }],
  ['ERC-7579', { single: false, encode: encode.encodeErc7579Calls }],
  ['executeUserOp', { single: false, encode: (calls) => encode.prefixExecuteUserOp(encode.encodeErc7579Calls(calls)) }],
];

const hexOf = (minLength: number, maxLength: number) =>
  fc.uint8Array({ minLength, maxLength }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`);
const call: fc.Arbitrary<encode.TestCall> = fc.record({
  to: hexOf(20, 20),
  valueWei: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })),
  data: hexOf(0, 70),
});
const callsFor = ({ single }: { single: boolean }) => fc.array(call, { minLength: 1, maxLength: single ? 1 : 6 });
const decode = (callData: Hex) => decodeCalls({ callData, entryPointVersion: '0.7' });
const plain = (calls: readonly InnerCall[]) => calls.map(({ to, valueWei, data }) => ({ to, valueWei, data }));

/** A setup as ethers reads it, written again with each encoding of the calls behind it. */
function reEncodedSetups(callData: Hex, calls: readonly encode.TestCall[]): Hex[] {
  const type = '(address,address[],uint256,address,bytes,address,(address,bytes)[],bytes)';
  const [setup] = AbiCoder.defaultAbiCoder().decode([type], dataSlice(callData, 4)).toArray(true) as [unknown[]];
  return reEncodings(setup[7] as Hex, calls).map((inner) =>
    encode.encodeShape('setupSafe', [[...setup.slice(0, 7), inner]]),
  );
}

/** All the ways ethers can encode these calls in the shape of `callData`; one of them has to be `callData` itself. */
function reEncodings(callData: Hex, calls: readonly encode.TestCall[]): Hex[] {
  const selector = callData.slice(0, 10);
  if (selector === encode.selectorOf('executeUserOp(erc7579Execute)')) {
    return reEncodings(`0x${callData.slice(10)}`, calls).map(encode.prefixExecuteUserOp);
  }
  if (selector === encode.selectorOf('erc7579Execute')) {
    const mode = dataSlice(callData, 4, 36);
    const batch = encode.encodeErc7579(mode, encode.encodeExecutions(calls));
    return mode.startsWith('0x00') ? [encode.encodeErc7579(mode, encode.packExecution(calls))] : [batch];
  }
  if (
    selector === encode.selectorOf('safeExecuteUserOp') ||
    selector === encode.selectorOf('safeExecuteUserOpWithErrorString')
  ) {
    const name =
      selector === encode.selectorOf('safeExecuteUserOp') ? 'safeExecuteUserOp' : 'safeExecuteUserOpWithErrorString';
    const [to] = AbiCoder.defaultAbiCoder().decode(['address'], dataSlice(callData, 4, 36)) as unknown as [string];
    const data = encode.encodeMultiSend(encode.packMultiSend(calls));
    const [only] = calls;
    const multi = encode.encodeSafe({ to, data, operation: 1, name });
    return only && calls.length === 1 ? [encode.encodeSafe({ ...only, name }), multi] : [multi];
  }
  if (selector === encode.selectorOf('executeBatchOfTuples')) return [encode.encodeBatchOfTuples(calls)];
  if (selector === encode.selectorOf('executeBatchWithoutValues')) return [encode.encodeBatchWithoutValues(calls)];
  if (selector === encode.selectorOf('setupSafe')) {
    // Whatever was read of the setup comes back, and the call data behind it re-encodes as ERC-7579.
    return reEncodedSetups(callData, calls);
  }
  if (selector === encode.selectorOf('executeWithOperation')) {
    return calls.map((only) => encode.encodeShape('executeWithOperation', [only.to, only.valueWei, only.data, 0]));
  }
  if (selector === encode.selectorOf('executeTuple')) {
    return calls.map((only) => encode.encodeShape('executeTuple', [[only.to, only.valueWei, only.data]]));
  }
  const single = SINGLES.find((name) => encode.selectorOf(name) === selector);
  if (single) return [encode.encodeSingle(single, calls)];
  const batch = BATCHES.find((name) => encode.selectorOf(name) === selector);
  if (!batch) throw new Error(`decoded an unexpected function ${selector}`);
  return [encode.encodeBatch(batch, calls), encode.encodeBatchWithEmptyValues(calls)];
}

const suffixDigits = (callData: Hex) =>
  FUNCTION_BY_SELECTOR.get(callData.slice(2, 10))?.ignoresSuffix ? 2 * MAX_SUFFIX_BYTES : 0;

/**
 * The one property that matters: whatever was decoded is what an ABI decoder reads from these very bytes, which may go
 * on behind it where the account is known not to look.
 */
function expectRefusedOrExact(callData: Hex): boolean {
  const decoded = decode(callData);
  if (!decoded.understood) return false;
  if (callData === '0x') return true;
  const exact = reEncodings(callData, plain(decoded.calls)).find((encoded) => callData.startsWith(encoded));
  const behind = exact === undefined ? Infinity : callData.length - exact.length;
  // Jest is asked only to say it: what it makes for each question takes longer than all the rest.
  if (behind > suffixDigits(callData)) expect(behind).toBeLessThanOrEqual(suffixDigits(callData));
  return true;
}

describe('decodeCalls, properties', () => {
  it.each(ENCODERS)('should read back what ethers encoded: %s', (_name, encoder) => {
    fc.assert(
      fc.property(callsFor(encoder), (calls) => {
        const decoded = decode(encoder.encode(calls));
        expect(decoded.understood && plain(decoded.calls)).toEqual(calls);
      }),
      { numRuns: 60 },
    );
  });

  it('should read back batches without values, which ethers encodes too', () => {
    fc.assert(
      fc.property(callsFor({ single: false }), (calls) => {
        const free = calls.map((each) => ({ ...each, valueWei: 0n }));
        for (const encodeFree of [encode.encodeBatchWithoutValues, encode.encodeBatchWithEmptyValues]) {
          const decoded = decode(encodeFree(free));
          expect(decoded.understood && plain(decoded.calls)).toEqual(free);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([...ENCODERS, ['without values', { single: false, encode: encode.encodeBatchWithoutValues }] as const])(
    'should refuse or read exactly, with any byte changed: %s',
    (_name, encoder) => {
      fc.assert(
        fc.property(callsFor(encoder), fc.integer({ min: 1, max: 255 }), fc.nat(), (calls, flip, seed) => {
          const bytes = Buffer.from(encoder.encode(calls).slice(2), 'hex');
          // Every byte in turn for structure, with a flip that differs along the way.
          for (let at = seed % 7; at < bytes.length; at += 7) {
            const mutated = Buffer.from(bytes);
            mutated[at] = (mutated[at] ?? 0) ^ flip;
            expectRefusedOrExact(`0x${mutated.toString('hex')}`);
          }
        }),
        { numRuns: 5 },
      );
    },
  );

  it.each(ENCODERS)(
    'should refuse or read exactly, with any word replaced by a telling number: %s',
    (_name, encoder) => {
      const telling = [
        0n,
        1n,
        31n,
        32n,
        33n,
        64n,
        96n,
        128n,
        2n ** 31n,
        2n ** 32n,
        2n ** 255n,
        2n ** 256n - 1n,
        2n ** 256n - 32n,
      ];
      const words = telling.map((value) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex'));
      fc.assert(
        fc.property(callsFor(encoder), (calls) => {
          const bytes = Buffer.from(encoder.encode(calls).slice(2), 'hex');
          for (let at = 4; at + 32 <= bytes.length; at += 32) {
            for (const word of words) {
              const mutated = Buffer.from(bytes);
              word.copy(mutated, at);
              expectRefusedOrExact(`0x${mutated.toString('hex')}`);
            }
          }
        }),
        { numRuns: 3 },
      );
    },
  );

  it.each(ENCODERS)('should refuse whatever is longer or shorter than the arguments: %s', (_name, encoder) => {
    fc.assert(
      fc.property(callsFor(encoder), hexOf(1, 40), fc.integer({ min: 1, max: 40 }), (calls, tail, cut) => {
        const callData = encoder.encode(calls);
        const allowed = '00'.repeat(suffixDigits(callData) / 2);
        expect(decode(`0x${callData.slice(2)}${allowed}${tail.slice(2)}`)).toMatchObject({ understood: false });
        expect(decode(callData.slice(0, -2 * cut) as Hex)).toMatchObject({ understood: false });
      }),
      { numRuns: 60 },
    );
  });

  it.each(ENCODERS)('should read the same with any bytes behind that the account ignores: %s', (_name, encoder) => {
    fc.assert(
      fc.property(callsFor(encoder), hexOf(MAX_SUFFIX_BYTES, MAX_SUFFIX_BYTES), (calls, bytes) => {
        const callData = encoder.encode(calls);
        const suffix = bytes.slice(2, 2 + suffixDigits(callData));
        const suffixBytes = suffix === '' ? undefined : suffix.length / 2;
        expect(decode(`${callData}${suffix}`)).toEqual({ ...decode(callData), suffixBytes });
      }),
      { numRuns: 20 },
    );
  });

  it('should never throw, on any bytes behind any selector', () => {
    const selectors = fc.constantFrom(...CALLING_SELECTORS);
    fc.assert(
      fc.property(selectors, hexOf(0, 300), (selector, rest) => {
        expectRefusedOrExact(`${selector}${rest.slice(2)}`);
      }),
      { numRuns: 2_000 },
    );
    fc.assert(
      fc.property(fc.string(), (text) => expect(decode(text as Hex)).toHaveProperty('understood')),
      { numRuns: 500 },
    );
  });
});
