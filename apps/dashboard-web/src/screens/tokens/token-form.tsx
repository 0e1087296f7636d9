import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { isAddress } from 'viem';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { tokensQuery } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import { Problem } from '../../ui/problem';

const EMPTY = { address: '', feed: '', heartbeat: '86400', apiId: '', fixedUsd: '', premium: '10' };

/** Adds a token. Symbol, decimals and the gas of a transfer are read on chain. */
export function TokenForm({ onDone }: { readonly onDone: () => void }) {
  const scope = useScope();
  const queries = useQueryClient();
  const [fields, setFields] = useState(EMPTY);
  const { address, feed, heartbeat, apiId, fixedUsd, premium } = fields;
  const field = (name: keyof typeof EMPTY) => ({
    value: fields[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setFields({ ...fields, [name]: event.currentTarget.value }),
  });
  const isWrong = (text: string) => text.trim() !== '' && !isAddress(text.trim(), { strict: false });
  const hasPrice = [feed, apiId, fixedUsd].some((each) => each.trim() !== '');
  const add = useMutation({
    mutationFn: () =>
      contentOf(
        api.POST(`${SDK}/token`, {
          headers: headersOf(scope),
          body: {
            address: address.trim(),
            premiumPercentage: premium.trim(),
            price: {
              ...(feed.trim() && { feed: { address: feed.trim(), heartbeatSeconds: Number(heartbeat) } }),
              ...(apiId.trim() && { apiId: apiId.trim() }),
              ...(fixedUsd.trim() && { fixedUsd: fixedUsd.trim() }),
            },
          },
        }),
      ),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: tokensQuery(scope).queryKey });
      onDone();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Stack>
        <TextInput
          label="Address of the token"
          {...field('address')}
          error={isWrong(address) && 'An address is 0x and 40 hex digits.'}
          required
          spellCheck={false}
        />
        <Text size="sm">
          Where its price comes from: at least one. With several, they have to agree, or no quote is given.
        </Text>
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput
            label="Price feed on chain"
            description="Address, in Chainlink’s form"
            {...field('feed')}
            error={isWrong(feed) && 'An address is 0x and 40 hex digits.'}
            miw={240}
          />
          <TextInput
            label="Its heartbeat"
            description="Seconds; an older answer is not believed"
            inputMode="numeric"
            {...field('heartbeat')}
            miw={180}
          />
        </Group>
        <Group grow preventGrowOverflow={false} align="flex-start">
          <TextInput label="Id at the price API" description="Such as usd-coin" {...field('apiId')} miw={200} />
          <TextInput
            label="Fixed price"
            description="USD for a whole token"
            inputMode="decimal"
            {...field('fixedUsd')}
            miw={200}
          />
        </Group>
        <TextInput
          label="Premium, in percent"
          description="On top of the price, for the risk that it moves"
          inputMode="decimal"
          {...field('premium')}
        />
        {add.error && <Problem error={add.error} what="The token is not taken" />}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={add.isPending}
            disabled={address.trim() === '' || isWrong(address) || isWrong(feed) || !hasPrice}
          >
            Take the token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
