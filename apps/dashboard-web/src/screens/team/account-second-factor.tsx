import { Card, Checkbox, Stack, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { meQuery } from '../../api/queries';
import { useMembership, useScope } from '../../shell/use-scope';
import { Problem } from '../../ui/problem';

/** Whether the account asks its members for a second factor. */
export function AccountSecondFactor() {
  const { accountId } = useScope();
  const { role, secondFactorRequired } = useMembership();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (required: boolean) =>
      contentOf(api.PATCH(`${SDK}/account/second-factor`, { headers: headersOf({ accountId }), body: { required } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: meQuery.queryKey }),
  });
  return (
    <Card>
      <Stack gap="sm">
        <Title order={2} size="h4">
          Second factor
        </Title>
        <Checkbox
          label="Members who may spend or see API keys need a second factor or a passkey"
          description={
            'These are the roles that may do more than read, and support. Their members may only read here until they ' +
            'have added a second factor, or sign in with a passkey. Auth tokens go on. Owners change this.'
          }
          checked={secondFactorRequired}
          disabled={role !== 'owner' || change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.checked)}
        />
        {change.error && <Problem error={change.error} what="This was not changed" />}
      </Stack>
    </Card>
  );
}
