import { Button, Card, Group, NativeSelect, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, memo, Suspense, useState } from 'react';
import { toFunctionSelector } from 'viem';
import { readMethods } from '../../abi/picked-methods';
import { reasonsQuery } from '../../api/queries';
import { whenReachable } from '../../api/when-reachable';
import { useScope } from '../../shell/use-scope';
import { Icon } from '../../ui/icon';
import { STATES } from '../../ui/state-badge';
import { TypedInput } from '../../ui/typed-input';
import { COLUMNS, columnsOf, columnsText } from './columns';
import { shortHex } from './row-texts';
import { OPERATION_STATES, searchedIn, type OperationSearch } from './to-filter';
import { useKnown } from './use-known';

const ColumnsButton = lazy(async () => ({
  default: (await whenReachable(() => import('./columns-button'))).ColumnsButton,
}));

const REASONS = 'reasons-of-refusals';
/** Shown when asked for, or in use. */
const RARE = ['contract', 'method', 'policy', 'from', 'to'] as const;
/** Of links from before the search box. */
const EXACT = { sender: 'Account', hash: 'Operation', transaction: 'Transaction', request: 'Request' } as const;

interface Option {
  readonly value: string;
  readonly label: string;
}

/**
 * The filters. They are in the URL, so a link shows the same list, and the way back leads to the list before. Pages of the
 * list that arrive do not draw them again.
 */
export const OperationFilters = memo(function OperationFilters() {
  const { open: _, columns, ...search } = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/operations' });
  const navigate = useNavigate();
  const [asksMore, setAsksMore] = useState(false);
  const showsMore = asksMore || RARE.some((name) => search[name] !== undefined);
  const set = (change: OperationSearch, replace = false) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...change, open: undefined }),
      replace,
      resetScroll: false,
    });
  const select = (name: 'state' | 'reason') => ({
    value: search[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value || undefined }),
  });
  const day = (name: 'from' | 'to') => ({
    type: 'date',
    text: search[name] ?? '',
    onText: (text: string, replace: boolean) => set({ [name]: text || undefined }, replace),
    read: (typed: string) => typed,
  });
  const exact = Object.entries(EXACT).filter(([name]) => search[name as keyof typeof EXACT] !== undefined);
  return (
    <Card padding="sm" component="search">
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm" style={{ alignItems: 'start' }}>
        <SearchBox
          search={search.search ?? ''}
          onSearch={(text, replace) => set({ search: text || undefined }, replace)}
        />
        <NativeSelect
          label="State"
          {...select('state')}
          data={[
            { value: '', label: 'Every state' },
            ...OPERATION_STATES.map((state) => ({ value: state, label: STATES[state].name })),
          ]}
        />
        <ReasonSelect {...select('reason')} />
        {showsMore && (
          <>
            <RegisteredSelects
              {...search}
              onContract={(contract) => set({ contract: contract || undefined, method: undefined })}
              onMethod={(method) => set({ method: method || undefined })}
              onPolicy={(policy) => set({ policy: policy || undefined })}
            />
            <TypedInput label="From" {...day('from')} />
            <TypedInput label="To" {...day('to')} />
          </>
        )}
      </SimpleGrid>
      <Group mt="xs" gap="xs">
        <Button variant="subtle" size="compact-sm" aria-expanded={showsMore} onClick={() => setAsksMore(!showsMore)}>
          {showsMore ? 'Fewer filters' : 'More filters'}
        </Button>
        <Suspense
          fallback={
            <Button variant="subtle" size="compact-sm" disabled>
              Columns
            </Button>
          }
        >
          <ColumnsButton
            labels={COLUMNS}
            shown={columnsOf(columns)}
            onShown={(chosen) => set({ columns: columnsText(chosen) })}
          />
        </Suspense>
        {exact.map(([name, label]) => {
          const value = search[name as keyof typeof EXACT] ?? '';
          const text = `${label} ${value.length > 20 ? shortHex(value) : value}`;
          return (
            <Button
              key={name}
              variant="light"
              size="compact-sm"
              rightSection={<Icon name="cross" size={12} />}
              title={value}
              aria-label={`${text}: remove this filter`}
              onClick={() => set({ [name]: undefined })}
            >
              {text}
            </Button>
          );
        })}
        {Object.values(search).some((value) => value !== undefined) && (
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => void navigate({ to: '.', search: { columns }, resetScroll: false })}
          >
            Clear the filter
          </Button>
        )}
      </Group>
    </Card>
  );
});

interface SearchBoxProps {
  readonly search: string;
  /** @param replace whether the person goes on with what is in the URL already */
  readonly onSearch: (text: string, replace: boolean) => void;
}

/** Takes a hash, an account, a request id or a reason, of which it offers all. */
function SearchBox({ search, onSearch }: SearchBoxProps) {
  const { data: reasons = [] } = useQuery(reasonsQuery(useScope()));
  return (
    <>
      <TypedInput
        label="Search"
        style={{ gridColumn: 'span 2' }}
        placeholder="Hash, account, request id or reason"
        list={REASONS}
        text={search}
        onText={onSearch}
        read={searchedIn}
        form="A hash (0x and 64 hex digits), an account (0x and 40), an id or a reason"
      />
      <datalist id={REASONS}>
        {reasons.map(({ reason, when }) => (
          <option key={reason} value={reason} label={when} />
        ))}
      </datalist>
    </>
  );
}

interface SelectProps {
  readonly value: string;
  readonly onChange: (event: { currentTarget: { value: string } }) => void;
}

function ReasonSelect(select: SelectProps) {
  const { data: reasons = [] } = useQuery(reasonsQuery(useScope()));
  const options = reasons.map(({ reason }) => ({ value: reason, label: reason }));
  return (
    <NativeSelect
      label="Reason of a refusal"
      {...select}
      data={[{ value: '', label: 'Every reason' }, ...withCurrent(options, select.value)]}
      title={reasons.find(({ reason }) => reason === select.value)?.when}
    />
  );
}

interface RegisteredProps extends OperationSearch {
  readonly onContract: (address: string) => void;
  readonly onMethod: (selector: string) => void;
  readonly onPolicy: (policyId: string) => void;
}

/** Contract, method and policy by their names. */
function RegisteredSelects({ contract, method, policy, onContract, onMethod, onPolicy }: RegisteredProps) {
  const { contracts, policies } = useKnown();
  const chosen = contracts.find(({ address }) => address === contract?.toLowerCase());
  const methods = readMethods(chosen?.abi ?? '').map(({ signature }) => ({
    value: toFunctionSelector(signature),
    label: signature,
  }));
  return (
    <>
      <NativeSelect
        label="Contract"
        value={chosen?.address ?? contract ?? ''}
        onChange={({ currentTarget }) => onContract(currentTarget.value)}
        data={[
          { value: '', label: 'Every contract' },
          ...withCurrent(
            contracts.map(({ address, name }) => ({ value: address, label: name })),
            chosen?.address ?? contract,
          ),
        ]}
      />
      <NativeSelect
        label="Method"
        value={method ?? ''}
        onChange={({ currentTarget }) => onMethod(currentTarget.value)}
        disabled={!contract && !method}
        data={[
          { value: '', label: contract ? 'Every method' : 'Choose a contract first' },
          ...withCurrent(methods, method),
        ]}
      />
      <NativeSelect
        label="Policy"
        value={policy ?? ''}
        onChange={({ currentTarget }) => onPolicy(currentTarget.value)}
        data={[
          { value: '', label: 'Every policy' },
          ...withCurrent(
            [...policies].map(([value, label]) => ({ value, label })),
            policy,
          ),
        ]}
      />
    </>
  );
}

/** Also what a link names and is not registered any more. */
function withCurrent(options: readonly Option[], value = ''): readonly Option[] {
  if (value === '' || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: value.startsWith('0x') && value.length > 20 ? shortHex(value) : value }];
}
