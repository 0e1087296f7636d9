import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { loggedOperation } from './logged-operation';

const sender = randomAddress();
const entryPoint = randomAddress();
const INPUTS = {
  ...{ sender, nonce: '0x5', callData: '0x12', callGasLimit: 70_000, verificationGasLimit: '100000' },
  ...{ preVerificationGas: '0x', maxFeePerGas: '0x2', maxPriorityFeePerGas: '0x1', factory: '0x7702' },
};
const SECRET = 'canary-4f1c';
const SENT = {
  ...INPUTS,
  ...{ signature: randomHex(65), paymasterAndData: randomHex(100), paymasterData: randomHex(80), initCode: null },
  ...{ apiKey: SECRET, factoryData: SECRET, paymasterSignature: randomHex(65) },
};

it.each<[string, unknown]>([
  ['params[0], with the EntryPoint beside it', [SENT, entryPoint, { apiKey: SECRET }]],
  ['the member of Alchemy’s dialect', [{ policyId: SECRET, userOperation: SENT, entryPoint }]],
  ['the member of ZeroDev’s dialect', [{ chainId: 1, userOp: SENT, entryPointAddress: entryPoint }]],
])('is read from %s, with known fields of known forms only', (_where, params) => {
  expect(loggedOperation(params, undefined)).toEqual({ userOperation: INPUTS, sender, entryPoint });
});

it.each<[string, unknown]>([
  ['params that are no list', { userOperation: SENT }],
  ['nothing', undefined],
  ['text', ['0x12']],
  ['null', [null]],
  ['an operation without call data', [{ sender: SECRET }]],
])('is none in %s', (_what, params) => {
  expect(loggedOperation(params, undefined)).toEqual({ userOperation: null, sender: null, entryPoint: null });
});

it('has the fees that the gateway chose, where the client sent none', () => {
  const { maxFeePerGas: _fee, maxPriorityFeePerGas, ...withoutFee } = INPUTS;
  const parsed = { maxFeePerGas: 255n, maxPriorityFeePerGas: 9n };
  const { userOperation } = loggedOperation([{ ...withoutFee, maxPriorityFeePerGas }], parsed);
  expect(userOperation).toEqual({ ...INPUTS, maxFeePerGas: '0xff' });
});

it('has an authorization without its signature', () => {
  const authorization = { address: randomAddress(), chainId: '0x1', nonce: '0x0' };
  const eip7702Auth = { ...authorization, r: randomHex(32), s: randomHex(32), yParity: '0x1' };
  const { userOperation } = loggedOperation([{ ...INPUTS, eip7702Auth }], undefined);
  expect(userOperation?.['eip7702Auth']).toEqual({ ...authorization, r: '0x1', s: '0x1', yParity: '0x0' });
});
