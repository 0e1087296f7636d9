import { Alert } from '@mantine/core';

/** Says that what the reader edits is stored no longer. */
export function DeletedMeanwhile() {
  return (
    <Alert color="yellow" title="Somebody deleted this policy" role="alert">
      What you typed is still here. Save it, and it is a new policy, whose limits count from zero.
    </Alert>
  );
}
