import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../api/queries';
import { parseCoins } from '../../format/amount';
import { useChain } from '../../shell/use-scope';
import { Amount } from '../../ui/amount';
import { Countdown } from '../../ui/countdown';
import { Problem } from '../../ui/problem';
import { useWallets } from '../../wallet/use-wallet';
import { CallData } from './call-data';
import { useTransaction, type Deed } from './use-transaction';

interface Props {
  readonly fundingWallet: string;
  readonly account: Schemas['WalletAccountView'];
}

/** Takes coin out of the deposit: ask, wait for the contract's delay, take. */
export function Withdraw({ fundingWallet, account }: Props) {
  const { symbol } = useChain();
  const wallets = useWallets();
  const [amount, setAmount] = useState('');
  const wei = parseCoins(amount);
  const transaction = useTransaction();
  const isAsked = account.requestedWei !== '0';
  const wallet = wallets[0];
  const { entryPointVersion } = account;
  const amountWei = isAsked ? account.requestedWei : String(wei ?? 0n);
  const send = (deed: Deed) =>
    wallet && transaction.mutate({ wallet, deed, entryPointVersion, amountWei, from: fundingWallet });
  return (
    <Stack gap="sm">
      <Text size="sm">
        First you ask, then the contract lets its delay pass, then you withdraw. What you asked for is not spent on
        operations in between, so they may be refused earlier.
      </Text>
      {isAsked ? (
        <Stack gap="xs">
          <Text>
            You asked for <Amount wei={account.requestedWei} symbol={symbol} />.
          </Text>
          {account.withdrawableAt && (
            <Text size="sm">
              You can withdraw it <Countdown untilMs={Date.parse(account.withdrawableAt)} />.
            </Text>
          )}
          <Group>
            <Button loading={transaction.isPending} disabled={!wallet} onClick={() => send('executeWithdrawal')}>
              Withdraw it to the wallet
            </Button>
            <Button
              variant="default"
              loading={transaction.isPending}
              disabled={!wallet}
              onClick={() => send('cancelWithdrawal')}
            >
              Cancel the request
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
            disabled={!wei || !wallet}
            onClick={() => send('requestWithdrawal')}
          >
            Ask for the withdrawal
          </Button>
        </Group>
      )}
      {!wallet && (
        <Alert color="gray" title="This browser has no wallet">
          {amountWei === '0' ? (
            <Text size="sm">
              Only {fundingWallet} can withdraw. Type an amount, and what that wallet has to send is here.
            </Text>
          ) : (
            <>
              <Text size="sm">Only {fundingWallet} can withdraw. Send this transaction from it:</Text>
              <CallData
                deed={isAsked ? 'executeWithdrawal' : 'requestWithdrawal'}
                entryPointVersion={entryPointVersion}
                amountWei={amountWei}
              />
            </>
          )}
        </Alert>
      )}
      {transaction.error && <Problem error={transaction.error} what="The wallet did not do it" />}
      {transaction.data && <Alert color="green" title="Done: the transaction is in a block" />}
    </Stack>
  );
}
