import { Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keyOf } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { asked, Confirm } from '../../ui/confirm';

export function ReleaseBrake() {
  const scope = useScope();
  const { mayChangeMoney } = useRole();
  const queries = useQueryClient();
  const release = useMutation({
    mutationFn: () => contentOf(api.POST(`${SDK}/paymaster-settings/release-brake`, { headers: headersOf(scope) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: keyOf(scope) }),
  });
  if (!mayChangeMoney) return <Text size="sm">Ask an owner or editor of the account to release it.</Text>;
  return (
    <Confirm action="Release the brake" {...asked(release)}>
      The paymaster sponsors again at once. If somebody is draining it, he goes on: make sure first that you know why
      the brake stopped it.
    </Confirm>
  );
}
