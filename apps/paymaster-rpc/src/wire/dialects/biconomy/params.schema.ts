import type { ParamDocument } from '../../json-rpc/rpc-method';
import { address } from '../common/primitives';
import { modeSchema } from '../common/mode.schema';
import { userOperationSchema } from '../common/user-operation.schema';

const modeOrEntryPoint = {
  title: 'ModeOrEntryPoint',
  description: 'an object with the mode, or the address of the EntryPoint followed by that object',
  if: { type: 'string' },
  then: address,
  else: modeSchema,
};

/** `[operation, mode]` or `[operation, entryPoint, mode]`; `entryPoint` is the address that the operation is for. */
export const biconomyParams: readonly ParamDocument[] = [
  { name: 'userOperation', required: true, schema: userOperationSchema({ fees: 'required' }) },
  { name: 'mode', required: true, schema: modeOrEntryPoint },
  { name: 'modeAfterEntryPoint', required: false, schema: modeSchema },
];
