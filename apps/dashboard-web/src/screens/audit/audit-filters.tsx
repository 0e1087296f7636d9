import { Button, Card, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { paymastersQuery } from '../../api/queries';
import { actorName } from '../../audit/actor-name';
import { useKnownActors } from '../../audit/use-known-actors';
import { useScope } from '../../shell/use-scope';
import { SUBJECTS, type AuditSearch } from './to-audit-filter';

/** The filters. They are in the URL, so a link shows the same list. */
export function AuditFilters() {
  const { accountId } = useScope();
  const { at: _, ...search } = useSearch({ from: '/signed-in/a/$accountId/audit-log' });
  const navigate = useNavigate();
  const { data: paymasters = [] } = useQuery(paymastersQuery(accountId));
  const known = useKnownActors();
  const set = (change: AuditSearch) => {
    const next = Object.fromEntries(Object.entries({ ...search, ...change }).filter(([, value]) => value));
    void navigate({ to: '.', search: next, replace: true, resetScroll: false });
  };
  const field = (name: keyof AuditSearch) => ({
    value: search[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  });
  const actors = [
    ...known.members.map(({ personId }) => ({ value: personId, personId, tokenIdPrefix: null })),
    ...known.tokens.map(({ tokenId }) => ({
      value: tokenId.slice(0, 8),
      personId: null,
      tokenIdPrefix: tokenId.slice(0, 8),
    })),
  ].map(({ value, ...actor }) => ({ value, label: actorName(actor, known) }));
  const { who } = search;
  const isOther = who !== undefined && !actors.some(({ value }) => value === who);
  return (
    <Card padding="sm" component="search">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" style={{ alignItems: 'end' }}>
        <NativeSelect
          label="Paymaster"
          {...field('paymaster')}
          data={[
            { value: '', label: 'All' },
            ...paymasters.map(({ paymasterId, name }) => ({ value: paymasterId, label: name })),
          ]}
        />
        <NativeSelect
          label="What was changed"
          {...field('subject')}
          data={[
            { value: '', label: 'Everything' },
            ...Object.entries(SUBJECTS).map(([value, label]) => ({ value, label })),
          ]}
        />
        <NativeSelect
          label="Who"
          {...field('who')}
          data={[{ value: '', label: 'Everybody' }, ...actors, ...(isOther ? [{ value: who, label: who }] : [])]}
        />
        <TextInput type="date" label="From" {...field('from')} />
        <TextInput type="date" label="To" {...field('to')} />
      </SimpleGrid>
      {Object.values(search).some((value) => value !== undefined) && (
        <Group mt="xs">
          <Button
            variant="subtle"
            size="compact-sm"
            onClick={() => void navigate({ to: '.', search: {}, replace: true })}
          >
            Clear the filter
          </Button>
        </Group>
      )}
    </Card>
  );
}
