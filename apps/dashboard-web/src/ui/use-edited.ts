import { useState } from 'react';
import { draftOf, type Draft, type StoredPolicy } from '../../policy/policy-draft';

/** What the editor of a policy is opened with. */
export interface Editing<Stored extends StoredPolicy> {
  /** The policy that is changed, as it is stored now; a new one where it is left out. */
  readonly policy: Stored | undefined;
  /** Somebody deleted the policy after the reader began to edit it. */
  readonly isGone: boolean;
  readonly onDone: () => void;
}

export interface Edited<Stored extends StoredPolicy> {
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
  /** What the draft is a change of; undefined for a new policy. */
  readonly from: Stored | undefined;
  /** Somebody else saved something else meanwhile: nothing is saved until the reader has chosen. */
  readonly isOld: boolean;
  /** Goes on with this draft, as a change of what is stored now. */
  readonly choose: (draft: Draft) => void;
  /** Grows with each choice: fields keep what is typed in them, so they are made anew. */
  readonly round: number;
  /** Keeps what a save has stored from looking like somebody else's change. */
  readonly saved: (stored: Stored) => void;
}

/** What a reader makes of a policy that others may change at the same time; `fresh` is what a new one begins with. */
export function useEdited<Stored extends StoredPolicy>(
  { policy: stored, isGone }: Editing<Stored>,
  fresh: Draft,
): Edited<Stored> {
  const [start, setStart] = useState(stored);
  const [draft, setDraft] = useState(() => (stored ? draftOf(stored) : fresh));
  const [round, setRound] = useState(0);
  // A pause in between changes nothing in the editor.
  const isSame = (one: Stored, other: Stored) => JSON.stringify(draftOf(one)) === JSON.stringify(draftOf(other));
  const isNewer = start && stored && (stored.version ?? 0) > (start.version ?? 0);
  const isOld = Boolean(!isGone && isNewer && !isSame(start, stored));
  // What this reader saved is known before it is read again.
  const now = isNewer && !isOld ? stored : start;
  const choose = (chosen: Draft) => {
    setStart(stored);
    setDraft(chosen);
    setRound(round + 1);
  };
  return { draft, setDraft, from: isGone ? undefined : now, isOld, choose, round, saved: setStart };
}
