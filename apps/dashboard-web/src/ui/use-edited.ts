import { useState, type Dispatch, type SetStateAction } from 'react';
import { useUnsaved } from './edit-dialog';

interface Editing<Stored, Draft> {
  /** What is changed, as it is stored now; left out where something new is made. */
  readonly stored: Stored | undefined;
  /** Somebody deleted it after the reader began to edit it. */
  readonly isGone?: boolean;
  /** What of it can be changed. */
  readonly draftOf: (stored: Stored) => Draft;
  /** What something new begins with. */
  readonly fresh: Draft;
  /** Whether what is stored now came after what the reader began with; all that differs, where it is left out. */
  readonly isNewer?: (stored: Stored, start: Stored) => boolean;
}

export interface Edited<Stored, Draft> {
  readonly draft: Draft;
  readonly setDraft: Dispatch<SetStateAction<Draft>>;
  /** What the draft is a change of; undefined for something new. */
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

/** What a reader makes of a thing that others may change at the same time. The dialog around knows what is not saved. */
export function useEdited<Stored, Draft>(editing: Editing<Stored, Draft>): Edited<Stored, Draft> {
  const { stored, isGone = false, draftOf, fresh, isNewer = () => true } = editing;
  const [start, setStart] = useState(stored);
  const [draft, setDraft] = useState(() => (stored ? draftOf(stored) : fresh));
  const [round, setRound] = useState(0);
  // Not all that is new in what is stored can be edited: a pause of a policy, the last use of a key.
  const isSame = (one: Stored, other: Stored) => isEqual(draftOf(one), draftOf(other));
  const comesAfter = start && stored && isNewer(stored, start);
  const isOld = Boolean(!isGone && comesAfter && !isSame(start, stored));
  // What this reader saved is known before it is read again.
  const now = comesAfter && !isOld ? stored : start;
  useUnsaved(isGone || !isEqual(draft, now ? draftOf(now) : fresh));
  const choose = (chosen: Draft) => {
    setStart(stored);
    setDraft(chosen);
    setRound(round + 1);
  };
  return { draft, setDraft, from: isGone ? undefined : now, isOld, choose, round, saved: setStart };
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
