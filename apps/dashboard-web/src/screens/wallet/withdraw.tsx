import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { getAddress, type Hex as HexText } from 'viem';
import type { Schemas } from '../../api/queries';
import { parseCoins } from '../../format/amount';
import { useChain } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Problem } from '../../ui/problem';
import { calls } from '../../wallet/paymaster-contract';
import { useWallets } from '../../wallet/use-wallet';
import { useTransaction } from './use-transaction';

interface Props {
  readonly fundingWallet: string;
  readonly account: Schemas['WalletAccountView'];
  readonly chainId: number;
}

/** Takes coin out of the deposit: ask, wait for the contract's delay, take. */
export function Withdraw({ fundingWallet, account, chainId }: Props) {
  const { symbol } = useChain();
  const wallets = useWallets();
  const [amount, setAmount] = useState('');
  const wei = parseCoins(amount);
  const transaction = useTransaction();
  const isAsked = account.requestedWei !== '0';
  const wallet = wallets[0];
  const sendCall = (data: HexText) =>
    wallet && transaction.mutate({ wallet, chainId, to: getAddress(account.contract), data, from: fundingWallet });
  if (!wallet) {
    return (
      <Alert color="gray" title="This browser has no wallet">
        Only {fundingWallet} can withdraw: call requestWithdrawal(amountWei) on {account.contract}, wait for the delay,
        then executeWithdrawal(to).
      </Alert>
    );
  }
  return (
    <Stack gap="sm">
      <Text size="sm">
        First you ask, then the contract lets its delay pass, then you take. What you asked for is not spent on
        operations in between, so they may be refused earlier.
      </Text>
      {isAsked ? (
        <Stack gap="xs">
          <Text>
            You asked for <Amount wei={account.requestedWei} symbol={symbol} />.
          </Text>
          <Group>
            <Button
              loading={transaction.isPending}
              onClick={() => sendCall(calls.executeWithdrawal(getAddress(fundingWallet)))}
            >
              Take it to the wallet
            </Button>
            <Button
              variant="default"
              loading={transaction.isPending}
              onClick={() => sendCall(calls.cancelWithdrawal())}
            >
              Take the request back
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            The contract refuses to pay before its delay has passed. Then try again later.
          </Text>
        </Stack>
      ) : (
        <Group align="flex-end">
          <TextInput
            label={`Amount in ${symbol}`}
            value={amount}
            onChange={(event) => setAmount(event.currentTarget.value)}
            error={amount !== '' && wei === undefined && `An amount such as 0.25, in ${symbol}`}
            inputMode="decimal"
          />
          <Button
            variant="light"
            color="red"
            loading={transaction.isPending}
            disabled={!wei}
            onClick={() => sendCall(calls.requestWithdrawal(wei ?? 0n))}
          >
            Ask for the withdrawal
          </Button>
        </Group>
      )}
      {transaction.error && <Problem error={transaction.error} what="The wallet did not do it" />}
      {transaction.data && <Alert color="green" title="Done: the transaction is in a block" />}
    </Stack>
  );
}
