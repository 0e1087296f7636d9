import { Alert, Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMembership, useScope } from './use-scope';

/** Says why a person may only read in an account that asks for a second factor. */
export function SecondFactorBanner() {
  const { accountId } = useScope();
  const { secondFactorMissing } = useMembership();
  if (!secondFactorMissing) return null;
  return (
    <Alert color="yellow" title="This account wants a second factor" mb="md">
      You may only read here until you{' '}
      <Anchor component={Link} to={`/a/${accountId}/you`} inherit>
        add a second factor
      </Anchor>
      , or sign in with a passkey.
    </Alert>
  );
}
