import { Group } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** Why it is not saved: an error, or a choice that comes first. */
  readonly says?: ReactNode;
  /** The buttons. */
  readonly children?: ReactNode;
}

/** The end of a form. It stays in view however long the form is. */
export function FormFooter({ says, children }: Props) {
  return (
    <div className="form-footer">
      <div className="form-footer-says">{says}</div>
      {children && <Group justify="flex-end">{children}</Group>}
    </div>
  );
}
