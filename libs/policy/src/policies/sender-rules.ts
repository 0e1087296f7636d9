import { normalizeAddress } from '@paymaster/domain';
import { pass, refuse } from './verdict';
import { addressSet, type NativeRule } from './native-rule';

/** Which accounts are sponsored. Who is on both lists is not. */
export const senderAllowed: NativeRule = {
  name: 'senders',
  compile: ({ allowedSenders, deniedSenders }) => {
    if (allowedSenders === null && deniedSenders.length === 0) return undefined;
    const allowed = allowedSenders && addressSet(allowedSenders);
    const denied = addressSet(deniedSenders);
    return ({ operation }) => {
      const sender = normalizeAddress(operation.sender);
      const isDenied = denied.has(sender);
      if (!isDenied && (allowed === null || allowed.has(sender))) return pass(sender);
      return refuse(`${sender} is ${isDenied ? 'denied' : 'not among the allowed'}`, {
        reason: 'SENDER_NOT_ALLOWED',
        message: `The account ${sender} is not sponsored by this paymaster`,
      });
    };
  },
};
