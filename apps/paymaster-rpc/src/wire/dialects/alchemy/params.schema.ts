import { REFUSES_NULL } from '../../json-rpc/null-is-absent';
import type { JsonSchema, ParamDocument } from '../../json-rpc/rpc-method';
import { erc20ContextSchema } from '../common/erc20-context';
import { policyProperties } from '../common/named-policies';
import { address, bytes, quantity } from '../common/primitives';
import { userOperationSchema } from '../common/user-operation.schema';

/** The most that a client may multiply a limit or a fee by; the bounds of the chain hold for the product. */
const MAX_MULTIPLIER = 10;

const override: JsonSchema = {
  ...REFUSES_NULL,
  description: `a quantity, or an object with a multiplier above 0 and up to ${MAX_MULTIPLIER}`,
  anyOf: [
    quantity,
    {
      type: 'object',
      required: ['multiplier'],
      additionalProperties: false,
      properties: { multiplier: { type: 'number', exclusiveMinimum: 0, maximum: MAX_MULTIPLIER } },
    },
  ],
};

const overrides: JsonSchema = {
  type: ['object', 'null'],
  description: 'an object of fees and gas limits',
  properties: {
    ...{ maxFeePerGas: override, maxPriorityFeePerGas: override },
    ...{ callGasLimit: override, verificationGasLimit: override, preVerificationGas: override },
  },
};

/** `[{ policyId, policyIds, entryPoint, userOperation, dummySignature, overrides, webhookData, erc20Context }]`. */
export const alchemyParams: readonly ParamDocument[] = [
  {
    name: 'request',
    required: true,
    schema: {
      title: 'AlchemyRequest',
      type: 'object',
      description: 'an object',
      required: ['entryPoint', 'userOperation'],
      properties: {
        policyId: policyProperties.policyId,
        policyIds: policyProperties.policyIds,
        entryPoint: address,
        userOperation: userOperationSchema({ fees: 'optional' }),
        dummySignature: bytes,
        overrides,
        webhookData: { type: ['string', 'null'], maxLength: 2_000, description: 'a text for the webhook of the owner' },
        erc20Context: erc20ContextSchema,
      },
    },
  },
];
