import { Alert, Button, Group, List, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import type { Schemas } from '../../api/queries';
import { grouped } from '../../format/amount';
import { useScope } from '../../shell/use-scope';
import { Hex } from '../../ui/hex';
import { Problem } from '../../ui/problem';

type Draft = Pick<Schemas['BackTestDto'], 'policyType' | 'policyData'>;

const DAY_MS = 86_400_000;
const SENDERS_SHOWN = 5;
/** Parts of a draft, as the editor calls them. */
const PARTS: Readonly<Record<string, string>> = {
  arguments: 'arguments of calls',
  maxFeePercentOfBaseFee: 'fee per gas',
  maxCallGasPercentOfEstimate: 'gas limit of the calls',
  eip7702Delegates: 'delegated accounts',
  accountFactories: 'account factories',
  revertBreaker: 'reverted operations',
  webhook: 'your server',
};

/** What would this draft have done with the operations of the last days. It changes nothing. */
export function BackTest(draft: Draft) {
  const scope = useScope();
  const [days, setDays] = useState('7');
  const test = useMutation({
    mutationFn: () => {
      const from = new Date(Date.now() - Number(days) * DAY_MS).toISOString();
      return contentOf(
        api.POST(`${SDK}/paymaster-policy/back-test`, { headers: headersOf(scope), body: { ...draft, from } }),
      );
    },
  });
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        What would it have done?
      </Title>
      <Group align="flex-end">
        <NativeSelect
          label="With the operations of the last"
          value={days}
          data={[
            { value: '1', label: '24 hours' },
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
          ]}
          onChange={(event) => setDays(event.currentTarget.value)}
        />
        <Button variant="default" onClick={() => test.mutate()} loading={test.isPending}>
          Try it
        </Button>
      </Group>
      {test.error && <Problem error={test.error} what="The draft could not be tried" />}
      {test.data && <Result result={test.data} />}
    </Stack>
  );
}

function Result({ result }: { readonly result: Schemas['BackTestView'] }) {
  const { operations, refused, refusedByReason, senders, notEvaluated } = result;
  const title =
    operations === 0
      ? 'There was no operation to try it on'
      : `It would have refused ${grouped(refused)} of ${grouped(operations)} operations`;
  return (
    <Alert color={refused > 0 ? 'yellow' : 'green'} title={title} role="status">
      <Stack gap="xs">
        {Object.entries(refusedByReason).map(([reason, times]) => (
          <Text key={reason} size="sm">
            {grouped(times)}× {reason}
          </Text>
        ))}
        {refused > 0 && (
          <List size="sm">
            {senders.slice(0, SENDERS_SHOWN).map((each) => (
              <List.Item key={each.sender}>
                <Hex value={each.sender} of="address" />: {each.refused} of its {each.operations}
              </List.Item>
            ))}
          </List>
        )}
        {notEvaluated.length > 0 && (
          <Text size="sm">
            Not tried, because what they look at is not kept:{' '}
            {notEvaluated.map((part) => PARTS[part] ?? part).join(', ')}. They may refuse more.
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
