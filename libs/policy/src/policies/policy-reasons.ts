/**
 * Every `reason` this library can give for a refusal, with the sentence its docs page opens with. Reasons are
 * stable: clients may branch on them.
 */
export const POLICY_REASONS = {
  NO_POLICIES_SET: 'The paymaster has no whitelisted method, so it sponsors nothing.',
  CALL_DATA_NOT_UNDERSTOOD:
    'The call data is not the canonical encoding of a known account function, so nobody can say what it would do.',
  CALL_DATA_SUFFIX_NOT_SPONSORED:
    'Bytes follow the arguments in the call data, and the paymaster does not sponsor such operations.',
  DELEGATE_CALL_REFUSED:
    'The operation makes the account run foreign code as its own (delegatecall), which no whitelist can bound.',
  NOTHING_TO_SPONSOR: 'The operation neither calls anything nor deploys its account.',
  SELF_CALL_REFUSED:
    'The account would call itself, which can change its owners, modules or code, or hide further calls.',
  NATIVE_TRANSFER_NOT_SPONSORED:
    'The operation sends native coin or calls with empty data, and the paymaster does not sponsor native transfers.',
  CONTRACT_NOT_REGISTERED: 'The operation calls a contract that is not registered for the paymaster.',
  METHOD_NOT_WHITELISTED: 'The operation calls a method of a registered contract that is not whitelisted.',
  ACCOUNT_NOT_DEPLOYED: 'The account has no code, and the operation does not give it any.',
  EIP7702_NOT_SPONSORED: 'The operation delegates its account by EIP-7702 to a contract that no policy lists.',
  DEPLOYMENT_NOT_SPONSORED: 'The operation deploys its account in a way the paymaster does not sponsor.',
  UNKNOWN_ACCOUNT_FACTORY: 'The account would be deployed by a factory that is not known.',
  UNKNOWN_ACCOUNT_SETUP: 'A known factory would deploy an account with code or modules that are not known.',
  UNKNOWN_ACCOUNT_IMPLEMENTATION:
    'The paymaster requires known accounts, and the implementation of this one is not known.',
  UNKNOWN_ACCOUNT_VALIDATOR: 'The nonce names a validator or a mode of validation that is not known.',
  OPERATION_COST_CAP_EXCEEDED: 'The most the operation can cost is above the cap for one operation.',
  CALL_GAS_LIMIT_TOO_HIGH: 'callGasLimit is above the cap of this chain, or far above what the gateway measured.',
  VERIFICATION_GAS_LIMIT_TOO_HIGH:
    'verificationGasLimit is above the cap of this chain, or far above what the gateway measured.',
  PRE_VERIFICATION_GAS_TOO_HIGH:
    'preVerificationGas is more than any bundler in use asks for an operation of this size.',
  MAX_FEE_PER_GAS_TOO_HIGH: 'maxFeePerGas is far above the base fee.',
  MAX_FEE_PER_GAS_TOO_LOW: 'maxFeePerGas is below half the base fee, so the operation could not be included.',
  MAX_PRIORITY_FEE_PER_GAS_TOO_HIGH:
    'maxPriorityFeePerGas is far above what the chain pays, its nodes suggest and its bundler asks.',
  MAX_PRIORITY_FEE_ABOVE_MAX_FEE: 'maxPriorityFeePerGas is above maxFeePerGas.',
  LEGACY_FEES_REFUSED:
    'maxFeePerGas equals maxPriorityFeePerGas, so all of it is billed, and that is more than the paymaster sponsors.',
  KEY_POLICIES_NOT_IN_FORCE: 'The API key may use certain policies only, and none of them is active.',
  POLICY_NOT_IN_FORCE: 'The policy that would sponsor the operation has not started, or has ended.',
  SENDER_NOT_ALLOWED: 'The policy denies this account, or lists others only.',
  VALUE_TOO_HIGH: 'A call, or all calls together, send more native coin than the policy sponsors.',
  TOO_MANY_CALLS: 'The operation makes more calls than the policy sponsors in one operation.',
  ARGUMENT_NOT_ALLOWED: 'An argument of a call is outside what the policy sponsors, or can not be read.',
  DELEGATE_NOT_ALLOWED: 'The account runs code by EIP-7702 that the policy does not list.',
  FACTORY_NOT_ALLOWED: 'The account would be deployed by a factory that the policy does not list.',
  REVERT_RATE_TOO_HIGH: 'Too many of the latest sponsored operations reverted, so sponsoring is paused.',
  CALL_GAS_ABOVE_ESTIMATE: 'callGasLimit is further above our own estimate than the policy allows.',
  SPENDING_LIMIT_REACHED: 'A limit of the policy is used up, or has no room for this operation.',
} as const satisfies Readonly<Record<string, string>>;

export type PolicyReason = keyof typeof POLICY_REASONS;
