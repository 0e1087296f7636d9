import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { rulesPolicyBuilder } from '@paymaster/domain/testing';
import { CHAIN_ID, exampleCaller, MINT_CALL, TOKEN } from '../../../testing/examples/example-world';
import { wireOperationV07 } from '../../../testing/rpc-call';
import { parseErc7677Request, parseErc7677Stub } from './parse';

const ENTRY_POINT = CANONICAL_ENTRY_POINTS['0.7'];
const caller = exampleCaller();
const params = (fees: object, context?: object) => [wireOperationV07(MINT_CALL, fees), ENTRY_POINT, CHAIN_ID, context];

describe('fees', () => {
  it.each([
    { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' },
    { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x3b9aca00' },
    { maxFeePerGas: undefined, maxPriorityFeePerGas: '0x3b9aca00' },
    { maxFeePerGas: `0x${'f'.repeat(40)}`, maxPriorityFeePerGas: `0x${'f'.repeat(64)}` },
  ])('of a stub are not read: %j', (fees) => {
    const { operation } = parseErc7677Stub(params(fees), caller);
    expect(operation).toMatchObject({ maxFeePerGas: 0n, maxPriorityFeePerGas: 0n });
  });

  it('of the data are', () => {
    const tipAlone = { maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x2' };
    expect(() => parseErc7677Request(params(tipAlone), caller)).toThrow('params[0].maxPriorityFeePerGas is higher');
  });
});

describe('the context of Alchemy’s clients', () => {
  const policy = rulesPolicyBuilder().with('policyId', 'first').build();
  const ofOwner = exampleCaller({}, { policies: [policy] });
  const parse = (context: object) => parseErc7677Request(params({}, context), ofOwner);
  const erc20Context = { tokenAddress: TOKEN.address, maxTokenAmount: '0x10' };

  it('says that the sender pays in a token, and how much at most, beside the policy that they name', () => {
    const paid = { mode: 'token', tokens: { feeToken: TOKEN.address }, maxTokenCharge: 16n };
    expect(parse({ erc20Context })).toMatchObject(paid);
    expect(parse({ policyId: 'first', erc20Context })).toMatchObject(paid);
    expect(parse({ policyId: 'first', erc20Context: null })).toMatchObject({ mode: 'sponsored', policyIds: ['first'] });
  });

  it.each([
    ['policyId', { policyId: 'second' }],
    ['token', { token: TOKEN.address }],
    ['mode', { mode: 'SPONSORED' }],
    ['sponsorshipInfo', { sponsorshipInfo: {} }],
    ['erc20Context.permit', { erc20Context: { ...erc20Context, permit: `0x${'00'.repeat(224)}` } }],
  ])('is refused with a wrong %s', (field, context) => {
    expect(() => parse({ erc20Context, ...context })).toThrow(`params[3].${field} `);
  });
});
