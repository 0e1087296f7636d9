import { Button, Group, Modal, Text, type ModalProps } from '@mantine/core';
import { createContext, useCallback, useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** What is in view stays in view. */
const IN_PLACE = { preventScroll: true };

const Report = createContext<(isChanged: boolean) => void>(() => undefined);

/** Tells the dialog around a form whether something would be lost if it closed. */
export function useUnsaved(isChanged: boolean): void {
  const report = useContext(Report);
  // Before the next event: a later effect would let an Esc through that follows a letter at once.
  useLayoutEffect(() => {
    report(isChanged);
    return () => report(false);
  }, [report, isChanged]);
}

/**
 * A dialog with a form. Esc, its cross and a click outside close it at once while nothing is changed, and ask first
 * otherwise. The form says by {@link useUnsaved} what it is, and closes the dialog itself after a save.
 */
export function EditDialog({ opened, onClose, children, ...modal }: ModalProps) {
  const isChanged = useRef(false);
  const report = useCallback((value: boolean) => void (isChanged.current = value), []);
  const [isAsked, setIsAsked] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  const before = useRef<Element>(null);
  if (isAsked && !opened) setIsAsked(false);
  const keep = () => {
    flushSync(() => setIsAsked(false));
    const field = form.current?.contains(before.current) ? before.current : form.current;
    if (field instanceof HTMLElement) field.focus(IN_PLACE);
  };
  const close = () => {
    if (isAsked) keep();
    else if (isChanged.current) {
      before.current = document.activeElement;
      setIsAsked(true);
    } else onClose();
  };
  return (
    <Modal {...modal} opened={opened} onClose={close}>
      <div ref={form} tabIndex={-1} inert={isAsked}>
        <Report value={report}>{children}</Report>
      </div>
      {isAsked && <Question onKeep={keep} onDiscard={onClose} />}
    </Modal>
  );
}

interface QuestionProps {
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** It is no dialog above the dialog: each of two would take the same Esc. */
function Question({ onKeep, onDiscard }: QuestionProps) {
  const titleId = useId();
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => keep.current?.focus(IN_PLACE), []);
  return (
    <div role="alertdialog" aria-labelledby={titleId} className="form-footer question">
      <Group justify="space-between" gap="xs">
        <Text id={titleId} fw={600}>
          Discard your changes?
        </Text>
        <Group gap="xs">
          <Button ref={keep} variant="default" onClick={onKeep}>
            Keep editing
          </Button>
          <Button color="red" onClick={onDiscard}>
            Discard
          </Button>
        </Group>
      </Group>
    </div>
  );
}
