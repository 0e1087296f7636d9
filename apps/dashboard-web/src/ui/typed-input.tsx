import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState, type CSSProperties } from 'react';

const TYPING_MS = 350;

interface Props {
  readonly label: string;
  readonly text: string;
  /** @param replace whether the person goes on with what is in the URL already */
  readonly onText: (text: string, replace: boolean) => void;
  /** What of a typed text goes into the URL; undefined where nothing can, and `form` is shown. */
  readonly read: (typed: string) => string | undefined;
  readonly form?: string;
  readonly type?: string;
  readonly placeholder?: string;
  readonly list?: string;
  readonly style?: CSSProperties;
}

/** A field of a filter in the URL. What is typed in one go is one step of the way back. */
export function TypedInput({ text, onText, read, form, ...input }: Props) {
  const [typed, setTyped] = useState(text);
  const inUrl = useRef(text);
  const goesOn = useRef(false);
  useEffect(() => {
    // What this input has put into the URL itself may be written otherwise than it was typed.
    if (inUrl.current !== text) setTyped(text);
    inUrl.current = text;
  }, [text]);
  const readIn = (next: string) => (next.trim() === '' ? '' : read(next));
  const apply = useDebouncedCallback((next: string) => {
    inUrl.current = next;
    onText(next, goesOn.current);
    goesOn.current = true;
  }, TYPING_MS);
  return (
    <TextInput
      {...input}
      value={typed}
      error={readIn(typed) === undefined && form}
      spellCheck={false}
      autoComplete="off"
      onChange={({ currentTarget: { value } }) => {
        setTyped(value);
        const next = readIn(value);
        if (next === undefined) apply.cancel();
        else apply(next);
      }}
      onFocus={() => (goesOn.current = false)}
    />
  );
}
