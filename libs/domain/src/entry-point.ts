import type { Address } from './hex';

/** EntryPoint versions this platform serves. v0.7 and v0.8 share structs; their accounting differs. */
export const ENTRY_POINT_VERSIONS = ['0.6', '0.7', '0.8'] as const;
export type EntryPointVersion = (typeof ENTRY_POINT_VERSIONS)[number];

/** The canonical deployments, the same address on every chain. */
export const CANONICAL_ENTRY_POINTS: Readonly<Record<EntryPointVersion, Address>> = {
  '0.6': '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0.7': '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0.8': '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
};
