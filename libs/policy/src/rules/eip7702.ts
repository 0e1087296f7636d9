import { factoryOf, type Address, type UserOperation } from '@paymaster/domain';

/** `0x7702` padded to 20 bytes: the factory that stands for an EIP-7702 delegation (EntryPoint v0.8). */
export const EIP7702_MARKER: Address = '0x7702000000000000000000000000000000000000';
/** The same, unpadded, as some clients send it. */
const SHORT_EIP7702_MARKER = '0x7702';

/** Whether the operation says that its account is code by EIP-7702. */
export function isEip7702(operation: UserOperation): boolean {
  const factory = factoryOf(operation)?.factory.toLowerCase();
  return factory === EIP7702_MARKER || factory === SHORT_EIP7702_MARKER;
}
