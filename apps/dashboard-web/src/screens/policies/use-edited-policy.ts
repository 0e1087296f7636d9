import { draftOf, type Draft, type StoredPolicy } from '../../policy/policy-draft';
import { useEdited, type Edited } from '../../ui/use-edited';

/** What the editor of a policy is opened with. */
export interface Editing<Stored extends StoredPolicy> {
  /** The policy that is changed, as it is stored now; a new one where it is left out. */
  readonly policy: Stored | undefined;
  /** Somebody deleted the policy after the reader began to edit it. */
  readonly isGone: boolean;
  readonly onDone: () => void;
}

/** What a reader makes of a policy; `fresh` is what a new one begins with. */
export function useEditedPolicy<Stored extends StoredPolicy>(
  { policy, isGone }: Editing<Stored>,
  fresh: Draft,
): Edited<Stored, Draft> {
  const isNewer = (stored: Stored, start: Stored) => (stored.version ?? 0) > (start.version ?? 0);
  return useEdited({ stored: policy, isGone, draftOf, fresh, isNewer });
}
