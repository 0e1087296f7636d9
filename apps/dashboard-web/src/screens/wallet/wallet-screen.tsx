import { Alert, Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { walletQuery, type Schemas } from '../../api/queries';
import { runway } from '../../format/time';
import { explorerLink, useChain, useRole, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Countdown } from '../../ui/countdown';
import { EditDialog } from '../../ui/edit-dialog';
import { Facts, type Fact } from '../../ui/facts';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { When } from '../../ui/when';
import { Deposit } from './deposit';
import { LinkWallet } from './link-wallet';
import { Withdraw } from './withdraw';

type Report = Schemas['WalletReportView'];

/** Who pays, from which deposits, and how money goes in and out. */
export function WalletScreen() {
  const report = useQuery(walletQuery(useScope()));
  return (
    <Page title="Wallet" sub="Who pays, how much is left, and how long it lasts.">
      <Load of={report} what="The wallet">
        {(found) => (found.fundingWallet ? <Linked report={found} /> : <NotLinked report={found} />)}
      </Load>
    </Page>
  );
}

function NotLinked({ report }: { readonly report: Report }) {
  return (
    <Card>
      <Stack>
        <Title order={2} size="h4">
          No wallet is linked yet: nothing can be sponsored
        </Title>
        <LinkWallet report={report} onDone={() => undefined} />
      </Stack>
    </Card>
  );
}

function Linked({ report }: { readonly report: Report }) {
  const { chain, symbol } = useChain();
  const { mayChangeMoney } = useRole();
  const [depositing, deposit] = useDisclosure(false);
  const [linking, link] = useDisclosure(false);
  const wallet = report.fundingWallet ?? '';
  return (
    <Stack>
      <Card>
        <Group justify="space-between">
          <div>
            <Text size="sm" c="dimmed">
              Linked wallet
            </Text>
            <Hex value={wallet} of="address" href={explorerLink(chain, 'address', wallet)} />
          </div>
          {mayChangeMoney && (
            <Group gap="xs">
              <Button onClick={deposit.open}>Deposit</Button>
              <Button variant="default" onClick={link.open}>
                Link another wallet
              </Button>
            </Group>
          )}
        </Group>
      </Card>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {report.accounts.map((account) => (
          <Card key={account.entryPointVersion}>
            <Stack gap="sm">
              <Title order={2} size="h4">
                Deposit for EntryPoint v{account.entryPointVersion}
              </Title>
              {account.stoppedAt && (
                <Alert color="red" title="The spending brake has stopped this paymaster here">
                  Since <When iso={account.stoppedAt} />. Find out why before you release it in the overview.
                </Alert>
              )}
              <Facts rows={factsOf(account, symbol)} />
              <Text size="sm" c="dimmed">
                Paymaster contract{' '}
                <Hex
                  value={account.contract}
                  of="address of the paymaster contract"
                  href={explorerLink(chain, 'address', account.contract)}
                />
              </Text>
              {mayChangeMoney && account.balanceWei !== '0' && (
                <details>
                  <summary>Withdraw</summary>
                  <Withdraw fundingWallet={wallet} account={account} />
                </details>
              )}
            </Stack>
          </Card>
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed">
        Usually 0.8 to 1.9 % of what is sponsored, and 2.6 to 3.2 % of what operations cost that are paid in tokens,
        stay in the paymaster contract as a reserve, which nobody can take out.
      </Text>
      <EditDialog opened={depositing} onClose={deposit.close} title="Deposit" size="lg">
        <Deposit report={report} />
      </EditDialog>
      <EditDialog opened={linking} onClose={link.close} title="Link another wallet" size="lg">
        <LinkWallet report={report} onDone={link.close} />
      </EditDialog>
    </Stack>
  );
}

function factsOf(account: Schemas['WalletAccountView'], symbol: string): readonly Fact[] {
  return [
    ['In the deposit', <Amount key="b" wei={account.balanceWei} symbol={symbol} />],
    ['Can be spent', <Amount key="s" wei={account.spendableWei} symbol={symbol} />],
    ['Asked to withdraw', <Amount key="r" wei={account.requestedWei} symbol={symbol} />],
    [
      'Withdrawal possible',
      account.withdrawableAt ? <Countdown key="w" untilMs={Date.parse(account.withdrawableAt)} /> : 'not asked for',
    ],
    ['Spent in 24 h', <Amount key="d" wei={account.spentPerDayWei} symbol={symbol} />],
    ['Lasts at this rate', runway(account.runwayHours)],
  ];
}
