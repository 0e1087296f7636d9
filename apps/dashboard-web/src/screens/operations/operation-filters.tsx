import { Button, Card, Group, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isAddress, isHash } from 'viem';
import { OPERATION_STATES } from './to-filter';

const TYPING_MS = 350;
const EMPTY = {
  state: '',
  reason: '',
  sender: '',
  contract: '',
  hash: '',
  transaction: '',
  request: '',
  from: '',
  to: '',
};
type Fields = typeof EMPTY;
/** Shown when asked for, or in use. */
const RARE: readonly (keyof Fields)[] = ['contract', 'hash', 'transaction', 'request', 'from', 'to'];

/** The filters. They are in the URL, so a link shows the same list. */
export function OperationFilters() {
  const search = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/operations' });
  const navigate = useNavigate();
  const { open: _, ...inUrl } = search;
  const [fields, setFields] = useState<Fields>({ ...EMPTY, ...clean(inUrl) });
  const signature = JSON.stringify(clean(inUrl));
  useEffect(() => setFields({ ...EMPTY, ...(JSON.parse(signature) as Partial<Fields>) }), [signature]);
  const [showsMore, setShowsMore] = useState(() => RARE.some((name) => fields[name] !== ''));
  const apply = useDebouncedCallback(
    (next: Fields) => void navigate({ to: '.', search: clean(next), replace: true, resetScroll: false }),
    TYPING_MS,
  );
  const set = (change: Partial<Fields>) => {
    const next = { ...fields, ...change };
    setFields(next);
    if (HEX_FIELDS.some(({ name, isRight }) => isWrong(next[name], isRight))) return;
    apply(next);
  };
  const field = (name: keyof Fields) => ({
    value: fields[name],
    onChange: (event: { currentTarget: { value: string } }) => set({ [name]: event.currentTarget.value }),
  });
  return (
    <Card padding="sm" component="search">
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 5 }} spacing="sm" style={{ alignItems: 'end' }}>
        <NativeSelect
          label="State"
          {...field('state')}
          data={[
            { value: '', label: 'Every state' },
            ...OPERATION_STATES.map((state) => ({ value: state, label: state })),
          ]}
        />
        <TextInput label="Reason of a refusal" placeholder="METHOD_NOT_WHITELISTED" {...field('reason')} />
        {HEX_FIELDS.filter(({ name }) => showsMore || !RARE.includes(name)).map(({ name, label, isRight, form }) => (
          <TextInput
            key={name}
            label={label}
            placeholder="0x…"
            {...field(name)}
            error={isWrong(fields[name], isRight) && form}
            spellCheck={false}
          />
        ))}
        {showsMore && (
          <>
            <TextInput label="Request id" {...field('request')} spellCheck={false} />
            <TextInput type="date" label="From" {...field('from')} />
            <TextInput type="date" label="To" {...field('to')} />
          </>
        )}
      </SimpleGrid>
      <Group mt="xs" gap="xs">
        <Button variant="subtle" size="compact-sm" aria-expanded={showsMore} onClick={() => setShowsMore(!showsMore)}>
          {showsMore ? 'Fewer filters' : 'More filters'}
        </Button>
        {signature !== '{}' && (
          <Button variant="subtle" size="compact-sm" onClick={() => set(EMPTY)}>
            Clear the filter
          </Button>
        )}
      </Group>
    </Card>
  );
}

const isAddressLike = (text: string) => isAddress(text, { strict: false });
const ADDRESS = { isRight: isAddressLike, form: '0x and 40 hex digits' };
const HASH = { isRight: isHash, form: '0x and 64 hex digits' };
const HEX_FIELDS = [
  { name: 'sender', label: 'Account (sender)', ...ADDRESS },
  { name: 'contract', label: 'Contract that it called', ...ADDRESS },
  { name: 'hash', label: 'Operation hash', ...HASH },
  { name: 'transaction', label: 'Transaction hash', ...HASH },
] as const;

function isWrong(text: string, isRight: (text: string) => boolean): boolean {
  return text.trim() !== '' && !isRight(text.trim());
}

function clean(fields: Readonly<Record<string, string | undefined>>): Partial<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value)) as Partial<Fields>;
}
