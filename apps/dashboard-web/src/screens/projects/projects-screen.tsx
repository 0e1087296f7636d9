import { Anchor, Badge, Button, Card, Group, SegmentedControl, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { accountUsageQuery, chainsQuery, paymastersQuery, type Chain } from '../../api/queries';
import { grouped } from '../../format/amount';
import { grossText, moneyOf, netText, receivedText, type MoneySum } from '../../format/money';
import { useRole, useScope } from '../../shell/use-scope';
import { EditDialog } from '../../ui/edit-dialog';
import { Empty } from '../../ui/empty';
import { useFolded } from '../../ui/folded';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { WideTable } from '../../ui/wide-table';
import { byProject, type Project, type UsedPaymaster } from './by-project';
import { ProjectForm } from './project-form';

/** Of a project, before its reader asks for all. */
const SHOWN = 20;

/** The paymasters of the account, those that belong together in one view, with sums over their chains. */
export function ProjectsScreen() {
  const { accountId } = useScope();
  const search = useSearch({ from: '/signed-in/a/$accountId/projects' });
  const navigate = useNavigate();
  const paymasters = useQuery(paymastersQuery(accountId));
  const chains = useQuery(chainsQuery(accountId));
  const usage = useQuery(accountUsageQuery(accountId));
  const [edited, setEdited] = useState<UsedPaymaster>();
  const tests = useMemo(
    () => new Set(chains.data?.filter(({ testnet }) => testnet).map(({ chainId }) => chainId)),
    [chains.data],
  );
  const hasMainnets = paymasters.data?.some(({ chainId }) => !tests.has(chainId)) ?? true;
  const nets = search.nets ?? (hasMainnets ? 'mainnets' : 'testnets');
  const shown = paymasters.data?.filter(({ chainId }) => tests.has(chainId) === (nets === 'testnets'));
  return (
    <Page
      title="Projects"
      sub="What belongs together, over all of its chains, in the last 30 days."
      actions={
        <SegmentedControl
          value={nets}
          data={[
            { value: 'mainnets', label: 'Mainnets' },
            { value: 'testnets', label: 'Testnets' },
          ]}
          onChange={(value) =>
            void navigate({ to: '.', search: { ...search, nets: value === 'testnets' ? value : 'mainnets' } })
          }
          aria-label="Kind of chains"
        />
      }
    >
      <EditDialog
        opened={edited !== undefined}
        onClose={() => setEdited(undefined)}
        title={`Project of ${edited?.name ?? ''}`}
      >
        {edited && <ProjectForm paymaster={edited} onDone={() => setEdited(undefined)} />}
      </EditDialog>
      <Load of={paymasters} what="The paymasters">
        {() => (
          <Load of={chains} what="The chains">
            {(known) => (
              <Load of={usage} what="The usage">
                {(used) =>
                  shown?.length ? (
                    byProject(shown, used).map((project) => (
                      <OfProject
                        key={project.name ?? ''}
                        project={project}
                        chains={known}
                        {...(project.name === null && !hasProject(shown) && { title: 'Paymasters' })}
                        onEdit={setEdited}
                      />
                    ))
                  ) : (
                    <Empty title={`No paymaster is on a ${nets === 'testnets' ? 'testnet' : 'mainnet'}`}>
                      The switch above shows the other chains.
                    </Empty>
                  )
                }
              </Load>
            )}
          </Load>
        )}
      </Load>
      <Text size="sm" c="dimmed">
        Give paymasters of one app on several chains the same project. Then a contract or a policy of one of them can be
        registered with the others in one go.
      </Text>
    </Page>
  );
}

const hasProject = (paymasters: readonly { readonly project: string | null }[]): boolean =>
  paymasters.some(({ project }) => project !== null);

interface OfProjectProps {
  readonly project: Project;
  readonly chains: readonly Chain[];
  readonly title?: string;
  readonly onEdit: (paymaster: UsedPaymaster) => void;
}

function OfProject({ project: { name, paymasters, sum }, chains, title, onEdit }: OfProjectProps) {
  const shownName = name ?? title ?? 'Without a project';
  const { shown, more } = useFolded(paymasters, SHOWN, 'paymasters');
  return (
    <Card>
      <Title order={2} size="h4" mb="sm" className="breaks">
        {shownName}
      </Title>
      <WideTable
        label={`Paymasters of ${shownName}`}
        minWidth={760}
        columns={['Paymaster', 'Chain', 'Landed', 'Refused', 'Spent, gross', 'Received', 'Net']}
      >
        {shown.map((each) => (
          <PaymasterRow key={each.paymasterId} paymaster={each} chains={chains} onEdit={onEdit} />
        ))}
        <Table.Tr fw={700}>
          <Table.Td>Together</Table.Td>
          <Table.Td>{chainCount(paymasters)}</Table.Td>
          <Numbers settled={sum.settled} refused={sum.refused} money={sum} />
        </Table.Tr>
      </WideTable>
      {more}
    </Card>
  );
}

function chainCount(paymasters: readonly UsedPaymaster[]): string {
  const count = new Set(paymasters.map(({ chainId }) => chainId)).size;
  return count === 1 ? '1 chain' : `${count} chains`;
}

interface RowProps {
  readonly paymaster: UsedPaymaster;
  readonly chains: readonly Chain[];
  readonly onEdit: (paymaster: UsedPaymaster) => void;
}

function PaymasterRow({ paymaster, chains, onEdit }: RowProps) {
  const { accountId } = useScope();
  const { mayWrite } = useRole();
  const { paymasterId, name, chainId, usage, archivedAt, suspension } = paymaster;
  return (
    <Table.Tr>
      <Table.Td className="breaks">
        <Stack gap={2} align="flex-start">
          <Anchor component={Link} to={`/a/${accountId}/p/${paymasterId}`} size="sm">
            {name}
          </Anchor>
          <Group gap={4}>
            {archivedAt !== null && (
              <Badge variant="light" color="gray" tt="none">
                archived
              </Badge>
            )}
            {suspension !== null && (
              <Badge variant="light" color="red" tt="none">
                suspended
              </Badge>
            )}
            {mayWrite && (
              <Button
                size="compact-xs"
                variant="subtle"
                onClick={() => onEdit(paymaster)}
                aria-label={`Project of ${name}`}
              >
                Project
              </Button>
            )}
          </Group>
        </Stack>
      </Table.Td>
      <Table.Td>{chains.find((chain) => chain.chainId === chainId)?.name ?? `chain ${chainId}`}</Table.Td>
      <Numbers settled={usage?.settled ?? 0} refused={usage?.refused ?? 0} money={moneyOf(usage ? [usage] : [])} />
    </Table.Tr>
  );
}

interface NumbersProps {
  readonly settled: number;
  readonly refused: number;
  readonly money: MoneySum;
}

/** In USD: coins of several chains do not add up. */
function Numbers({ settled, refused, money }: NumbersProps) {
  return (
    <>
      <Table.Td className="numbers">{grouped(settled)}</Table.Td>
      <Table.Td className="numbers">{grouped(refused)}</Table.Td>
      <Table.Td className="numbers">{grossText(money)}</Table.Td>
      <Table.Td className="numbers">{receivedText(money)}</Table.Td>
      <Table.Td className="numbers">{netText(money)}</Table.Td>
    </>
  );
}
