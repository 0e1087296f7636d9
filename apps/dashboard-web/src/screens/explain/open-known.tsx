import { Alert, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { ApiError } from '../../api/api-error';
import { newestOperationsQuery, operationQuery, type PaymasterScope } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { Problem } from '../../ui/problem';
import type { readReference } from './read-operation-text';

type Reference = NonNullable<ReturnType<typeof readReference>>;

/** Leads to an operation that the paymaster was asked for before, or says that there is none. */
export function OpenKnown({ reference }: { readonly reference: Reference }) {
  const scope = useScope();
  return 'hash' in reference ? (
    <ByHash scope={scope} hash={reference.hash} />
  ) : (
    <ById scope={scope} id={reference.id} />
  );
}

function ByHash({ scope, hash }: { readonly scope: PaymasterScope; readonly hash: string }) {
  const { data, error } = useQuery(newestOperationsQuery(scope, { userOpHash: hash }, 1));
  if (error) return <Problem error={error} what="The operation was not looked for" />;
  if (!data) return <Loader size="sm" />;
  const [found] = data.operations;
  return found ? <Open scope={scope} id={found.id} /> : <None what="hash" />;
}

function ById({ scope, id }: { readonly scope: PaymasterScope; readonly id: string }) {
  const { data, error } = useQuery({ ...operationQuery(scope, id), retry: false });
  if (error instanceof ApiError && error.status === 404) return <None what="id" />;
  if (error) return <Problem error={error} what="The operation was not looked for" />;
  return data ? <Open scope={scope} id={data.id} /> : <Loader size="sm" />;
}

function Open({ scope, id }: { readonly scope: PaymasterScope; readonly id: string }) {
  return <Navigate to="/a/$accountId/p/$paymasterId/operations" params={scope} search={{ open: id } as never} />;
}

function None({ what }: { readonly what: string }) {
  return (
    <Alert color="yellow" title={`This paymaster was asked for no operation with this ${what}`}>
      The hash of an operation is known once it is signed. Is it an operation of another paymaster?
    </Alert>
  );
}
