import { EIP7702_MARKER, eip7702AuthOf, factoryOf, type UserOperation } from '@paymaster/domain';

/** The marker, unpadded, as some clients send it. */
const SHORT_EIP7702_MARKER = '0x7702';

/** Whether the factory stands for an EIP-7702 delegation; only EntryPoint v0.8 and v0.9 know it. */
export function hasEip7702Marker(operation: UserOperation): boolean {
  const factory = factoryOf(operation)?.factory.toLowerCase();
  return factory === EIP7702_MARKER || factory === SHORT_EIP7702_MARKER;
}

/** Whether the operation sets the code of its account by EIP-7702. */
export function carriesEip7702Authorization(operation: UserOperation): boolean {
  return eip7702AuthOf(operation) !== undefined;
}

/** Whether the operation itself says that its account runs foreign code by EIP-7702. One that doesn't may do so too. */
export function claimsEip7702Delegation(operation: UserOperation): boolean {
  return carriesEip7702Authorization(operation) || hasEip7702Marker(operation);
}

/** Whether the account gets its code with this operation. The marker alone says that it has it already. */
export function setsUpAccount(operation: UserOperation): boolean {
  if (carriesEip7702Authorization(operation)) return true;
  return factoryOf(operation) !== undefined && !hasEip7702Marker(operation);
}
