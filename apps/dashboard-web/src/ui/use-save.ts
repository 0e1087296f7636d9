import { useMutation } from '@tanstack/react-query';
import { ApiError } from '../api/api-error';
import type { Edited } from './use-edited';

interface Saving {
  readonly edited: Pick<Edited<never, never>, 'isOld'>;
  readonly send: () => Promise<unknown>;
  readonly readAgain: () => Promise<unknown>;
  readonly onDone: () => void;
}

/** Saves what is edited. Where somebody else saved meanwhile, what is stored is read again, for the reader to choose. */
export function useSave({ edited, send, readAgain, onDone }: Saving) {
  const save = useMutation({
    mutationFn: send,
    onSuccess: async () => {
      await readAgain();
      onDone();
    },
    onError: (error) => (error instanceof ApiError && error.status === 409 ? readAgain() : undefined),
  });
  // What was just saved is read again while the form closes.
  return { save, isOld: edited.isOld && !save.isPending && !save.isSuccess };
}
