import { useState } from 'react';

interface Versioned {
  readonly version?: number | undefined;
}

interface Edit<Stored, Draft> {
  /** As it is stored now; undefined for something new. */
  readonly stored: Stored | undefined;
  /** Somebody deleted it after the reader began. */
  readonly isGone: boolean;
  readonly draftOf: (stored: Stored) => Draft;
  readonly fresh: () => Draft;
}

export interface Edited<Stored, Draft> {
  readonly draft: Draft;
  readonly setDraft: (draft: Draft) => void;
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

/** What a reader makes of something that others may change at the same time. */
export function useEdited<Stored extends Versioned, Draft>(edit: Edit<Stored, Draft>): Edited<Stored, Draft> {
  const { stored, isGone, draftOf, fresh } = edit;
  const [start, setStart] = useState(stored);
  const [draft, setDraft] = useState<Draft>(() => (stored ? draftOf(stored) : fresh()));
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
