/** How many pods a Deployment may have too many and too few while it changes. */
export interface RolloutBounds {
  readonly replicas: number;
  readonly maxSurge: number;
  readonly maxUnavailable: number;
}

/** A pod that is not being deleted. */
export interface RolloutPod {
  readonly revision: number;
  /** Ready for as long as `minReadySeconds` asks. */
  readonly available: boolean;
}

/** What the controller does next; nothing of both when it has to wait, or is done. */
export interface RolloutStep<Pod> {
  readonly create: number;
  readonly remove: readonly Pod[];
}

/** The bounds of a rolling update: shares are rounded up for the surge and down for what may be missing. */
export function rolloutBounds(
  replicas: number,
  { maxSurge = '25%', maxUnavailable = '25%' }: { maxSurge?: number | string; maxUnavailable?: number | string } = {},
): RolloutBounds {
  const surge = amount(maxSurge, replicas, Math.ceil);
  const unavailable = amount(maxUnavailable, replicas, Math.floor);
  // With none of both it could not move.
  return { replicas, maxSurge: surge, maxUnavailable: surge === 0 ? Math.max(1, unavailable) : unavailable };
}

/**
 * One step of the Deployment controller towards a revision: new pods as far as the surge allows, then old ones away, the
 * broken first, as long as enough stay available. Pods that are being deleted do not count, as in Kubernetes.
 */
export function rolloutStep<Pod extends RolloutPod>(
  { replicas, maxSurge, maxUnavailable }: RolloutBounds,
  { revision, pods }: { revision: number; pods: readonly Pod[] },
): RolloutStep<Pod> {
  const fresh = pods.filter((pod) => pod.revision === revision);
  const old = pods.filter((pod) => pod.revision !== revision);
  const create = Math.max(0, Math.min(replicas - fresh.length, replicas + maxSurge - pods.length));
  const least = replicas - maxUnavailable;
  const pending = fresh.filter(({ available }) => !available).length;
  const broken = old.filter(({ available }) => !available).slice(0, Math.max(0, pods.length - least - pending));
  const spare = Math.max(0, pods.filter(({ available }) => available).length - least);
  const healthy = old.filter(({ available }) => available).slice(0, spare);
  return { create, remove: [...broken, ...healthy] };
}

function amount(value: number | string, of: number, round: (share: number) => number): number {
  if (typeof value === 'number') return value;
  return round((Number(/^(\d+)%$/.exec(value)?.[1] ?? NaN) / 100) * of);
}
