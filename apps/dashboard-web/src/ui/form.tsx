import type { ReactNode } from 'react';

interface Props {
  readonly onSubmit: () => void;
  readonly children: ReactNode;
}

/** Fields that are sent by the page, not by the browser. */
export function Form({ onSubmit, children }: Props) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
