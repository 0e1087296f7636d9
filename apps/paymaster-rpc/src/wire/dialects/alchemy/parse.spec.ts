import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { rulesPolicyBuilder } from '@paymaster/domain/testing';
import { AbiCoder } from 'ethers';
import { compileParams } from '../../json-rpc/params-validator';
import { exampleCaller, MINT_CALL, TOKEN } from '../../../testing/examples/example-world';
import { wireOperationV07 } from '../../../testing/rpc-call';
import { alchemyParams } from './params.schema';
import { parseAlchemyRequest } from './parse';

const GWEI = 10n ** 9n;
const policies = ['first', 'third'].map((id) => rulesPolicyBuilder().with('policyId', id).build());
const caller = exampleCaller({}, { policies });
const validate = compileParams({ params: alchemyParams });
const NO_GAS = {
  ...{ callGasLimit: undefined, verificationGasLimit: undefined, preVerificationGas: undefined },
  ...{ maxFeePerGas: undefined, maxPriorityFeePerGas: undefined },
};
const DUMMY = `0x${'ab'.repeat(65)}`;

function parse(request: object = {}, operation: object = {}, by = caller) {
  const userOperation = wireOperationV07(MINT_CALL, { ...NO_GAS, signature: undefined, ...operation });
  const asked = { entryPoint: CANONICAL_ENTRY_POINTS['0.7'], userOperation, dummySignature: DUMMY, ...request };
  return parseAlchemyRequest(validate(JSON.parse(JSON.stringify([asked])) as unknown[]), by);
}

describe('alchemy_requestGasAndPaymasterAndData', () => {
  it('has our fees, our limits and the dummy signature, where the client gives nothing', () => {
    expect(parse()).toMatchObject({
      ...{ mode: 'sponsored', calculateGasLimits: true, policyIds: undefined },
      operation: { maxPriorityFeePerGas: GWEI, maxFeePerGas: (15n * GWEI * 150n) / 100n + GWEI, signature: DUMMY },
      limitChanges: { callGasLimit: undefined, verificationGasLimit: undefined, preVerificationGas: undefined },
    });
  });

  it('takes overrides, in a quantity or times a factor, before what stands in the operation', () => {
    const overrides = { callGasLimit: { multiplier: 1.5 }, preVerificationGas: '0xc350', maxFeePerGas: '0x773594000' };
    const sent = { callGasLimit: '0x1', verificationGasLimit: '0x2', maxPriorityFeePerGas: '0x3' };
    expect(parse({ overrides }, sent)).toMatchObject({
      operation: { maxFeePerGas: 0x773594000n, maxPriorityFeePerGas: 3n },
      limitChanges: {
        ...{ callGasLimit: { millionths: 1_500_000n }, verificationGasLimit: { exact: 2n } },
        preVerificationGas: { exact: 50_000n },
      },
    });
  });

  it('names the tip that is higher than the maximum fee where the client sent it', () => {
    const sent = { maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x6' };
    expect(() => parse({}, sent)).toThrow('params[0].userOperation.maxPriorityFeePerGas is higher');
  });

  it('lowers our tip below a maximum fee that is lower, and refuses a tip of the client that is higher', () => {
    expect(parse({ overrides: { maxFeePerGas: '0x5' } }).operation).toMatchObject({ maxPriorityFeePerGas: 4n });
    expect(() => parse({ overrides: { maxFeePerGas: '0x5', maxPriorityFeePerGas: '0x6' } })).toThrow(
      'params[0].overrides.maxPriorityFeePerGas is higher',
    );
  });

  it.each<[string, object, string]>([
    ['a factor of zero', { overrides: { callGasLimit: { multiplier: 0 } } }, 'params[0].overrides.callGasLimit'],
    ['a factor above ten', { overrides: { callGasLimit: { multiplier: 11 } } }, 'params[0].overrides.callGasLimit'],
    ['a factor in text', { overrides: { callGasLimit: { multiplier: '2' } } }, 'params[0].overrides.callGasLimit'],
    ['a policy of nobody', { policyId: 'second' }, 'params[0].policyId'],
    ['a policy of nobody in a list', { policyId: ['first', 'first', 'second'] }, 'params[0].policyId[2]'],
    ['an empty list of policies', { policyId: [] }, 'params[0].policyId'],
    ['an empty list under the other name', { policyIds: [] }, 'params[0].policyIds'],
    ['a list that is none', { policyIds: 'first' }, 'params[0].policyIds'],
    ['two lists', { policyId: ['first', 'third'], policyIds: ['first'] }, 'params[0].policyIds'],
    ['more policies than a key has', { policyIds: Array.from({ length: 21 }, () => 'first') }, 'params[0].policyIds'],
    [
      'a policy of nobody beside a token',
      { policyId: 'second', erc20Context: { tokenAddress: TOKEN.address } },
      'params[0].policyId',
    ],
    [
      'half a permit',
      { erc20Context: { tokenAddress: TOKEN.address, permit: `0x${'00'.repeat(223)}` } },
      'params[0].erc20Context.permit',
    ],
    [
      'a permit with another layout',
      { erc20Context: { tokenAddress: TOKEN.address, permit: `0x${'00'.repeat(224)}` } },
      'params[0].erc20Context.permit',
    ],
  ])('refuses %s, naming the field', (_title, request, field) => {
    expect(() => parse(request)).toThrow(`${field} `);
  });

  it('ignores policies of another vendor where the owner lets clients name them', () => {
    const lenient = exampleCaller({ ignoreForeignPolicyIds: true }, { policies });
    const asked = (request: object) => parse(request, {}, lenient);
    const foreign = '0e0e0c1c-2f6f-4d0d-9c5e-7a4f8b0f6a11';
    expect(asked({ policyId: foreign })).toMatchObject({ mode: 'sponsored', policyIds: undefined });
    expect(asked({ policyIds: [foreign, 'third'] })).toMatchObject({ policyIds: ['third'] });
    expect(asked({ policyId: foreign, policyIds: ['third'] })).toMatchObject({ policyIds: ['third'] });
  });

  it('names the field of a bad operation where the client sent it', () => {
    expect(() => parse({}, { nonce: `0x1${'0'.repeat(64)}` })).toThrow('params[0].userOperation.nonce ');
  });

  it.each([
    [{ policyId: 'first' }, ['first']],
    [{ policyId: ['first'] }, ['first']],
    [{ policyId: ['third', 'first', 'third'] }, ['third', 'first']],
    [{ policyIds: ['third', 'first'] }, ['third', 'first']],
    [{ policyId: 'first', policyIds: ['first'] }, ['first']],
  ])('is sponsored by the policies of %j', (request, policyIds) => {
    expect(parse(request)).toMatchObject({ mode: 'sponsored', policyIds });
  });

  it('is paid in a token by the permit that the client encodes, up to what its user agrees to', () => {
    const signature = `0x${'11'.repeat(64)}1b`;
    const permit = AbiCoder.defaultAbiCoder().encode(['uint256', 'uint256', 'bytes'], [7n, 9n, signature]);
    const erc20Context = { tokenAddress: TOKEN.address, maxTokenAmount: '5000', permit };
    // These clients name their policy always.
    expect(parse({ policyId: 'first', erc20Context })).toMatchObject({
      ...{ mode: 'token', maxTokenCharge: 5_000n, tokens: { feeToken: TOKEN.address } },
      permit: { valueBaseUnits: 7n, deadlineSeconds: 9n, signature },
    });
  });
});
