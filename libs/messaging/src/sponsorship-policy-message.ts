import {
  objects,
  SchemaError,
  SPONSORSHIP_POLICY,
  type SponsorshipPolicy,
  type SponsorshipPolicyMessage,
} from '@paymaster/domain';

/** Bounds on the policies of one snapshot. */
export const MAX_SNAPSHOT_POLICIES = 50;
/** The most policies of one snapshot that the paymaster shares with other paymasters of its account. */
export const MAX_SNAPSHOT_SHARED_POLICIES = 10;
/** The most decision webhooks of one snapshot that are not policies; they are in a separate list. */
export const MAX_SNAPSHOT_WEBHOOKS = 10;
/**
 * All policies of one snapshot as JSON inside a signed reply, so that a snapshot with everything at its limit still
 * fits into one NATS message; bytes, see {@link policiesBytes}.
 */
export const MAX_POLICIES_BYTES = 96_000;

/** The policies of a snapshot: bounded in number, each id once. */
const POLICIES = objects(SPONSORSHIP_POLICY, {
  most: MAX_SNAPSHOT_POLICIES + MAX_SNAPSHOT_SHARED_POLICIES + MAX_SNAPSHOT_WEBHOOKS,
  key: ({ policyId }) => policyId,
});

/** A policy on the wire and in an export. */
export function toPolicyMessage(policy: SponsorshipPolicy): SponsorshipPolicyMessage {
  return SPONSORSHIP_POLICY.write(policy);
}

/**
 * The policies in a message.
 *
 * @throws {SchemaError} whose path leads to the first field that is wrong
 */
export function readPolicies(messages: unknown): readonly SponsorshipPolicy[] {
  const policies = POLICIES.read(messages);
  if (policiesBytes(messages as SponsorshipPolicyMessage[]) > MAX_POLICIES_BYTES) throw new SchemaError('is too long');
  return policies;
}

/** How many bytes policies take inside a signed reply, which carries JSON as JSON text. */
export function policiesBytes(policies: readonly SponsorshipPolicyMessage[]): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(policies)));
}
