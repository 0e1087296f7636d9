import { Anchor, Button, Card, Drawer, Group } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import { operationPagesQuery, type OperationSummary } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { Empty } from '../../ui/empty';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { columnsOf } from './columns';
import { CsvButton } from './csv-button';
import { OperationFilters } from './operation-filters';
import { OpenedOperation } from './opened-operation';
import { OperationList } from './operation-list';
import { toFilter } from './to-filter';

/** Finds an operation, and says why it became what it became. Pages that arrive draw only the list anew. */
export function OperationsScreen() {
  const { filter, search, open } = useSearched();
  const query = operationPagesQuery(useScope(), filter);
  const queries = useQueryClient();
  const { isRefetching, refetch } = useInfiniteQuery(query);
  const reload = () => {
    // All pages that were read would be read again, one after the other.
    queries.setQueryData(
      query.queryKey,
      (all) => all && { pages: all.pages.slice(0, 1), pageParams: all.pageParams.slice(0, 1) },
    );
    void refetch();
  };
  return (
    <Page
      title="Operations"
      sub="What became of every request: signed, refused, landed, and what it cost."
      actions={
        <>
          <Button variant="default" onClick={reload} loading={isRefetching}>
            Reload
          </Button>
          <CsvButton filter={filter} />
        </>
      }
    >
      <OperationFilters />
      <Found />
      <Drawer opened={search.open !== undefined} onClose={() => open()} position="right" size="xl" title="Operation">
        {search.open && <OpenedOperation operationId={search.open} />}
      </Drawer>
    </Page>
  );
}

function Found() {
  const { filter, search, open } = useSearched();
  const columns = useMemo(() => columnsOf(search.columns), [search.columns]);
  const pages = useInfiniteQuery(operationPagesQuery(useScope(), filter));
  const operations = useMemo(() => pages.data?.pages.flatMap((page) => page.operations) ?? [], [pages.data]);
  if (pages.error && !pages.data) {
    return <Problem error={pages.error} what="The operations could not be read" retry={() => void pages.refetch()} />;
  }
  if (pages.data && operations.length === 0) {
    const hasFilter = Object.values(filter).some((value) => value !== undefined);
    return (
      <Card>
        <Nothing hasFilter={hasFilter} searched={search.search ?? search.request} />
      </Card>
    );
  }
  return (
    <OperationList
      operations={operations}
      columns={columns}
      isLoading={pages.isFetchingNextPage || pages.isPending}
      hasMore={pages.hasNextPage && !pages.isFetchNextPageError}
      onEnd={() => void pages.fetchNextPage()}
      onOpen={open}
    />
  );
}

/** What the URL asks for, and how one of the operations is opened there. */
function useSearched() {
  const search = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/operations' });
  const navigate = useNavigate();
  const filter = useMemo(() => toFilter(search), [search]);
  const open = useCallback(
    (operation?: OperationSummary) =>
      void navigate({ to: '.', search: { ...search, open: operation?.id }, resetScroll: false }),
    [navigate, search],
  );
  return { filter, search, open };
}

function Nothing({ hasFilter, searched }: { readonly hasFilter: boolean; readonly searched: string | undefined }) {
  const { accountId, paymasterId } = useScope();
  const navigate = useNavigate();
  if (hasFilter) {
    return (
      <Empty
        title="No operation fits this filter"
        action={
          <Group>
            <Button
              variant="default"
              onClick={() => void navigate({ to: '.', search: ({ columns }) => ({ columns }) })}
            >
              Clear the filter
            </Button>
            {searched && (
              <Anchor
                component={Link}
                to={`/a/${accountId}/p/${paymasterId}/requests`}
                search={{ search: searched } as never}
              >
                Look for it in the request log
              </Anchor>
            )}
          </Group>
        }
      >
        Refused requests are kept for some weeks only; what landed is kept. The request log also has requests that could
        not be read.
      </Empty>
    );
  }
  return (
    <Empty
      title="Nobody has asked yet"
      action={
        <Group>
          <Anchor href={`/a/${accountId}/p/${paymasterId}/start`}>Send the first operation</Anchor>
        </Group>
      }
    >
      As soon as an app asks this paymaster for a signature, the request appears here, also if it is refused.
    </Empty>
  );
}
