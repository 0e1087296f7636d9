import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { useScope } from '../../shell/use-scope';

export interface MainKey {
  /** Undefined until somebody asks to see it. */
  readonly apiKey: string | undefined;
  readonly isPending: boolean;
  readonly error: unknown;
  /** Asks for it; the audit log says that. */
  readonly show: () => void;
  readonly hide: () => void;
  /** Takes the key that was just made in its place. */
  readonly replaced: (apiKey: string) => void;
}

/** The main key of the paymaster. It is kept here only, and leaves the memory with the screen. */
export function useMainKey(): MainKey {
  const scope = useScope();
  const { paymasterId } = scope;
  const [shown, setShown] = useState<{ readonly paymasterId: string; readonly apiKey: string }>();
  const show = useMutation({
    mutationFn: async () => {
      const { apiKey } = await contentOf(api.POST(`${SDK}/paymaster/show-key`, { headers: headersOf(scope) }));
      setShown({ paymasterId, apiKey });
    },
  });
  return {
    apiKey: shown?.paymasterId === paymasterId ? shown.apiKey : undefined,
    isPending: show.isPending,
    error: show.error,
    show: () => show.mutate(),
    hide: () => setShown(undefined),
    replaced: (apiKey) => setShown({ paymasterId, apiKey }),
  };
}
