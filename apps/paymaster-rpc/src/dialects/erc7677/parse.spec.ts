import { CANONICAL_ENTRY_POINTS } from '@paymaster/domain';
import { CHAIN_ID, exampleCaller, MINT_CALL } from '../../testing/examples/example-world';
import { wireOperationV07 } from '../../testing/rpc-call';
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
