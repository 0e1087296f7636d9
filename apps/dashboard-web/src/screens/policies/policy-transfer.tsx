import { Alert, Button, FileButton, Group, List, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keyOf, type Schemas } from '../../api/queries';
import { saveAs } from '../../browser/save-as';
import { useRole, useScope } from '../../shell/use-scope';
import { Problem } from '../../ui/problem';

type Document = Schemas['PolicyDocumentDto'];
type Tried = { readonly document: Document; readonly result: Schemas['ImportView'] };

/** Saves policies, contracts and settings as a file, and takes such a file after showing what it would change. */
export function PolicyTransfer() {
  const scope = useScope();
  const { mayWrite } = useRole();
  const queries = useQueryClient();
  const [tried, setTried] = useState<Tried>();
  const save = useMutation({
    mutationFn: () => contentOf(api.GET(`${SDK}/paymaster-policy/export`, { headers: headersOf(scope) })),
    onSuccess: (document) =>
      saveAs(new Blob([JSON.stringify(document, null, 2)], { type: 'application/json' }), 'paymaster-policies.json'),
  });
  const tryFile = useMutation({
    mutationFn: async (file: File): Promise<Tried> => {
      const document = parse(await file.text());
      return { document, result: await importOf(document, { dryRun: 'true' }) };
    },
    onSuccess: setTried,
  });
  const apply = useMutation({
    mutationFn: ({ document, result }: Tried) => importOf(document, { expectedVersion: String(result.version) }),
    onSuccess: async () => {
      setTried(undefined);
      await queries.invalidateQueries({ queryKey: keyOf(scope) });
    },
  });
  function importOf(document: Document, query: Record<string, string>) {
    return contentOf(
      api.POST(`${SDK}/paymaster-policy/import`, {
        params: { query: query as never },
        headers: headersOf(scope),
        body: document,
      }),
    );
  }
  return (
    <>
      <Button variant="default" onClick={() => save.mutate()} loading={save.isPending}>
        Export
      </Button>
      {mayWrite && (
        <FileButton accept="application/json,.json" onChange={(file) => file && tryFile.mutate(file)}>
          {(props) => (
            <Button variant="default" loading={tryFile.isPending} {...props}>
              Import
            </Button>
          )}
        </FileButton>
      )}
      <Modal
        opened={tried !== undefined || tryFile.error !== null || save.error !== null}
        onClose={() => {
          setTried(undefined);
          tryFile.reset();
          save.reset();
        }}
        title={tried ? 'What the file would change' : 'Policies'}
        size="lg"
      >
        <Stack>
          {tryFile.error && <Problem error={tryFile.error} what="What the file would change is not known" />}
          {save.error && <Problem error={save.error} what="The policies were not exported" />}
          {tried && (
            <>
              <Changes result={tried.result} />
              {apply.error && <Problem error={apply.error} what="The file was not applied" />}
              <Group justify="flex-end">
                <Button variant="default" onClick={() => setTried(undefined)}>
                  Change nothing
                </Button>
                <Button loading={apply.isPending} onClick={() => apply.mutate(tried)}>
                  Apply
                </Button>
              </Group>
            </>
          )}
        </Stack>
      </Modal>
    </>
  );
}

function Changes({ result }: { readonly result: Schemas['ImportView'] }) {
  const parts = [
    ['policy', 'policies', result.policies],
    ['contract', 'contracts', result.contracts],
    ['setting', 'settings', result.settings],
  ] as const;
  const lines = parts.flatMap(([one, many, part]) =>
    (['added', 'changed', 'removed'] as const)
      .filter((kind) => part[kind].length > 0)
      .map((kind) => ({
        kind,
        text: `${part[kind].length === 1 ? `1 ${one} is` : `${part[kind].length} ${many} are`} ${kind}: ${part[kind].map(nameOf).join(', ')}`,
      })),
  );
  if (lines.length === 0) return <Text>Nothing: all is already as the file says.</Text>;
  return (
    <>
      <List>
        {lines.map(({ text }) => (
          <List.Item key={text} className="breaks">
            {text}
          </List.Item>
        ))}
      </List>
      {lines.some(({ kind }) => kind === 'removed') && (
        <Alert color="yellow" title="Something is removed">
          What the file does not have is gone afterwards: calls to a removed contract are refused, and the limits of a
          removed policy no longer hold.
        </Alert>
      )}
    </>
  );
}

function nameOf({ id, before, after }: Schemas['DifferenceView']): string {
  const { name } = (after ?? before ?? {}) as { name?: string };
  return name ?? id ?? Object.keys(after ?? before ?? {}).join(', ');
}

/** @throws a sentence for who chose the file */
function parse(text: string): Document {
  try {
    return JSON.parse(text) as Document;
  } catch {
    throw new Error('The file is not JSON. Export the policies to see its form.');
  }
}
