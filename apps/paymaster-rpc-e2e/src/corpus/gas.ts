import { AS_SENT, SPONSORED } from '../support/sponsor';
import type { SponsoredResult } from '../support/json-rpc';
import { BAD_PARAMS, named, operation, params, REFUSED, type BadInput, type Given } from './bad-input';
import { signedExactly } from './signed-exactly';

const FOREIGN = '0x00000000000000000000000000000000000000cc';
const TOO_MUCH = { code: [-32602, -32501, -32508] } as const;

/** Members of the v0.7 operation replaced. */
const operation07 = (changes: Record<string, unknown>) => (given: Given) =>
  params({ ...given.good07, ...changes }, AS_SENT);

const flag = (calculateGasLimits: unknown) => (given: Given) => params(given.good, { ...AS_SENT, calculateGasLimits });

const limitsLeftOut = { callGasLimit: undefined, verificationGasLimit: undefined, preVerificationGas: undefined };

function ownPaymaster(result: SponsoredResult, { stack }: Given): void {
  const [mine, got] = [stack.paymasters['0.7'], result.paymaster].map((address) => address?.toLowerCase());
  expect(got).toBe(mine);
}

/** Corpus C4: gas, fees and versions. */
export const gases: readonly BadInput[] = [
  {
    number: 101,
    title: 'callGasLimit 0',
    send: operation({ callGasLimit: '0x0' }),
    error: BAD_PARAMS,
    result: signedExactly({ callGasLimit: '0x0' }),
  },
  {
    number: 102,
    title: 'callGasLimit 2^128',
    send: operation07({ callGasLimit: `0x1${'0'.repeat(32)}` }),
    error: named('callGasLimit'),
  },
  {
    number: 102,
    title: 'callGasLimit 2^128 on v0.6',
    send: operation({ callGasLimit: `0x1${'0'.repeat(32)}` }),
    error: TOO_MUCH,
  },
  {
    number: 102,
    title: 'maxFeePerGas 2^128',
    send: operation07({ maxFeePerGas: `0x1${'0'.repeat(32)}` }),
    error: named('maxFeePerGas'),
  },
  {
    number: 103,
    title: 'callGasLimit 30 M',
    send: operation({ callGasLimit: '30000000' }),
    error: TOO_MUCH,
    result: true,
  },
  { number: 103, title: 'callGasLimit 10^12', send: operation({ callGasLimit: '1000000000000' }), error: TOO_MUCH },
  {
    number: 104,
    title: 'verificationGasLimit 500,001',
    send: operation({ verificationGasLimit: 500_001 }),
    error: TOO_MUCH,
    result: signedExactly({ verificationGasLimit: '0x7a121' }),
  },
  {
    number: 104,
    title: 'verificationGasLimit 10^12',
    send: operation({ verificationGasLimit: '1000000000000' }),
    error: TOO_MUCH,
  },
  {
    number: 104,
    title: 'v0.6 verificationGasLimit that leaves postOp no room',
    send: operation({ verificationGasLimit: 10_000 }),
    error: named('verificationGasLimit'),
  },
  {
    number: 105,
    title: 'preVerificationGas 0',
    send: operation({ preVerificationGas: 0 }),
    error: BAD_PARAMS,
    result: signedExactly({ preVerificationGas: '0x0' }),
  },
  {
    number: 106,
    title: 'preVerificationGas 10^12',
    send: operation({ preVerificationGas: '1000000000000' }),
    error: TOO_MUCH,
  },
  {
    number: 106,
    title: 'preVerificationGas 100 times what is needed',
    send: operation({ preVerificationGas: 5_000_000 }),
    error: TOO_MUCH,
  },
  {
    number: 107,
    title: 'maxFeePerGas 0',
    send: operation({ maxFeePerGas: '0', maxPriorityFeePerGas: '0' }),
    error: BAD_PARAMS,
    result: signedExactly({ maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }),
  },
  {
    number: 108,
    title: 'maxPriorityFeePerGas above maxFeePerGas',
    send: operation({ maxFeePerGas: 1_000_000_000, maxPriorityFeePerGas: 1_000_000_001 }),
    error: { code: -32602, message: /max(Priority)?FeePerGas/ },
  },
  {
    number: 109,
    title: 'maxFeePerGas 10^20 wei',
    send: operation({ maxFeePerGas: '100000000000000000000' }),
    error: TOO_MUCH,
  },
  {
    number: 109,
    title: 'maxPriorityFeePerGas 10^15 wei: the tip goes to whoever bundles',
    send: operation({ maxFeePerGas: '1000000000000000', maxPriorityFeePerGas: '1000000000000000' }),
    error: TOO_MUCH,
  },
  {
    number: 110,
    title: 'maxFeePerGas 1 wei',
    send: operation({ maxFeePerGas: 1, maxPriorityFeePerGas: 1 }),
    error: TOO_MUCH,
    result: signedExactly({ maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' }),
  },
  {
    number: 110,
    title: 'maxFeePerGas missing',
    send: operation({ maxFeePerGas: undefined }),
    error: named('maxFeePerGas'),
  },
  {
    number: 111,
    title: 'no limits and calculateGasLimits false',
    send: operation(limitsLeftOut),
    error: { code: -32602, message: /callGasLimit|verificationGasLimit|preVerificationGas/ },
  },
  { number: 112, title: 'calculateGasLimits "true"', send: flag('true'), error: named('calculateGasLimits') },
  { number: 112, title: 'calculateGasLimits 1', send: flag(1), error: named('calculateGasLimits') },
  { number: 112, title: 'calculateGasLimits null', send: flag(null), error: named('calculateGasLimits'), result: true },
  {
    number: 113,
    title: 'v0.6 and v0.7 fields mixed',
    send: operation({ factory: FOREIGN, factoryData: '0x' }),
    error: BAD_PARAMS,
  },
  {
    number: 114,
    title: 'packed accountGasLimits instead of limits',
    send: operation07({ ...limitsLeftOut, accountGasLimits: `0x${'00'.repeat(32)}` }),
    error: BAD_PARAMS,
  },
  {
    number: 115,
    title: 'paymaster preset to a foreign address',
    send: operation07({ paymaster: FOREIGN, paymasterData: '0x' }),
    error: BAD_PARAMS,
    result: ownPaymaster,
  },
  {
    number: 116,
    title: 'stale paymasterAndData',
    send: operation({ paymasterAndData: `${FOREIGN}${'ab'.repeat(106)}` }),
    error: BAD_PARAMS,
    result: signedExactly(),
  },
  {
    number: 117,
    title: 'paymasterAndData of 53 zero bytes',
    send: operation({ paymasterAndData: `0x${'00'.repeat(53)}` }),
    error: BAD_PARAMS,
    result: signedExactly(),
  },
  {
    number: 118,
    title: 'paymasterPostOpGasLimit 5 M from the client',
    send: operation07({ paymasterPostOpGasLimit: 5_000_000, paymasterVerificationGasLimit: 5_000_000 }),
    error: BAD_PARAMS,
    result: ({ paymasterPostOpGasLimit, paymasterVerificationGasLimit }) => {
      expect(Number(paymasterPostOpGasLimit)).toBeLessThan(1_000_000);
      expect(Number(paymasterVerificationGasLimit)).toBeLessThan(1_000_000);
    },
  },
  {
    number: 119,
    title: 'signature absent, estimated with the stub of the account kind',
    send: ({ good }) => params({ ...good, ...limitsLeftOut, signature: undefined }, SPONSORED),
    result: true,
  },
  {
    number: 119,
    title: 'signature "0x", estimated',
    send: ({ good }) => params({ ...good, ...limitsLeftOut, signature: '0x' }, SPONSORED),
    result: true,
  },
  {
    number: 119,
    title: 'signature of 10 KiB',
    send: operation({ signature: `0x${'ab'.repeat(10_240)}` }),
    error: BAD_PARAMS,
    result: signedExactly(),
  },
  { number: 119, title: 'signature not hex', send: operation({ signature: 'sig' }), error: named('signature') },
  {
    number: 120,
    title: 'eip7702Auth for another chain',
    send: operation07({
      factory: undefined,
      factoryData: undefined,
      eip7702Auth: { chainId: '0x1', address: FOREIGN, nonce: '0x0', r: '0x1', s: '0x1', yParity: '0x0' },
    }),
    error: REFUSED,
  },
  {
    number: 121,
    title: 'unknown field: ignored and not signed',
    send: operation({ foo: 'bar' }),
    result: signedExactly(),
  },
  {
    number: 122,
    title: 'packed operation over 8,192 bytes',
    send: operation({ signature: `0x${'ab'.repeat(9_000)}` }),
    error: BAD_PARAMS,
    result: true,
  },
];
