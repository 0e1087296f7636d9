import { Button, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { paymastersQuery, type Schemas } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { useUnsaved } from '../../ui/edit-dialog';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Problem } from '../../ui/problem';

interface Props {
  readonly paymaster: Pick<Schemas['PaymasterSummaryView'], 'paymasterId' | 'project'>;
  readonly onDone: () => void;
}

/** Puts a paymaster into a project, or takes it out. */
export function ProjectForm({ paymaster: { paymasterId, project: stored }, onDone }: Props) {
  const { accountId } = useScope();
  const queries = useQueryClient();
  const { data: paymasters = [] } = useQuery(paymastersQuery(accountId));
  const [project, setProject] = useState(stored ?? '');
  const known = [...new Set(paymasters.flatMap((each) => each.project ?? []))];
  const wanted = project.trim() || null;
  useUnsaved(wanted !== stored);
  const save = useMutation({
    mutationFn: () =>
      contentOf(
        api.PATCH(`${SDK}/paymaster/{paymasterId}`, {
          params: { path: { paymasterId } },
          headers: headersOf({ accountId }),
          body: { project: wanted },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: paymastersQuery(accountId).queryKey });
      onDone();
    },
  });
  return (
    <Form onSubmit={() => save.mutate()}>
      <Stack>
        <TextInput
          label="Project"
          description="Any name. Paymasters with the same project are shown together; leave it empty for none."
          value={project}
          onChange={(event) => setProject(event.currentTarget.value)}
          maxLength={100}
          list="known-projects"
          data-autofocus
        />
        <datalist id="known-projects">
          {known.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <FormFooter says={save.error && <Problem error={save.error} what="The project was not saved" />}>
          <Button type="submit" loading={save.isPending} disabled={wanted === stored}>
            Save the project
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}
