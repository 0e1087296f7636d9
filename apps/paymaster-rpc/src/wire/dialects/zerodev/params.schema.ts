import type { JsonSchema, ParamDocument } from '../../json-rpc/rpc-method';
import { address, quantity } from '../common/primitives';
import { userOperationSchema } from '../common/user-operation.schema';

const bool: JsonSchema = { type: ['boolean', 'null'], description: 'true or false' };

/** ZeroDev's one parameter: an object with the chain, the EntryPoint and what else the method needs. */
export function zerodevParams(needs: 'sponsor' | 'quote' | 'accounts'): readonly ParamDocument[] {
  const ofOperation = { userOp: userOperationSchema({ fees: 'optional' }) };
  const more = {
    accounts: { required: [] as string[], properties: {} },
    quote: { required: ['userOp', 'tokenAddress'], properties: { ...ofOperation, tokenAddress: address } },
    sponsor: {
      required: ['userOp'],
      properties: {
        ...ofOperation,
        gasTokenData: {
          type: ['object', 'null'],
          description: 'an object with tokenAddress',
          required: ['tokenAddress'],
          properties: { tokenAddress: address },
        },
        shouldOverrideFee: bool,
        shouldConsume: bool,
      },
    },
  }[needs];
  return [
    {
      name: 'request',
      required: true,
      schema: {
        title: `ZeroDevRequest (${needs})`,
        type: 'object',
        description: 'an object',
        required: ['chainId', 'entryPointAddress', ...more.required],
        properties: { chainId: quantity, entryPointAddress: address, ...more.properties },
      },
    },
  ];
}
