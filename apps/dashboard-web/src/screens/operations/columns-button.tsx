import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { columnsOf, COLUMNS, columnsText } from './columns';

interface Props {
  /** As the URL names them. */
  readonly columns: string | undefined;
  readonly onColumns: (columns: string | undefined) => void;
}

/** Chooses what a row shows. */
export function ColumnsButton({ columns, onColumns }: Props) {
  return (
    <Popover position="bottom-start" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="subtle" size="compact-sm">
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Checkbox.Group
          label="Besides state and time"
          value={[...columnsOf(columns)]}
          onChange={(chosen) => onColumns(columnsText(chosen))}
        >
          <Stack gap="xs" mt="xs">
            {Object.entries(COLUMNS).map(([value, label]) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}
