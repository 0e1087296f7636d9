import { concat } from 'ethers';
import type { Address, EntryPointVersion, Hex, PolicySnapshot } from '@paymaster/domain';
import {
  policySnapshotBuilder,
  randomAddress,
  randomHex,
  userOperationV06Builder,
  userOperationV07Builder,
} from '@paymaster/domain/testing';
import { MAX_SUFFIX_BYTES } from '../accounts/account-family';
import { decodeCalls } from '../accounts/decode-calls';
import { FUNCTION_BY_SELECTOR } from '../accounts/known-functions';
import type { SmartAccountInfo } from '../accounts/smart-account';
import { MAX_INNER_CALLS } from '../decode/decode-result';
import * as encode from '../testing/encode-calls';
import { compilePolicy } from '../policies/compile-policy';
import { evaluate } from './evaluate';

/** The corpus of threat 28: call data of every account kind, good and bad. One bad inner call refuses all. */
interface AccountCase {
  readonly name: string;
  /** What the client says; left out where clients have no name for it. */
  readonly account?: SmartAccountInfo;
  readonly version: EntryPointVersion;
  readonly one: (call: encode.TestCall) => Hex;
  /** Absent where the account has no batch. */
  readonly many?: (calls: readonly encode.TestCall[]) => Hex;
  /** False where a batch carries no value. */
  readonly batchHasValues?: false;
}

const BICONOMY_V2: SmartAccountInfo = { name: 'BICONOMY', version: '2.0.0' };
const BICONOMY_V1: SmartAccountInfo = { name: 'BICONOMY', version: '1.0.0' };
const INFINITISM: SmartAccountInfo = { name: 'INFINITISM', version: '1.0.0' };
const SAFE: SmartAccountInfo = { name: 'SAFE', version: '1.4.1' };

const ACCOUNTS: readonly AccountCase[] = [
  {
    name: 'BICONOMY 2.0.0, optimised names',
    account: BICONOMY_V2,
    version: '0.6',
    one: (call) => encode.encodeSingle('executeNcC', [call]),
    many: (calls) => encode.encodeBatch('executeBatchY6U', calls),
  },
  {
    name: 'BICONOMY 2.0.0',
    account: BICONOMY_V2,
    version: '0.6',
    one: (call) => encode.encodeSingle('execute', [call]),
    many: (calls) => encode.encodeBatch('executeBatch', calls),
  },
  {
    name: 'BICONOMY 1.0.0, optimised names',
    account: BICONOMY_V1,
    version: '0.6',
    one: (call) => encode.encodeSingle('executeCallS1m', [call]),
    many: (calls) => encode.encodeBatch('executeBatchCall4by', calls),
  },
  {
    name: 'BICONOMY 1.0.0',
    account: BICONOMY_V1,
    version: '0.6',
    one: (call) => encode.encodeSingle('executeCall', [call]),
    many: (calls) => encode.encodeBatch('executeBatchCall', calls),
  },
  {
    name: 'INFINITISM on v0.6',
    account: INFINITISM,
    version: '0.6',
    one: (call) => encode.encodeSingle('execute', [call]),
    many: encode.encodeBatchWithoutValues,
    batchHasValues: false,
  },
  {
    name: 'INFINITISM on v0.7',
    account: INFINITISM,
    version: '0.7',
    one: (call) => encode.encodeSingle('execute', [call]),
    many: (calls) => encode.encodeBatch('executeBatch', calls),
  },
  {
    name: 'INFINITISM on v0.8',
    account: INFINITISM,
    version: '0.8',
    one: (call) => encode.encodeSingle('execute', [call]),
    many: encode.encodeBatchOfTuples,
  },
  {
    name: 'Barz',
    version: '0.6',
    one: (call) => encode.encodeSingle('execute', [call]),
    many: (calls) => encode.encodeBatch('executeBatch', calls),
  },
  {
    name: 'Coinbase Smart Wallet',
    version: '0.6',
    one: (call) => encode.encodeSingle('execute', [call]),
    many: encode.encodeBatchOfTuples,
  },
  {
    name: 'Kernel v2',
    version: '0.6',
    one: (call) => encode.encodeShape('executeWithOperation', [call.to, call.valueWei, call.data, 0]),
    many: encode.encodeBatchOfTuples,
  },
  {
    name: 'LightAccount v2',
    version: '0.7',
    one: (call) => encode.encodeSingle('execute', [call]),
    many: (calls) => encode.encodeBatch('executeBatch', calls),
  },
  {
    name: 'MetaMask',
    version: '0.7',
    one: (call) => encode.encodeShape('executeTuple', [[call.to, call.valueWei, call.data]]),
    many: (calls) => encode.encodeErc7579(encode.MODE_BATCH, encode.encodeExecutions(calls)),
  },
  {
    name: 'SAFE',
    account: SAFE,
    version: '0.7',
    one: (call) => encode.encodeSafeCalls([call]),
    many: (calls) =>
      encode.encodeSafe({
        to: encode.MULTI_SEND,
        data: encode.encodeMultiSend(encode.packMultiSend(calls)),
        operation: 1,
      }),
  },
  {
    name: 'Safe7579, first operation',
    version: '0.7',
    one: (call) => encode.encodeSetupSafe([call]),
    many: (calls) =>
      encode.encodeSetupSafe([], { callData: encode.encodeErc7579(encode.MODE_BATCH, encode.encodeExecutions(calls)) }),
  },
  {
    name: 'ERC-7579',
    account: BICONOMY_V2,
    version: '0.7',
    one: (call) => encode.encodeErc7579(encode.MODE_SINGLE, encode.packExecution([call])),
    many: (calls) => encode.encodeErc7579(encode.MODE_BATCH, encode.encodeExecutions(calls)),
  },
  {
    name: 'ERC-7579 behind executeUserOp',
    account: BICONOMY_V2,
    version: '0.8',
    one: (call) =>
      encode.prefixExecuteUserOp(encode.encodeErc7579(encode.MODE_SINGLE_TRY, encode.packExecution([call]))),
    many: (calls) =>
      encode.prefixExecuteUserOp(encode.encodeErc7579(encode.MODE_BATCH_TRY, encode.encodeExecutions(calls))),
  },
];

const token = randomAddress();
const game = randomAddress();
const silent = randomAddress();
const stranger = randomAddress();
const sender = randomAddress();
const mint: Hex = '0x40c10f19';
const play: Hex = '0x93e84cd9';
const burn: Hex = '0x42966c68';

const snapshot: PolicySnapshot = policySnapshotBuilder()
  .with('contracts', [
    { address: token, selectors: [mint, burn] },
    { address: game, selectors: [play] },
    { address: silent, selectors: [] },
  ])
  .build();
const policy = compilePolicy(snapshot);

const call = (to: Address, data: string, valueWei = 0n): encode.TestCall => ({ to, valueWei, data });
const mintCall = call(token, concat([mint, randomHex(64)]));
const playCall = call(game, play);
const goodCalls = [mintCall, playCall, call(token, concat([burn, randomHex(31)]))];

const badCalls: readonly (readonly [string, string, encode.TestCall])[] = [
  ['an unlisted selector on a listed contract', 'METHOD_NOT_WHITELISTED', call(token, play)],
  ['a listed selector on an unlisted contract', 'CONTRACT_NOT_REGISTERED', call(stranger, mintCall.data)],
  ['a listed selector with value on an unlisted contract', 'CONTRACT_NOT_REGISTERED', call(stranger, mint, 1n)],
  ['a registered contract without whitelisted methods', 'METHOD_NOT_WHITELISTED', call(silent, mint)],
  ['a selector that differs in its last byte', 'METHOD_NOT_WHITELISTED', call(token, '0x40c10f18')],
  ['a listed selector one byte late', 'METHOD_NOT_WHITELISTED', call(token, concat(['0x00', mint]))],
  ['empty data', 'NATIVE_TRANSFER_NOT_SPONSORED', call(token, '0x')],
  ['one byte of data', 'METHOD_NOT_WHITELISTED', call(token, '0x40')],
  ['two bytes of data', 'METHOD_NOT_WHITELISTED', call(token, '0x40c1')],
  ['three bytes of data', 'METHOD_NOT_WHITELISTED', call(token, '0x40c10f')],
  ['a call to the account itself', 'SELF_CALL_REFUSED', call(sender, '0xf2fde38b')],
  [
    'an execute of the account to itself',
    'SELF_CALL_REFUSED',
    call(sender, encode.encodeSingle('execute', [call(token, mint)])),
  ],
  [
    'a batch of the account to itself',
    'SELF_CALL_REFUSED',
    call(sender, encode.encodeBatch('executeBatch', [mintCall, playCall])),
  ],
  ['the zero address, which some accounts read as themselves', 'SELF_CALL_REFUSED', call(`0x${'00'.repeat(20)}`, mint)],
  [
    "Safe's 4337 module, which would believe to be called by the EntryPoint",
    'SELF_CALL_REFUSED',
    call('0x75cf11467937ce3f2f357ce24ffc3dbf8fd5c226', mint),
  ],
  ["Safe's ERC-7579 adapter", 'SELF_CALL_REFUSED', call('0x7579ee8307284f293b1927136486880611f20002', mint)],
  ["MetaMask's DelegationManager", 'SELF_CALL_REFUSED', call('0xdb9b1e94b5b69df7e401ddbede43491141047db3', mint)],
  ['the EntryPoint', 'CONTRACT_NOT_REGISTERED', call('0x0000000071727de22e5e9d8baf0edac6f37da032', mint)],
];
const transfer = call(stranger, '0x', 10n);

/** Changes of encoded call data that leave no canonical encoding, even behind the most that the account ignores. */
const damages: readonly (readonly [string, (callData: Hex, ignored: string) => string])[] = [
  ['an odd digit', (data) => `${data}0`],
  ['one byte after the arguments', (data, ignored) => `${data}${ignored}00`],
  ['a zero word after the arguments', (data, ignored) => `${data}${ignored}${'00'.repeat(32)}`],
  ['a second encoding after the arguments', (data, ignored) => `${data}${ignored}${data.slice(2)}`],
  ['the last byte cut off', (data) => data.slice(0, -2)],
  ['the last word cut off', (data) => data.slice(0, -64)],
  ['only the selector', (data) => data.slice(0, 10)],
  ['three bytes', (data) => data.slice(0, 8)],
  ['another selector', (data) => `0xffffffff${data.slice(10)}`],
  ['a byte before the arguments', (data) => `${data.slice(0, 10)}00${data.slice(10)}`],
  ['characters that are no digits', (data) => `${data.slice(0, -2)}zz`],
];

function verdictOn(accountCase: AccountCase, callData: string) {
  const { account, version } = accountCase;
  const common = <T extends { with: (key: 'sender' | 'callData', value: Hex) => T }>(builder: T) =>
    builder.with('sender', sender).with('callData', callData as Hex);
  const operation =
    version === '0.6' ? common(userOperationV06Builder()).build() : common(userOperationV07Builder(version)).build();
  const decoded = decodeCalls({ callData: operation.callData, entryPointVersion: version, account });
  return evaluate({ operation, decoded, policy, hasCode: true });
}

/** Indexes of the words of `callData` that hold an offset or a length: those whose change moves data around. */
function structuralWords(callData: Hex): number[] {
  const words = callData.slice(10).match(/.{64}/g) ?? [];
  return words.flatMap((word, index) => (/^0{60}[0-9a-f]{4}$/.test(word) && !/^0+$/.test(word) ? [index] : []));
}

function replaceWord(callData: Hex, index: number, word: string): string {
  const at = 10 + index * 64;
  return `${callData.slice(0, at)}${word}${callData.slice(at + 64)}`;
}

describe.each(ACCOUNTS)('call data of $name', (accountCase) => {
  const { one, many } = accountCase;

  describe('sponsors', () => {
    it.each([
      ['a whitelisted call', mintCall],
      ['a whitelisted call of four bytes', playCall],
      ['a whitelisted call with value', { ...mintCall, valueWei: 5n }],
      ['a whitelisted call with long arguments', call(token, concat([mint, randomHex(5_000)]))],
      ['a whitelisted call with garbage arguments', call(token, concat([mint, '0xff']))],
    ])('%s', (_title, single) => {
      expect(verdictOn(accountCase, one(single))).toMatchObject({ allowed: true });
    });

    it('digits in upper case', () => {
      expect(verdictOn(accountCase, `0x${one(mintCall).slice(2).toUpperCase()}`)).toMatchObject({ allowed: true });
    });

    it('batches of whitelisted calls, up to the bound', () => {
      const full = Array.from({ length: MAX_INNER_CALLS }, (_, index) => goodCalls[index % 3] ?? mintCall);
      for (const batch of [[mintCall], goodCalls, full]) {
        expect(verdictOn(accountCase, many!(batch))).toMatchObject({ allowed: true });
      }
    });
  });

  describe('refuses', () => {
    it.each(badCalls)('%s: %s', (_title, reason, bad) => {
      expect(verdictOn(accountCase, one(bad))).toMatchObject({ allowed: false, reason });
    });

    it.each(badCalls)('a batch with, at any place, %s: %s', (_title, reason, bad) => {
      const free = accountCase.batchHasValues === false ? { ...bad, valueWei: 0n } : bad;
      for (let at = 0; at <= goodCalls.length; at++) {
        const batch = [...goodCalls.slice(0, at), free, ...goodCalls.slice(at)];
        expect(verdictOn(accountCase, many!(batch))).toMatchObject({ allowed: false, reason });
      }
    });

    it('a native transfer, alone and in a batch', () => {
      const refused = { allowed: false, reason: 'NATIVE_TRANSFER_NOT_SPONSORED' };
      expect(verdictOn(accountCase, one(transfer))).toMatchObject(refused);
      expect(verdictOn(accountCase, many!([mintCall, transfer]))).toMatchObject(refused);
    });

    it('a batch of nothing', () => {
      expect(verdictOn(accountCase, many!([]))).toMatchObject({ reason: 'NOTHING_TO_SPONSOR' });
    });

    it('a batch beyond the bound, all of it whitelisted', () => {
      for (const length of [MAX_INNER_CALLS + 1, 500]) {
        const batch = Array.from({ length }, () => playCall);
        expect(verdictOn(accountCase, many!(batch))).toMatchObject({ reason: 'CALL_DATA_NOT_UNDERSTOOD' });
      }
    });

    it.each(damages)('%s', (_title, damage) => {
      for (const callData of [one(mintCall), many!(goodCalls)]) {
        const { ignoresSuffix } = FUNCTION_BY_SELECTOR.get(callData.slice(2, 10)) ?? {};
        const ignored = ignoresSuffix ? '00'.repeat(MAX_SUFFIX_BYTES) : '';
        expect(verdictOn(accountCase, damage(callData, ignored))).toMatchObject({
          allowed: false,
          reason: 'CALL_DATA_NOT_UNDERSTOOD',
        });
      }
    });

    it('offsets and lengths that point elsewhere: backwards, overlapping, beyond the end', () => {
      // An ERC-7579 operation behind executeUserOp is four bytes late: its words start behind the second selector.
      const prefix = one(mintCall).startsWith('0x8dd7712f') ? '8dd7712f' : '';
      for (const callData of [one(mintCall), many!(goodCalls)]) {
        const inner: Hex = `0x${callData.slice(2 + prefix.length)}`;
        const indexes = structuralWords(inner);
        expect(indexes.length).toBeGreaterThanOrEqual(2);
        for (const index of indexes) {
          const value = BigInt(`0x${inner.slice(10 + index * 64, 74 + index * 64)}`);
          for (const other of [value + 32n, value - 32n, 2n ** 32n + value, 2n ** 255n, 2n ** 256n - 32n]) {
            if (other < 0n) continue;
            const changed = replaceWord(inner, index, other.toString(16).padStart(64, '0'));
            expect(verdictOn(accountCase, `0x${prefix}${changed.slice(2)}`)).toMatchObject({ allowed: false });
          }
        }
      }
    });
  });
});
