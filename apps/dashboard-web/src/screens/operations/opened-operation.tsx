import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { operationQuery } from '../../api/queries';
import { whenReachable } from '../../api/when-reachable';
import { useScope } from '../../shell/use-scope';
import { Load } from '../../ui/load';

const HEIGHT = 300;
const OperationDetail = lazy(async () => ({
  default: (await whenReachable(() => import('./operation-detail'))).OperationDetail,
}));

/** All that is known of an operation, as it comes; what draws it is loaded when a reader opens the first. */
export function OpenedOperation({ operationId }: { readonly operationId: string }) {
  const operation = useQuery(operationQuery(useScope(), operationId));
  return (
    <Load of={operation} what="The operation" height={HEIGHT}>
      {(found) => (
        <Suspense
          fallback={
            <Skeleton height={HEIGHT} aria-busy="true" aria-label="The operation is on its way" role="status" />
          }
        >
          <OperationDetail operation={found} />
        </Suspense>
      )}
    </Load>
  );
}
