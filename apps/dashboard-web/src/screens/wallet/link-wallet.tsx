import { Alert, Button, Code, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK, WITHOUT_DATA } from '../../api/client';
import { keyOf, type Schemas } from '../../api/queries';
import { useRole, useScope } from '../../shell/use-scope';
import { useUnsaved } from '../../ui/edit-dialog';
import { Form } from '../../ui/form';
import { Hex } from '../../ui/hex';
import { Load } from '../../ui/load';
import { Problem } from '../../ui/problem';
import { connect, signText, useWallets } from '../../wallet/use-wallet';
import type { BrowserWallet } from '../../wallet/browser-wallets';

interface Props {
  readonly report: Schemas['WalletReportView'];
  readonly onDone: () => void;
}

interface Proof {
  readonly address: string;
  readonly signature: string;
}

/** Links the wallet that pays: its owner reads a text and signs it. */
export function LinkWallet({ report, onDone }: Props) {
  const scope = useScope();
  const { mayChangeMoney } = useRole();
  const wallets = useWallets();
  const queries = useQueryClient();
  const [proof, setProof] = useState<Proof>({ address: '', signature: '' });
  useUnsaved(proof.address + proof.signature !== '');
  const [byHand, setByHand] = useState(false);
  const message = useQuery({
    queryKey: [...keyOf(scope), 'funding-message'],
    queryFn: ({ signal }) =>
      contentOf(
        api.GET(`${SDK}/funding-message/{paymasterId}`, {
          params: { path: { paymasterId: scope.paymasterId } },
          headers: headersOf(scope),
          signal,
        }),
      ),
    // A newer message makes this one worthless, so it is asked for once.
    staleTime: Infinity,
    gcTime: 0,
    enabled: mayChangeMoney,
  });
  const link = useMutation({
    mutationFn: async (by: BrowserWallet | Proof) => {
      const { address, signature } = 'provider' in by ? await sign(by, message.data?.fundingMessage ?? '') : by;
      const body = { paymasterId: scope.paymasterId, type: 'paymasterFundingId', address, signature } as const;
      const headers = { ...headersOf(scope), ...WITHOUT_DATA };
      return contentOf(api.PATCH(`${SDK}/paymaster`, { headers, body }));
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [...keyOf(scope), 'wallet'] });
      queries.removeQueries({ queryKey: [...keyOf(scope), 'funding-message'] });
      onDone();
    },
    onError: () => void message.refetch(),
  });
  if (!mayChangeMoney) return <Text>Your role does not let you link a wallet. Ask an owner of the account.</Text>;
  return (
    <Stack>
      {report.fundingWallet && (
        <Alert color="blue" title="A wallet is linked">
          <Hex value={report.fundingWallet} of="address" /> pays today. Another wallet that signs below takes its place;
          operations are then paid from the other wallet’s deposit.
        </Alert>
      )}
      <Text>
        The wallet whose deposit pays signs this text. Read it: it lets this paymaster, and no other, spend the deposit.
        No transaction is sent.
      </Text>
      <Load of={message} what="The text to sign">
        {({ fundingMessage }) => (
          <Code block className="breaks" style={{ whiteSpace: 'pre-wrap' }}>
            {fundingMessage}
          </Code>
        )}
      </Load>
      <Group>
        {wallets.map((wallet) => (
          <Button
            key={wallet.id}
            onClick={() => link.mutate(wallet)}
            loading={link.isPending && link.variables === wallet}
            disabled={!message.data}
          >
            Sign with {wallet.name}
          </Button>
        ))}
        <Button variant="default" onClick={() => setByHand(!byHand)} aria-expanded={byHand}>
          Sign elsewhere
        </Button>
      </Group>
      {byHand && (
        <Form onSubmit={() => link.mutate({ address: proof.address.trim(), signature: proof.signature.trim() })}>
          <Stack>
            <Title order={3} size="h5">
              A wallet that is not in this browser
            </Title>
            <Text size="sm" c="dimmed">
              Sign the text with personal_sign (EIP-191), for example with `npm run contracts -- sign`, and paste both.
            </Text>
            <TextInput
              label="Address of the wallet"
              value={proof.address}
              onChange={(event) => setProof({ ...proof, address: event.currentTarget.value })}
              required
            />
            <Textarea
              label="Signature"
              description="0x and 130 hex digits"
              value={proof.signature}
              onChange={(event) => setProof({ ...proof, signature: event.currentTarget.value })}
              required
              autosize
            />
            <Group justify="flex-end">
              <Button type="submit" loading={link.isPending}>
                Link this wallet
              </Button>
            </Group>
          </Stack>
        </Form>
      )}
      {link.error && <Problem error={link.error} what="The wallet was not linked" />}
    </Stack>
  );
}

async function sign(wallet: BrowserWallet, message: string): Promise<Proof> {
  const address = await connect(wallet);
  return { address, signature: await signText(wallet, address, message) };
}
