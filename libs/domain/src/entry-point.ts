import type { Address } from './hex';

/** EntryPoint versions this platform serves. Those from v0.7 on share structs; their accounting differs. */
export const ENTRY_POINT_VERSIONS = ['0.6', '0.7', '0.8', '0.9'] as const;
export type EntryPointVersion = (typeof ENTRY_POINT_VERSIONS)[number];

/** The canonical deployments, the same address on every chain. */
export const CANONICAL_ENTRY_POINTS: Readonly<Record<EntryPointVersion, Address>> = {
  '0.6': '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0.7': '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0.8': '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  // viem 2.57.1 account-abstraction/constants/address.ts
  '0.9': '0x433709009b8330fda32311df1c2afa402ed8d009',
};

/** Versions whose operations are packed: limits and fees in two words, and a paymaster with gas limits of its own. */
export const PACKED_VERSIONS = ['0.7', '0.8', '0.9'] as const;
export type PackedVersion = (typeof PACKED_VERSIONS)[number];

/** Whether the EntryPoint takes the marker that stands for an EIP-7702 delegation. */
export function takesEip7702Marker(version: EntryPointVersion): boolean {
  return version === '0.8' || version === '0.9';
}

/** Whether the account can sign an operation before the paymaster does: its signature is not part of the hash. */
export function hasPaymasterSignature(version: EntryPointVersion): boolean {
  return version === '0.9';
}

/** Whether the EntryPoint skips the factory of an account that has code; others refuse the operation. */
export function skipsFactoryOfExisting(version: EntryPointVersion): boolean {
  return version === '0.9';
}
