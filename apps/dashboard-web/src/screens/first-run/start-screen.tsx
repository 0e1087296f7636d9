import { Alert, Button, Card, Group, Stack, Stepper, Text, useMatches } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  contractsQuery,
  newestOperationsQuery,
  policiesQuery,
  sharedPoliciesQuery,
  walletQuery,
} from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { Icon } from '../../ui/icon';
import { Load } from '../../ui/load';
import { Page } from '../../ui/page';
import { ContractForm } from '../contracts/contract-form';
import { Snippets } from '../keys/snippets';
import { useMainKey } from '../keys/use-main-key';
import { isLimit, sharedBy } from '../overview/summary';
import { Playground } from '../playground/playground';
import { Deposit } from '../wallet/deposit';
import { LinkWallet } from '../wallet/link-wallet';
import { FirstOperation } from './first-operation';

const STEPS = ['contract', 'wallet', 'deposit', 'operation'] as const;
type Step = (typeof STEPS)[number];

/** From a new paymaster to the first operation that landed. What is done already is known from the server. */
export function StartScreen() {
  const scope = useScope();
  const { mayWrite } = useRole();
  const mainKey = useMainKey();
  const { step } = useSearch({ from: '/signed-in/a/$accountId/p/$paymasterId/start' });
  const navigate = useNavigate();
  const contracts = useQuery(contractsQuery(scope));
  const wallet = useQuery(walletQuery(scope));
  const operations = useQuery(newestOperationsQuery(scope, {}, 1));
  const done: Readonly<Record<Step, boolean>> = {
    contract: (contracts.data?.length ?? 0) > 0,
    wallet: wallet.data?.fundingWallet != null,
    deposit: wallet.data?.accounts.some(({ balanceWei }) => balanceWei !== '0') ?? false,
    operation: operations.data?.operations.some(({ state }) => state === 'landed' || state === 'settled') ?? false,
  };
  const orientation = useMatches({ base: 'vertical', lg: 'horizontal' } as const);
  const isKnown = contracts.data !== undefined && wallet.data !== undefined;
  const firstOpen = STEPS.find((each) => !done[each]) ?? 'operation';
  const shown = STEPS.find((each) => each === step) ?? firstOpen;
  const go = (to: Step | undefined) => void navigate({ to: '.', search: { step: to } });
  const next = () => go(STEPS[STEPS.indexOf(shown) + 1]);
  return (
    <Page title="First operation" sub="Four steps from here to an operation that lands and that you paid for.">
      <Stepper
        active={STEPS.indexOf(shown)}
        onStepClick={(index) => go(STEPS[index])}
        size="sm"
        orientation={orientation}
        aria-label="Steps"
        allowNextStepsSelect
      >
        {TITLES.map(([label, description], index) => (
          <Stepper.Step
            key={label}
            label={label}
            description={done[STEPS[index] as Step] ? 'Done' : description}
            {...(done[STEPS[index] as Step] && TICKED)}
          />
        ))}
      </Stepper>
      <Load of={contracts} what="The contracts">
        {() => (
          <Load of={wallet} what="The wallet">
            {(report) => (
              <Card>
                {shown === 'contract' && (
                  <Stack>
                    <Text>
                      Which methods of which contract do you sponsor? Everything else is refused.
                      {done.contract && ' You have registered a contract already, and may add another.'}
                    </Text>
                    {mayWrite ? (
                      <ContractForm onDone={next} />
                    ) : (
                      <Text>Your role does not let you register a contract. Ask an owner of the account.</Text>
                    )}
                  </Stack>
                )}
                {shown === 'wallet' && <LinkWallet report={report} onDone={next} />}
                {shown === 'deposit' && <Deposit report={report} onDone={next} />}
                {shown === 'operation' && (
                  <Stack gap="xl">
                    {done.operation && <WhatIsNext />}
                    <Playground />
                    <Snippets mainKey={mainKey} />
                    <FirstOperation />
                  </Stack>
                )}
                {isKnown && shown !== 'operation' && (
                  <Group justify="flex-end" mt="md">
                    <Button variant="subtle" onClick={next}>
                      {done[shown] ? 'Next step' : 'Skip this step'}
                    </Button>
                  </Group>
                )}
              </Card>
            )}
          </Load>
        )}
      </Load>
    </Page>
  );
}

/** The first operation landed. */
function WhatIsNext() {
  const scope = useScope();
  const { accountId, paymasterId } = scope;
  const { data: policies } = useQuery(policiesQuery(scope));
  const { data: shared } = useQuery(sharedPoliciesQuery(accountId));
  if (!policies || !shared) return null;
  const isLimited = [...policies, ...sharedBy(paymasterId, shared)].some(isLimit);
  return (
    <Alert color="green" icon={<Icon name="check" />} title="Your first operation landed">
      <Stack gap={4}>
        <Text size="sm">
          {isLimited
            ? 'A limit is set too. What is next: your app. Its code is below.'
            : 'What is next: a limit. Until you set one, the users of your app together may spend all that the wallet has.'}
        </Text>
        <Group>
          <Button component={Link} to={`/a/${accountId}/p/${paymasterId}/policies`} size="xs" variant="default">
            {isLimited ? 'Look at the policies' : 'Set a limit'}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

/** How a step looks that is done, wherever the reader is. */
const TICKED = {
  color: 'green',
  ...{ icon: <Icon name="check" />, progressIcon: <Icon name="check" />, completedIcon: <Icon name="check" /> },
};

const TITLES = [
  ['Contract', 'Pick what you sponsor'],
  ['Wallet', 'Say who pays'],
  ['Deposit', 'Fill the deposit'],
  ['Operation', 'Send the first'],
] as const;
