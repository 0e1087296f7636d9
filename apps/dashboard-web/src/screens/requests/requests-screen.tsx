import { Alert, Anchor, Button, Card, Drawer, Stack, Table, Text } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { requestPagesQuery, requestsKey, type LoggedRequest } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { Confirm } from '../../ui/confirm';
import { Empty } from '../../ui/empty';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Older } from '../../ui/older';
import { Page } from '../../ui/page';
import { Reason } from '../../ui/reason';
import { When } from '../../ui/when';
import { WideTable } from '../../ui/wide-table';
import { OutcomeBadge } from './outcome-badge';
import { RequestDetail } from './request-detail';
import { RequestFilters } from './request-filters';
import { toRequestFilter } from './to-request-filter';

const COLUMNS = ['Time', 'Answer', 'Method', 'Account', 'Key', 'Took', 'Actions'];

/** What gateways answered: finds a request, says why, and asks again. */
export function RequestsScreen() {
  const scope = useScope();
  const { mayWrite } = useRole();
  const search = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/requests' });
  const navigate = useNavigate();
  const filter = useMemo(() => toRequestFilter(search), [search]);
  const pages = useInfiniteQuery(requestPagesQuery(scope, filter));
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const open = (id?: string) => void navigate({ to: '.', search: { ...search, open: id }, resetScroll: false });
  return (
    <Page
      title="Requests"
      sub="What gateways answered: every request that was refused, and a sample of those that were signed."
      actions={
        <>
          <Button variant="default" onClick={() => void pages.refetch()} loading={pages.isRefetching}>
            Reload
          </Button>
          {mayWrite && <Erase />}
        </>
      }
    >
      <RequestFilters />
      <Load of={pages} what="The requests" height={300}>
        {({ pages: list }) => (
          <>
            <LeftOut requests={list[0]?.leftOut ?? 0} />
            <Card>
              {list.every(({ entries }) => entries.length === 0) ? (
                <Nothing hasFilter={hasFilter} />
              ) : (
                <Stack>
                  <WideTable label="Requests" minWidth={860} columns={COLUMNS}>
                    {list.flatMap(({ entries }) =>
                      entries.map((request) => (
                        <Row key={request.id} request={request} onOpen={() => open(request.id)} />
                      )),
                    )}
                  </WideTable>
                  <Older of={pages} what="requests" />
                </Stack>
              )}
            </Card>
          </>
        )}
      </Load>
      <Drawer opened={search.open !== undefined} onClose={() => open()} position="right" size="xl" title="Request">
        {search.open && <RequestDetail entryId={search.open} />}
      </Drawer>
    </Page>
  );
}

function Row({ request, onOpen }: { readonly request: LoggedRequest; readonly onOpen: () => void }) {
  const { at, outcome, reason, method, sender, keyId, keyName, durationMs } = request;
  return (
    <Table.Tr>
      <Table.Td>
        <When iso={at} relative />
      </Table.Td>
      <Table.Td>
        <OutcomeBadge outcome={outcome} />
        {reason && (
          <Text size="xs" className="breaks">
            <Reason reason={reason} />
          </Text>
        )}
      </Table.Td>
      <Table.Td className="breaks">{method}</Table.Td>
      <Table.Td>{sender ? <Hex value={sender} of="account" /> : 'not known'}</Table.Td>
      <Table.Td className="breaks">{keyId === null ? 'main' : (keyName ?? 'a key that is gone')}</Table.Td>
      <Table.Td className="numbers">{durationMs < 10 ? durationMs.toFixed(1) : Math.round(durationMs)} ms</Table.Td>
      <Table.Td>
        <Button
          size="compact-xs"
          variant="default"
          onClick={onOpen}
          aria-label={`Show the request ${request.requestId}`}
        >
          Show
        </Button>
      </Table.Td>
    </Table.Tr>
  );
}

function LeftOut({ requests }: { readonly requests: number }) {
  if (requests === 0) return null;
  return (
    <Alert color="yellow" title={`${requests.toLocaleString('en')} requests of the last 24 hours are not here`}>
      More came at once than are kept. Overview and Operations count every one.
    </Alert>
  );
}

function Nothing({ hasFilter }: { readonly hasFilter: boolean }) {
  const { accountId, paymasterId } = useScope();
  const navigate = useNavigate();
  if (hasFilter) {
    return (
      <Empty
        title="No request fits this filter"
        action={
          <Button variant="default" onClick={() => void navigate({ to: '.', search: {} })}>
            Clear the filter
          </Button>
        }
      >
        Requests are kept for as many days as the settings say.
      </Empty>
    );
  }
  return (
    <Empty
      title="No request was refused"
      action={
        <Anchor component={Link} to={`/a/${accountId}/p/${paymasterId}/settings`}>
          Also keep a sample of what is signed
        </Anchor>
      }
    >
      As soon as a gateway refuses a request of your app, it appears here, with the reason.
    </Empty>
  );
}

function Erase() {
  const scope = useScope();
  const queries = useQueryClient();
  const erase = useMutation({
    mutationFn: () => contentOf(api.DELETE(`${SDK}/request-log`, { headers: headersOf(scope) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: requestsKey(scope) }),
  });
  return (
    <Confirm
      action="Erase all requests"
      size="sm"
      onConfirm={() => erase.mutateAsync()}
      isPending={erase.isPending}
      error={erase.error}
    >
      Every request until now is deleted for good, for everybody of this account. The audit log says that you did it.
    </Confirm>
  );
}
