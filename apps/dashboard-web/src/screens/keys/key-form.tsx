import { Alert, Button, Checkbox, List, Radio, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { keysQuery } from '../../api/queries';
import { linesOf } from '../../audit/lines-of';
import { useChain, useScope } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Problem } from '../../ui/problem';
import { useEdited } from '../../ui/use-edited';
import { useSave } from '../../ui/use-save';
import { AddressList, LineList, TimeInput } from '../policies/fields';
import { LimitRows } from '../policies/limit-rows';
import {
  changesOf,
  draftOf,
  fromRows,
  NEW_KEY,
  sendableKey,
  toRows,
  type KeyDraft,
  type NamedKey,
  withoutEmptyLists,
} from './key-draft';
import { keySentences } from './key-sentences';
import { useRulesPolicies } from './use-rules-policies';

const MOST_LIMITS = 10;

interface Props {
  /** The key that is changed; a new one where it is left out. */
  readonly named?: NamedKey | undefined;
  /** Takes the text of a new key, which is shown once. */
  readonly onMade?: (key: { name: string; apiKey: string }) => void;
  readonly onDone: () => void;
}

/** Whether a save would let every page use the key, which it could not before. */
function opensToAllPages({ kind, allowedOrigins }: KeyDraft, named: NamedKey | undefined): boolean {
  const wasOpen = named !== undefined && !named.allowedOrigins?.length;
  return kind === 'PUBLISHABLE' && !allowedOrigins?.length && !wasOpen;
}

/** Makes a named key, or changes it: for whom it is, and what it may do, in fields and in words. */
export function KeyForm({ named, onMade, onDone }: Props) {
  const scope = useScope();
  const { symbol } = useChain();
  const queries = useQueryClient();
  const { policies, policyName } = useRulesPolicies();
  const edited = useEdited({ stored: named, draftOf, fresh: NEW_KEY });
  const { draft, setDraft, from } = edited;
  const { queryKey } = keysQuery(scope);
  const [isAsked, setIsAsked] = useState(false);
  const set = (change: Partial<KeyDraft>) => {
    setIsAsked(false);
    setDraft((before) => ({ ...before, ...withoutEmptyLists(change) }));
  };
  const { name, kind, expiresAt, policyIds } = draft;
  const send = async () => {
    const headers = headersOf(scope);
    if (!from) {
      const made = await contentOf(api.POST(`${SDK}/keys`, { headers, body: sendableKey(draft) }));
      onMade?.(made);
      return;
    }
    const params = { path: { keyId: from.keyId } };
    await contentOf(api.PATCH(`${SDK}/keys/{keyId}`, { params, headers, body: changesOf(draft, from) }));
  };
  const readAgain = () => queries.invalidateQueries({ queryKey });
  const { save, isOld } = useSave({ edited, send, readAgain, onDone });
  return (
    <Form
      onSubmit={() => {
        if (!isAsked && opensToAllPages(draft, named)) setIsAsked(true);
        else save.mutate();
      }}
    >
      <Stack key={edited.round}>
        <TextInput
          label="Name"
          data-autofocus
          placeholder="web app"
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value })}
          required
          maxLength={100}
        />
        {!named && (
          <Radio.Group
            label="Who will know it"
            value={kind}
            onChange={(value) => set({ kind: value as KeyDraft['kind'] })}
          >
            <Stack gap={6} mt={4}>
              <Radio value="PUBLISHABLE" label="Everybody: it stands in a page or an app (publishable)" />
              <Radio value="SECRET" label="Your servers only (secret)" />
            </Stack>
          </Radio.Group>
        )}
        {kind === 'PUBLISHABLE' && (
          <LineList
            label="Origins whose pages may use it"
            description="One in each line, such as https://app.example.org. Without any, every page may."
            value={draft.allowedOrigins ?? []}
            onChange={(allowedOrigins) => set({ allowedOrigins })}
          />
        )}
        <LineList
          label="Networks that it may be sent from"
          description="One IP address or block in each line, such as 203.0.113.0/24. Without any, every network."
          value={draft.allowedNetworks ?? []}
          onChange={(allowedNetworks) => set({ allowedNetworks })}
        />
        <AddressList
          label="Only these accounts (empty: all)"
          value={draft.allowedSenders ?? []}
          onChange={(allowedSenders) => set({ allowedSenders })}
        />
        <LineList
          label="Only these JSON-RPC methods (empty: all)"
          description="viem and permissionless call pm_getPaymasterStubData and pm_getPaymasterData"
          value={draft.allowedMethods ?? []}
          onChange={(allowedMethods) => set({ allowedMethods })}
        />
        <Radio.Group
          label="Which operations it sends to bundlers"
          value={draft.bundler}
          onChange={(value) => set({ bundler: value as KeyDraft['bundler'] })}
        >
          <Stack gap={6} mt={4}>
            <Radio value="any" label="Any, also those that users pay themselves" />
            <Radio value="sponsored" label="Only those that this paymaster has signed" />
            <Radio value="off" label="None: apps that use it need another bundler" />
          </Stack>
        </Radio.Group>
        {policies.length > 0 && (
          <Checkbox.Group
            label="Only by these rules policies (none chosen: all)"
            value={[...(policyIds ?? [])]}
            onChange={(chosen) => set({ policyIds: chosen })}
          >
            <Stack gap={6} mt={4}>
              {policies.map((policy) => (
                <Checkbox key={policy.policyId} value={policy.policyId} label={policy.name} />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Text size="sm" fw={500}>
          Limits of the key
        </Text>
        <LimitRows
          limits={toRows(draft.limits)}
          onChange={(rows) => set({ limits: fromRows(rows) })}
          scopes={['USER', 'PAYMASTER']}
          most={MOST_LIMITS}
        />
        <Switch
          label="Needs a session token"
          description="Your server signs a token for each user. Limits of each account then count the user."
          checked={draft.sessionRequired}
          onChange={(event) => set({ sessionRequired: event.currentTarget.checked })}
        />
        <TimeInput
          label="Works until; empty: for ever"
          seconds={expiresAt === null ? null : Math.floor(new Date(expiresAt).getTime() / 1_000)}
          onChange={(seconds) => set({ expiresAt: seconds === null ? null : new Date(seconds * 1_000).toISOString() })}
        />
        <div aria-live="polite">
          <Text size="sm" fw={500}>
            What the key can do
          </Text>
          <List size="sm" c="dimmed">
            {keySentences(sentencesOf(draft), { symbol, policyName }).map((sentence) => (
              <List.Item key={sentence} className="breaks">
                {sentence}
              </List.Item>
            ))}
          </List>
        </div>
        {!named && (
          <Text size="sm" c="dimmed">
            The key is shown once. It can only narrow what the paymaster sponsors.
          </Text>
        )}
        <FormFooter
          says={
            isOld && from && named ? (
              <ChangedMeanwhile
                start={draftOf(from)}
                stored={draftOf(named)}
                mine={draft}
                linesOf={(terms) => linesOf('apiKey', terms, symbol)}
                onChoose={(terms) => {
                  edited.choose(terms);
                  save.reset();
                }}
              />
            ) : (
              <>
                {isAsked && (
                  <Alert color="yellow" title="Every page may use this key" role="alert">
                    Without an origin, anybody who copies the key out of your page can put it into his own, and his
                    users spend your gas. Name the origins of your pages above, or go on without.
                  </Alert>
                )}
                {save.error && (
                  <Problem error={save.error} what={named ? 'The key was not changed' : 'The key was not made'} />
                )}
              </>
            )
          }
        >
          <Button type="submit" loading={save.isPending} disabled={name.trim() === '' || isOld}>
            {isAsked ? 'Go on without an origin' : named ? 'Save the key' : 'Make the key'}
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}

/** As it would be stored: a secret key has no origins. */
function sentencesOf(draft: KeyDraft): KeyDraft {
  return draft.kind === 'SECRET' ? { ...draft, allowedOrigins: null } : draft;
}
