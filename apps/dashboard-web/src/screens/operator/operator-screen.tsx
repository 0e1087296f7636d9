import { Anchor, Container, Group, SegmentedControl, Stack } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ColorSchemeButton } from '../../shell/color-scheme-button';
import { Page } from '../../ui/page';
import { Chains } from './chains';
import { Tenants } from './tenants';

/** The installation as its operator sees it: who uses it, and whether its chains are well. */
export function OperatorScreen() {
  const search = useSearch({ from: '/signed-in/operator' });
  const navigate = useNavigate();
  const view = search.view ?? 'tenants';
  return (
    <Container size="xl" py="md" component="main">
      <Stack>
        <Group justify="space-between">
          <Anchor component={Link} to="/">
            Back to your account
          </Anchor>
          <ColorSchemeButton />
        </Group>
        <Page
          title="Operator"
          sub="Who uses this installation, and do its chains work?"
          actions={
            <SegmentedControl
              value={view}
              data={[
                { value: 'tenants', label: 'Accounts' },
                { value: 'chains', label: 'Chains and signers' },
              ]}
              onChange={(value) =>
                void navigate({ to: '.', search: { ...search, view: value === 'chains' ? value : undefined } })
              }
              aria-label="View"
            />
          }
        >
          {view === 'tenants' ? <Tenants /> : <Chains />}
        </Page>
      </Stack>
    </Container>
  );
}
