import { Badge, Button, Checkbox, Group, ScrollArea, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { WriteMethod } from '../../abi/read-abi';

interface Props {
  readonly methods: readonly WriteMethod[];
  readonly picked: ReadonlySet<string>;
  readonly onChange: (picked: ReadonlySet<string>) => void;
}

/** Picks methods by their full signature, so that an overload is never picked by accident. */
export function MethodPicker({ methods, picked, onChange }: Props) {
  const [search, setSearch] = useState('');
  const wanted = search.trim().toLowerCase();
  const shown = methods.filter(({ described }) => described.toLowerCase().includes(wanted));
  const set = (signatures: readonly string[], isPicked: boolean) => {
    const next = new Set(picked);
    for (const signature of signatures) {
      if (isPicked) next.add(signature);
      else next.delete(signature);
    }
    onChange(next);
  };
  const signatures = shown.map(({ signature }) => signature);
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-end">
        <TextInput
          label="Methods that change state"
          description={`${picked.size} of ${methods.length} are sponsored`}
          placeholder="Search a method"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          flex="1 1 220px"
          type="search"
        />
        <Group gap="xs">
          <Button size="xs" variant="default" onClick={() => set(signatures, true)}>
            Pick all shown
          </Button>
          <Button size="xs" variant="default" onClick={() => set(signatures, false)}>
            Pick none
          </Button>
        </Group>
      </Group>
      <ScrollArea.Autosize mah={320} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': 'Methods' }}>
        <Stack gap={6} p={4}>
          {shown.map(({ signature, described, isPayable, isOverloaded }) => (
            <Checkbox
              key={signature}
              checked={picked.has(signature)}
              onChange={(event) => set([signature], event.currentTarget.checked)}
              label={
                <Group gap={6}>
                  <span className="mono breaks">{described}</span>
                  {isPayable && (
                    <Badge size="sm" variant="light" color="orange" tt="none">
                      payable: may send coin
                    </Badge>
                  )}
                  {isOverloaded && (
                    <Badge size="sm" variant="light" color="blue" tt="none">
                      overloaded
                    </Badge>
                  )}
                </Group>
              }
            />
          ))}
          {shown.length === 0 && (
            <Text size="sm" c="dimmed">
              No method has “{search}” in its name or arguments.
            </Text>
          )}
        </Stack>
      </ScrollArea.Autosize>
    </Stack>
  );
}
