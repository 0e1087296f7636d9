import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { headersOf, reach, refusalOf, SDK } from '../../api/client';
import type { OperationFilter } from '../../api/queries';
import { saveAs } from '../../browser/save-as';
import { useScope } from '../../shell/use-scope';
import { Icon } from '../../ui/icon';

/** Saves what the filter shows as a file. */
export function CsvButton({ filter }: { readonly filter: OperationFilter }) {
  const scope = useScope();
  const save = useMutation({
    mutationFn: async () => {
      const query = new URLSearchParams(
        Object.entries(filter).filter((entry): entry is [string, string] => entry[1] !== undefined),
      );
      const response = await reach(`${SDK}/operation/export.csv?${query}`, { headers: headersOf(scope) });
      if (!response.ok) throw refusalOf(response.status, await response.json().catch(() => undefined));
      saveAs(await response.blob(), `operations-${new Date().toISOString().slice(0, 10)}.csv`);
    },
    onError: (error) =>
      notifications.show({ color: 'red', title: 'The file could not be made', message: error.message }),
  });
  return (
    <Button
      variant="default"
      leftSection={<Icon name="download" size={16} />}
      loading={save.isPending}
      onClick={() => save.mutate()}
    >
      CSV
    </Button>
  );
}
