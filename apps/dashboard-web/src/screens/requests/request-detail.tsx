import { Alert, Anchor, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { requestQuery, type Schemas } from '../../api/queries';
import { explorerLink, useChain, useScope } from '../../shell/use-scope';
import { Facts, type Fact } from '../../ui/facts';
import { Copy, Hex } from '../../ui/hex';
import { Icon } from '../../ui/icon';
import { Load } from '../../ui/load';
import { When } from '../../ui/when';
import { Why } from '../operations/why';
import { OutcomeBadge } from './outcome-badge';
import { OUTCOMES } from './to-request-filter';

/** One request: what it asked for, what it was answered, and the way to ask again. */
export function RequestDetail({ entryId }: { readonly entryId: string }) {
  const request = useQuery({ ...requestQuery(useScope(), entryId), retry: false });
  return (
    <Load of={request} what="The request" height={300}>
      {(found) => <Found request={found} />}
    </Load>
  );
}

function Found({ request }: { readonly request: Schemas['WholeRequestLogEntryView'] }) {
  const { chain } = useChain();
  const { accountId, paymasterId } = useScope();
  const { id, outcome, reason, message, details, userOperation, mode, requestId } = request;
  const paymaster = `/a/${accountId}/p/${paymasterId}`;
  return (
    <Stack gap="lg">
      <Group>
        <OutcomeBadge outcome={outcome} />
        <Text size="sm">{OUTCOMES[outcome].means}</Text>
      </Group>
      {outcome !== 'granted' && <Why operation={{ reason, message, details }} />}
      <Stack gap="xs">
        {userOperation ? (
          <Group>
            <Button
              component={Link}
              to={`${paymaster}/explain`}
              search={{ request: id } as never}
              leftSection={<Icon name="explain" />}
            >
              Would it be sponsored now?
            </Button>
          </Group>
        ) : (
          <Alert color="gray">
            The request has no operation that can be read, or one of more than 16 kB, so it cannot be asked again.
          </Alert>
        )}
        {mode === 'token' && (
          <Text size="sm" c="dimmed">
            Its user wanted to pay in a token. The explanation says whether you would sponsor it.
          </Text>
        )}
        <Text size="sm">
          <Anchor component={Link} to={`${paymaster}/operations`} search={{ request: requestId } as never} inherit>
            Operations of this request
          </Anchor>
        </Text>
      </Stack>
      <section>
        <Title order={3} size="h5" mb={6}>
          The request
        </Title>
        <Facts rows={rowsOf(request, chain)} />
      </section>
      {userOperation && (
        <section>
          <Title order={3} size="h5" mb={6}>
            The operation, without its signatures
          </Title>
          <Code block className="breaks" style={{ whiteSpace: 'pre-wrap' }} tabIndex={0}>
            {JSON.stringify(userOperation, null, 2)}
          </Code>
        </section>
      )}
    </Stack>
  );
}

function rowsOf(
  { at, requestId, method, keyId, keyName, sender, entryPoint, code, durationMs }: Schemas['WholeRequestLogEntryView'],
  chain: ReturnType<typeof useChain>['chain'],
): readonly Fact[] {
  const version = chain?.entryPoints.find(({ address }) => address.toLowerCase() === entryPoint)?.version;
  return [
    [
      'Request id',
      <span key="id" className="mono breaks">
        {requestId} <Copy value={requestId} of="request id" />
      </span>,
    ],
    ['Time', <When key="at" iso={at} />],
    ['Method', method],
    ['Key', keyId === null ? 'the main key' : (keyName ?? keyId)],
    [
      'Account',
      sender ? <Hex key="s" value={sender} of="account" href={explorerLink(chain, 'address', sender)} /> : 'not known',
    ],
    ['EntryPoint', version ? `v${version}` : (entryPoint ?? 'not named')],
    ...(code === null ? [] : [['Code', String(code)] as const]),
    ['Answered in', `${durationMs} ms`],
  ];
}
