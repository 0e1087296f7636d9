import type { Address } from './hex';

/** EntryPoint versions this platform serves. */
export const ENTRY_POINT_VERSIONS = ['0.6', '0.7', '0.8', '0.9'] as const;
export type EntryPointVersion = (typeof ENTRY_POINT_VERSIONS)[number];

/** All that differs between EntryPoint versions; a new version does not compile until it is thought through here. */
export interface EntryPoint {
  /** The canonical deployment, the same address on every chain. */
  readonly address: Address;
  /** Whether operations are packed: limits and fees in two words, and a paymaster with gas limits of its own. */
  readonly packed: boolean;
  /** How often the prefund counts `verificationGasLimit`; v0.6 bounds up to two `postOp` calls with it too. */
  readonly verificationGasTimes: bigint;
  /** Whether it hands the whole operation to an account whose call data starts with `executeUserOp` (IAccountExecute). */
  readonly callsExecuteUserOp: boolean;
  /** Whether it takes the marker that stands for an EIP-7702 delegation. */
  readonly takesEip7702Marker: boolean;
  /** Whether its SimpleAccount factories let nobody but its sender creator deploy an account. */
  readonly hasGuardedFactories: boolean;
  /** Whether the account can sign before the paymaster does: its signature, with a suffix, is not part of the hash. */
  readonly hasPaymasterSignature: boolean;
  /** Whether it skips the factory of an account that has code; others refuse the operation. */
  readonly skipsFactoryOfExisting: boolean;
  /** Whether it gives the bundler a tenth of gas that the operation's limits promised and it did not use. */
  readonly penalizesUnusedGas: boolean;
  /** Unused gas below which it takes no penalty (`PENALTY_GAS_THRESHOLD`). */
  readonly forgivenUnusedGas: bigint;
  /**
   * What it spends on a bundle of one outside of what it measures, without call data: the loop, copies, events and the
   * payment of a bundler who is the sender of the transaction (measured; `npm run siphon` lands such bundles); gas.
   */
  readonly unmeasuredGas: bigint;
  /**
   * The least gas that it measures for a sponsored operation of an account that was used before, does nothing in
   * validation and makes no call: ours is the most of it (measured; `npm run siphon` lands such bundles).
   */
  readonly leastMeasuredGas: bigint;
  /**
   * What it takes of `verificationGasLimit` beside the account: it copies and hashes the operation, and calls the
   * SenderCreator (measured, operation-gas.integration.spec.ts). The paymaster pays, so it does not read and write the
   * account's own deposit; gas.
   */
  readonly validationGas: bigint;
  /** `handleOps` of one operation without what its bytes fields hold: words with an offset, a length or a field each. */
  readonly handleOpsWords: number;
}

const V07 = {
  address: '0x0000000071727de22e5e9d8baf0edac6f37da032',
  packed: true,
  verificationGasTimes: 1n,
  callsExecuteUserOp: true,
  takesEip7702Marker: false,
  hasGuardedFactories: false,
  hasPaymasterSignature: false,
  skipsFactoryOfExisting: false,
  penalizesUnusedGas: true,
  forgivenUnusedGas: 0n,
  unmeasuredGas: 17_900n,
  leastMeasuredGas: 44_500n,
  validationGas: 4_300n,
  handleOpsWords: 17,
} as const satisfies EntryPoint;

const V08 = {
  ...V07,
  address: '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  takesEip7702Marker: true,
  hasGuardedFactories: true,
  forgivenUnusedGas: 39_999n,
  unmeasuredGas: 16_800n,
  leastMeasuredGas: 42_000n,
  validationGas: 4_800n,
} as const satisfies EntryPoint;

export const ENTRY_POINTS = {
  '0.6': {
    address: '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
    packed: false,
    verificationGasTimes: 3n,
    callsExecuteUserOp: false,
    takesEip7702Marker: false,
    hasGuardedFactories: false,
    hasPaymasterSignature: false,
    skipsFactoryOfExisting: false,
    penalizesUnusedGas: false,
    forgivenUnusedGas: 0n,
    unmeasuredGas: 19_900n,
    leastMeasuredGas: 44_500n,
    validationGas: 5_500n,
    handleOpsWords: 19,
  },
  '0.7': V07,
  '0.8': V08,
  '0.9': {
    ...V08,
    // viem 2.57.1 account-abstraction/constants/address.ts
    address: '0x433709009b8330fda32311df1c2afa402ed8d009',
    hasPaymasterSignature: true,
    validationGas: 4_900n,
    skipsFactoryOfExisting: true,
  },
} as const satisfies Readonly<Record<EntryPointVersion, EntryPoint>>;

/** Versions whose operations are packed. */
export type PackedVersion = {
  [V in EntryPointVersion]: (typeof ENTRY_POINTS)[V]['packed'] extends true ? V : never;
}[EntryPointVersion];

export function isPackedVersion(version: EntryPointVersion): version is PackedVersion {
  return ENTRY_POINTS[version].packed;
}

export const PACKED_VERSIONS: readonly PackedVersion[] = ENTRY_POINT_VERSIONS.filter(isPackedVersion);

/** Whether an operation, or what belongs to one, is of a version whose operations are packed. */
export function isPacked<T extends { readonly entryPointVersion: EntryPointVersion }>(
  operation: T,
): operation is Extract<T, { readonly entryPointVersion: PackedVersion }> {
  return isPackedVersion(operation.entryPointVersion);
}

/** The canonical deployments, the same address on every chain. */
export const CANONICAL_ENTRY_POINTS = Object.fromEntries<Address>(
  ENTRY_POINT_VERSIONS.map((version) => [version, ENTRY_POINTS[version].address]),
) as Readonly<Record<EntryPointVersion, Address>>;

/** Whether the EntryPoint takes the marker that stands for an EIP-7702 delegation. */
export function takesEip7702Marker(version: EntryPointVersion): boolean {
  return ENTRY_POINTS[version].takesEip7702Marker;
}

/** Whether the account can sign an operation before the paymaster does: its signature is not part of the hash. */
export function hasPaymasterSignature(version: EntryPointVersion): boolean {
  return ENTRY_POINTS[version].hasPaymasterSignature;
}

/** Whether the EntryPoint skips the factory of an account that has code; others refuse the operation. */
export function skipsFactoryOfExisting(version: EntryPointVersion): boolean {
  return ENTRY_POINTS[version].skipsFactoryOfExisting;
}
