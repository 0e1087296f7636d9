import { Button, Card, Group, NativeSelect, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { keysQuery } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { TypedInput } from '../../ui/typed-input';
import { OUTCOMES, searchedIn, type RequestSearch } from './to-request-filter';

/** Those that apps call for an operation. Another one is offered while the URL names it. */
const METHODS = [
  ...['pm_sponsorUserOperation', 'pm_getPaymasterStubData', 'pm_getPaymasterData', 'pm_getFeeQuoteOrData'],
  ...['alchemy_requestGasAndPaymasterAndData', 'zd_sponsorUserOperation'],
  ...['eth_estimateUserOperationGas', 'eth_sendUserOperation'],
];

/** The filters. They are in the URL, so a link shows the same list, and the way back leads to the list before. */
export function RequestFilters() {
  const { open: _, ...search } = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/requests' });
  const navigate = useNavigate();
  const { maySeeSecrets } = useRole();
  const { data: keys = [] } = useQuery({ ...keysQuery(useScope()), enabled: maySeeSecrets });
  const set = (change: RequestSearch, replace = false) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...change, open: undefined }),
      replace,
      resetScroll: false,
    });
  const select = (name: 'outcome' | 'method' | 'key') => ({
    value: search[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value || undefined }),
  });
  const day = (name: 'from' | 'to') => ({
    type: 'date',
    text: search[name] ?? '',
    onText: (text: string, replace: boolean) => set({ [name]: text || undefined }, replace),
    read: (typed: string) => typed,
  });
  const methods = [...new Set([...METHODS, ...(search.method ? [search.method] : [])])];
  const named = keys.map(({ keyId, name }) => ({ value: keyId, label: name }));
  const isOther = search.key && search.key !== 'main' && named.every(({ value }) => value !== search.key);
  return (
    <Card padding="sm" component="search">
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm" style={{ alignItems: 'start' }}>
        <TypedInput
          label="Search"
          style={{ gridColumn: 'span 2' }}
          placeholder="Request id, account or reason"
          text={search.search ?? ''}
          onText={(text, replace) => set({ search: text || undefined }, replace)}
          read={searchedIn}
          form="An id of a request, an account (0x and 40 hex digits) or a reason"
        />
        <NativeSelect
          label="Answer"
          {...select('outcome')}
          data={[
            { value: '', label: 'Every answer' },
            ...Object.entries(OUTCOMES).map(([value, { label }]) => ({ value, label })),
          ]}
        />
        <NativeSelect
          label="Method"
          {...select('method')}
          data={[{ value: '', label: 'Every method' }, ...methods.map((method) => ({ value: method, label: method }))]}
        />
        <NativeSelect
          label="Key"
          {...select('key')}
          data={[
            { value: '', label: 'Every key' },
            { value: 'main', label: 'The main key' },
            ...named,
            ...(isOther ? [{ value: search.key ?? '', label: search.key ?? '' }] : []),
          ]}
        />
        <TypedInput label="From" {...day('from')} />
        <TypedInput label="To" {...day('to')} />
      </SimpleGrid>
      {Object.values(search).some((value) => value !== undefined) && (
        <Group mt="xs">
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => void navigate({ to: '.', search: {}, resetScroll: false })}
          >
            Clear the filter
          </Button>
        </Group>
      )}
    </Card>
  );
}
