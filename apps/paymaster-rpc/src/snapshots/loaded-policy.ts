import type { PolicySnapshot } from '@paymaster/domain';
import type { CompiledPolicy } from '@paymaster/policy';

/** A snapshot with the look-up tables that are built from it once. */
export interface LoadedPolicy {
  readonly snapshot: PolicySnapshot;
  readonly policy: CompiledPolicy;
}
