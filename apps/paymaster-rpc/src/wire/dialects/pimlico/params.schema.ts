import type { JsonSchema, ParamDocument } from '../../json-rpc/rpc-method';
import { contextSchema } from '../common/mode.schema';
import { MIN_EXPIRY_SECONDS } from '../common/parse-mode';
import { address } from '../common/primitives';
import { userOperationSchema } from '../common/user-operation.schema';

/**
 * The context after the EntryPoint. It has no member of Biconomy's mode object; otherwise Biconomy's dialect answers.
 */
const sponsorContext: JsonSchema = {
  ...contextSchema,
  title: 'SponsorContext',
  description: 'null, or an object without mode',
  properties: {
    ...(contextSchema['properties'] as object),
    ...{ mode: false, sponsorshipInfo: false, tokenInfo: false },
    type: { enum: ['payg', 'erc20token'], description: 'one of payg, erc20token' },
    validForSeconds: {
      type: 'integer',
      minimum: MIN_EXPIRY_SECONDS,
      description: `a number of seconds, at least ${MIN_EXPIRY_SECONDS}`,
    },
  },
};

/** `[userOp, entryPoint]`, or `[userOp, entryPoint, context]`. */
export const pimlicoParams: readonly ParamDocument[] = [
  { name: 'userOperation', required: true, schema: userOperationSchema({ fees: 'required' }) },
  { name: 'entryPoint', required: true, schema: address },
  { name: 'context', required: false, schema: sponsorContext },
];
