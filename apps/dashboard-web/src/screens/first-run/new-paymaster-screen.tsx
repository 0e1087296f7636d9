import { Button, Card, Group, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK, WITHOUT_DATA } from '../../api/client';
import { chainsQuery, paymastersQuery } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { Empty } from '../../ui/empty';
import { Form } from '../../ui/form';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { NameProblem } from '../../ui/name-problem';

/** The first step: a name and a chain. */
export function NewPaymasterScreen() {
  const { accountId } = useScope();
  const { mayChangeKeys } = useRole();
  const chains = useQuery(chainsQuery(accountId));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<string>();
  const chainId = chosen ?? String(chains.data?.[0]?.chainId ?? '');
  const [project, setProject] = useState('');
  /** The paymaster is made by then. Where this fails, the screen of projects does it. */
  const putInto = async (paymasterId: string, name: string) => {
    const options = { params: { path: { paymasterId } }, headers: headersOf({ accountId }), body: { project: name } };
    await contentOf(api.PATCH(`${SDK}/paymaster/{paymasterId}`, options)).catch(() => undefined);
    await queries.invalidateQueries({ queryKey: paymastersQuery(accountId).queryKey });
  };
  const create = useMutation({
    mutationFn: async () => {
      const before = new Set((await queries.fetchQuery(paymastersQuery(accountId))).map((each) => each.paymasterId));
      const headers = { ...headersOf({ accountId }), ...WITHOUT_DATA };
      const body = { name: name.trim(), type: 'HYBRID', chainId: Number(chainId), version: '2.0.0' } as const;
      await contentOf(api.POST(`${SDK}/paymaster`, { headers, body }));
      const after = await queries.fetchQuery({ ...paymastersQuery(accountId), staleTime: 0 });
      const made = after.find((each) => !before.has(each.paymasterId) && each.name === body.name);
      if (made && project.trim() !== '') await putInto(made.paymasterId, project.trim());
      return made;
    },
    onSuccess: (paymaster) =>
      paymaster && navigate({ to: `/a/${accountId}/p/${paymaster.paymasterId}/start`, search: {} }),
  });
  if (!mayChangeKeys) {
    return (
      <Page title="New paymaster">
        <Empty title="You may look, but not make a paymaster">Ask an owner of the account to make it.</Empty>
      </Page>
    );
  }
  return (
    <Page
      title="New paymaster"
      sub="It sponsors nothing until you pick methods, and spends nothing until a wallet is linked."
    >
      <Card maw={720}>
        <Form onSubmit={() => create.mutate()}>
          <Stack>
            <TextInput
              label="Name"
              description="Wallets do not show it. Each name is given once for a chain, over all accounts."
              placeholder="My app"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              required
              maxLength={100}
              data-autofocus
            />
            <Load of={chains} what="The chains">
              {(list) => (
                <Radio.Group label="Chain" value={chainId} onChange={setChosen}>
                  <Stack gap="xs" mt={6}>
                    {list.map((chain) => (
                      <Radio.Card key={chain.chainId} value={String(chain.chainId)} p="sm" aria-label={chain.name}>
                        <Group wrap="nowrap" align="flex-start">
                          <Radio.Indicator />
                          <div>
                            <Text fw={600}>{chain.name}</Text>
                            <Text size="sm" c="dimmed">
                              Chain {chain.chainId}, gas in {chain.nativeSymbol}
                              {chain.tokenMode && ' or tokens'}, EntryPoints{' '}
                              {chain.entryPoints.map(({ version }) => `v${version}`).join(', ')}
                            </Text>
                          </div>
                        </Group>
                      </Radio.Card>
                    ))}
                  </Stack>
                </Radio.Group>
              )}
            </Load>
            <TextInput
              label="Project, if it is one of several"
              description="The same name on several chains shows them together."
              placeholder="Shop"
              value={project}
              onChange={(event) => setProject(event.currentTarget.value)}
              maxLength={100}
            />
            {create.error && (
              <NameProblem error={create.error} what="The paymaster was not made" name={name} onPropose={setName} />
            )}
            <Group justify="flex-end">
              <Button type="submit" loading={create.isPending} disabled={name.trim() === '' || chainId === ''}>
                Make the paymaster
              </Button>
            </Group>
          </Stack>
        </Form>
      </Card>
    </Page>
  );
}
