import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { paymastersQuery } from '../api/queries';
import { Empty } from '../ui/empty';
import { useScope } from './use-scope';

/** The screens of one paymaster, where the account has the one that the URL names. */
export function PaymasterFrame() {
  const { accountId, paymasterId } = useScope();
  const { data, isFetching } = useQuery(paymastersQuery(accountId));
  if (!data || isFetching || data.some((each) => each.paymasterId === paymasterId)) return <Outlet />;
  return (
    <Empty
      title="This account has no such paymaster"
      action={
        <Anchor component={Link} to={`/a/${accountId}`}>
          To the paymasters of this account
        </Anchor>
      }
    >
      The address of this page may be misspelt, or be for another account.
    </Empty>
  );
}
