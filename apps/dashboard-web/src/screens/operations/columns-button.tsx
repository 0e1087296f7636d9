import { Button, Checkbox, Popover, Stack } from '@mantine/core';

interface Props {
  /** Of all columns, by their names. */
  readonly labels: Readonly<Record<string, string>>;
  readonly shown: readonly string[];
  readonly onShown: (columns: readonly string[]) => void;
}

/** Chooses what a row shows. It imports nothing of the list, so that it stays a small script of its own. */
export function ColumnsButton({ labels, shown, onShown }: Props) {
  return (
    <Popover position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="subtle" size="compact-sm">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group label="Besides state and time" value={[...shown]} onChange={onShown}>
          <Stack gap="xs" mt="xs">
            {Object.entries(labels).map(([value, label]) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
