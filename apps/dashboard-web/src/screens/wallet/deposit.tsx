import { Alert, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useContext, useState } from 'react';
import type { Schemas } from '../../api/queries';
import { parseCoins } from '../../format/amount';
import { usdOf } from '../../format/usd';
import { useChain } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { CoinPrice } from '../../ui/coin-price';
import { useUnsaved } from '../../ui/edit-dialog';
import { Hex } from '../../ui/hex';
import { Problem } from '../../ui/problem';
import { useWallets } from '../../wallet/use-wallet';
import { CallData } from './call-data';
import { useTransaction } from './use-transaction';

interface Props {
  readonly report: Schemas['WalletReportView'];
  readonly onDone?: () => void;
}

/** Most of today's accounts are of this EntryPoint. */
const USUAL_VERSION = '0.7';
const USUAL_AMOUNT = '0.1';

/** Sends coin into the deposit of the linked wallet. Any wallet may pay it in; only the linked one can take it out. */
export function Deposit({ report: { fundingWallet, accounts }, onDone }: Props) {
  const { symbol } = useChain();
  const wallets = useWallets();
  const [amount, setAmount] = useState(USUAL_AMOUNT);
  const [version, setVersion] = useState(
    () =>
      (accounts.find(({ entryPointVersion }) => entryPointVersion === USUAL_VERSION) ?? accounts[0])?.entryPointVersion,
  );
  const account = accounts.find(({ entryPointVersion }) => entryPointVersion === version) ?? accounts[0];
  const wei = parseCoins(amount);
  const usd = usdOf(wei ?? 0n, useContext(CoinPrice));
  const transaction = useTransaction(onDone);
  useUnsaved(amount !== USUAL_AMOUNT && !transaction.data);
  if (!fundingWallet || !account) {
    return <Text>Link the wallet first: a deposit belongs to a wallet.</Text>;
  }
  return (
    <Stack>
      <Text>
        Operations are paid from a deposit in the paymaster contract. It holds{' '}
        <Amount wei={account.balanceWei} symbol={symbol} /> now. Only the wallet that it belongs to can take it out
        again: <Hex value={fundingWallet} of="address" />
      </Text>
      <Group align="flex-start" grow preventGrowOverflow={false}>
        <NativeSelect
          label="EntryPoint of your accounts"
          description="A deposit counts for one version"
          value={account.entryPointVersion}
          data={accounts.map((each) => ({ value: each.entryPointVersion, label: `v${each.entryPointVersion}` }))}
          onChange={(event) => setVersion(event.currentTarget.value)}
          miw={200}
        />
        <TextInput
          label={`Amount in ${symbol}`}
          description={usd ? `${usd} now` : 'Digits and a point'}
          value={amount}
          onChange={(event) => setAmount(event.currentTarget.value)}
          error={wei === undefined ? `An amount such as 0.25, in ${symbol}` : wei === 0n && 'More than nothing'}
          inputMode="decimal"
          miw={200}
        />
      </Group>
      <Group>
        {wallets.map((wallet) => (
          <Button
            key={wallet.id}
            loading={transaction.isPending}
            disabled={!wei}
            onClick={() =>
              transaction.mutate({
                wallet,
                deed: 'deposit',
                entryPointVersion: account.entryPointVersion,
                amountWei: String(wei),
              })
            }
          >
            Deposit with {wallet.name}
          </Button>
        ))}
      </Group>
      {wallets.length === 0 && (
        <Alert color="gray" title="This browser has no wallet">
          <Text size="sm">Send this with any wallet. The deposit belongs to the linked wallet.</Text>
          {!!wei && <CallData deed="deposit" entryPointVersion={account.entryPointVersion} amountWei={String(wei)} />}
        </Alert>
      )}
      {transaction.error && <Problem error={transaction.error} what="The deposit was not made" />}
      {transaction.data && (
        <Alert color="green" title="The deposit is in a block">
          It counts when that block is final. Transaction <Hex value={transaction.data} of="transaction hash" />
        </Alert>
      )}
    </Stack>
  );
}
