import { useQuery } from '@tanstack/react-query';
import { transactionsQuery, type Schemas } from '../../api/queries';
import { useChain, useScope } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Facts } from '../../ui/facts';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import type { Deed } from './use-transaction';

interface Props {
  readonly deed: Deed;
  readonly entryPointVersion: string;
  readonly amountWei: string;
}

/** What to send with a wallet that is not in this browser. */
export function CallData({ deed, entryPointVersion, amountWei }: Props) {
  const transactions = useQuery(transactionsQuery(useScope(), amountWei));
  return (
    <Load of={transactions} what="The call data" height={80}>
      {({ accounts }) => {
        const account = accounts.find((each) => each.entryPointVersion === entryPointVersion);
        return account && <Transaction transaction={account[deed]} />;
      }}
    </Load>
  );
}

function Transaction({ transaction: { to, data, value } }: { readonly transaction: Schemas['TransactionView'] }) {
  const { symbol } = useChain();
  return (
    <Facts
      rows={[
        ['To', <Hex key="t" value={to} of="address" full />],
        ['Call data', <Hex key="d" value={data} of="call data" full />],
        ['Value', <Amount key="v" wei={value} symbol={symbol} />],
      ]}
    />
  );
}
