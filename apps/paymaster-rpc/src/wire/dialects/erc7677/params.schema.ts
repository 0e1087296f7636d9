import type { ParamDocument } from '../../json-rpc/rpc-method';
import { contextSchema } from '../common/mode.schema';
import { address, quantity } from '../common/primitives';
import { userOperationSchema } from '../common/user-operation.schema';

/** ERC-7677: `[userOp, entryPoint, chainId, context]`. Fees may be missing from the stub call only. */
export function erc7677Params(call: 'stub' | 'data'): readonly ParamDocument[] {
  return [
    {
      name: 'userOperation',
      required: true,
      schema: userOperationSchema({ fees: call === 'stub' ? 'optional' : 'required' }),
    },
    { name: 'entryPoint', required: true, schema: address },
    { name: 'chainId', required: true, schema: quantity },
    { name: 'context', required: false, schema: contextSchema },
  ];
}
