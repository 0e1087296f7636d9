import { Button, Checkbox, Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { PRICE_SOURCES, type PriceSourceDeclaration, type PriceSourceName } from '@paymaster/domain';
import { useQueryClient } from '@tanstack/react-query';
import { isAddress } from 'viem';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { pricesQuery, tokensQuery } from '../../api/queries';
import { linesOf } from '../../audit/lines-of';
import { useChain, useScope } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Problem } from '../../ui/problem';
import { useEdited } from '../../ui/use-edited';
import { useSave } from '../../ui/use-save';
import { CoinInput } from '../policies/fields';
import { changesOf, draftOf, NEW_TOKEN, sendableToken, WAYS, type ChargingWay, type Token } from './token-draft';

const PRICE_FIELDS = Object.entries(PRICE_SOURCES) as [PriceSourceName, PriceSourceDeclaration][];
/** 0.01 coin. */
const FIRST_CAP_WEI = String(10n ** 16n);

interface Props {
  /** The token that is changed; another one is added where it is left out. */
  readonly token?: Token | undefined;
  readonly onDone: () => void;
}

/** Adds a token, or changes its terms. Symbol, decimals and the gas of a transfer are read on chain. */
export function TokenForm({ token, onDone }: Props) {
  const scope = useScope();
  const { symbol } = useChain();
  const queries = useQueryClient();
  const edited = useEdited({ stored: token, draftOf, fresh: NEW_TOKEN });
  const { draft, setDraft, from } = edited;
  const { address, prices, exposureCapWei, chargingWays } = draft;
  const priceField = (of: 'prices' | 'heartbeats', name: PriceSourceName) => ({
    value: draft[of][name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [of]: { ...draft[of], [name]: event.currentTarget.value } }),
  });
  const field = (name: 'address' | 'premium' | 'logoUrl') => ({
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) =>
      setDraft({ ...draft, [name]: event.currentTarget.value }),
  });
  const isWrong = (text: string) => text.trim() !== '' && !isAddress(text.trim(), { strict: false });
  const hasPrice = Object.values(prices).some((each) => each.trim() !== '');
  const hasWrongFeed = PRICE_FIELDS.some(([name, { kind }]) => kind === 'feed' && isWrong(prices[name]));
  const readAgain = () =>
    Promise.all(
      [tokensQuery(scope), pricesQuery(scope)].map(({ queryKey }) => queries.invalidateQueries({ queryKey })),
    );
  const send = () => {
    const headers = headersOf(scope);
    return from
      ? contentOf(api.PATCH(`${SDK}/token`, { headers, body: changesOf(draft, from) }))
      : contentOf(api.POST(`${SDK}/token`, { headers, body: sendableToken(draft) }));
  };
  const { save, isOld } = useSave({ edited, send, readAgain, onDone });
  return (
    <Form onSubmit={() => save.mutate()}>
      <Stack key={edited.round}>
        {!token && (
          <TextInput
            label="Address of the token"
            data-autofocus
            {...field('address')}
            error={isWrong(address) && 'An address is 0x and 40 hex digits.'}
            required
            spellCheck={false}
          />
        )}
        <Text size="sm">
          Where its price comes from: at least one. With several, they have to agree, or no quote is given.
        </Text>
        {PRICE_FIELDS.map(([name, { kind, label, says }]) =>
          kind === 'feed' ? (
            <Group key={name} grow preventGrowOverflow={false} align="flex-start">
              <TextInput
                {...{ label, description: says, miw: 240 }}
                {...priceField('prices', name)}
                error={isWrong(prices[name]) && 'An address is 0x and 40 hex digits.'}
              />
              <TextInput
                label="Its heartbeat, in seconds"
                description="An older answer is not believed"
                inputMode="numeric"
                {...priceField('heartbeats', name)}
                miw={180}
              />
            </Group>
          ) : (
            <TextInput key={name} {...{ label, description: says }} {...priceField('prices', name)} />
          ),
        )}
        <TextInput
          label="Premium, in percent"
          description="On top of the price, for the risk that it moves"
          inputMode="decimal"
          {...field('premium')}
        />
        <Checkbox.Group
          label="How it may be charged"
          value={[...chargingWays]}
          onChange={(chosen) => setDraft({ ...draft, chargingWays: chosen as ChargingWay[] })}
        >
          <Group mt={4}>
            {Object.entries(WAYS).map(([value, label]) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Group>
        </Checkbox.Group>
        <Switch
          label="A cap of its own on what may be unpaid"
          description="By default it is the chain’s, and at most 2 % of the wallet"
          checked={exposureCapWei !== ''}
          onChange={(event) => setDraft({ ...draft, exposureCapWei: event.currentTarget.checked ? FIRST_CAP_WEI : '' })}
        />
        {exposureCapWei !== '' && (
          <CoinInput
            label="Unpaid at most"
            symbol={symbol}
            wei={exposureCapWei}
            onChange={(wei) => setDraft({ ...draft, exposureCapWei: wei })}
          />
        )}
        <TextInput
          type="url"
          label="Address of its logo"
          description="https; wallets and apps show it. Empty: none"
          {...field('logoUrl')}
        />
        <FormFooter
          says={
            isOld && from && token ? (
              <ChangedMeanwhile
                start={draftOf(from)}
                stored={draftOf(token)}
                mine={draft}
                linesOf={(terms) => linesOf('token', terms, symbol)}
                onChoose={(terms) => {
                  edited.choose(terms);
                  save.reset();
                }}
              />
            ) : (
              save.error && (
                <Problem error={save.error} what={token ? 'The token was not changed' : 'The token was not added'} />
              )
            )
          }
        >
          <Button
            type="submit"
            loading={save.isPending}
            disabled={
              address.trim() === '' ||
              isWrong(address) ||
              hasWrongFeed ||
              !hasPrice ||
              chargingWays.length === 0 ||
              isOld
            }
          >
            {token ? 'Save the token' : 'Add the token'}
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}
