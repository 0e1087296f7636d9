import { Button, Radio, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../../api/api-error';
import { linesOf } from '../../audit/lines-of';
import {
  draftFrom,
  draftOf,
  fieldsOf,
  type Draft,
  type PolicyKind,
  type StoredPolicy,
} from '../../policy/policy-draft';
import { useChain } from '../../shell/use-scope';
import { ChangedMeanwhile } from '../../ui/changed-meanwhile';
import { Form } from '../../ui/form';
import { FormFooter } from '../../ui/form-footer';
import { Problem } from '../../ui/problem';
import type { Edited } from '../../ui/use-edited';
import { DeletedMeanwhile } from './deleted-meanwhile';
import { PolicyFields } from './policy-fields';
import type { Editing } from './use-edited-policy';

interface Props<Stored extends StoredPolicy> extends Editing<Stored> {
  readonly edited: Edited<Stored, Draft>;
  readonly kinds: readonly PolicyKind[];
  readonly placeholder: string;
  readonly isIncomplete?: boolean;
  /** Sends the draft, as a change of a stored policy or as a new one. */
  readonly send: (draft: Draft, from: Stored | undefined) => Promise<Stored>;
  /** What is read again after a save, and after one that came too late. */
  readonly queryKeys: readonly QueryKey[];
  /** The draft as the changes of two people are shown; itself where it is left out. */
  readonly shown?: (draft: Draft) => object;
  /** Who the policy is for, between its name and its kind. */
  readonly audience?: ReactNode;
  /** What the draft would do, under its fields. */
  readonly children?: ReactNode;
}

/** The form of a policy: saves it, unless somebody else changed it meanwhile; then shows what both changed. */
export function PolicyForm<Stored extends StoredPolicy>(props: Props<Stored>) {
  const { edited, policy: stored, isGone, onDone, kinds, send, queryKeys, shown = (all) => all } = props;
  const queries = useQueryClient();
  const { symbol } = useChain();
  const { draft, setDraft, from, isOld } = edited;
  const { name, policyType } = draft;
  const readAgain = () => Promise.all(queryKeys.map((queryKey) => queries.invalidateQueries({ queryKey })));
  const save = useMutation({
    mutationFn: () => send({ ...draft, name: name.trim() }, from),
    onSuccess: async (saved) => {
      edited.saved(saved);
      await readAgain();
      onDone();
    },
    onError: (error) =>
      error instanceof ApiError && (error.status === 404 || error.status === 409) ? readAgain() : undefined,
  });
  return (
    <Form onSubmit={() => save.mutate()}>
      <Stack>
        <TextInput
          label="Name"
          placeholder={props.placeholder}
          value={name}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          required
          maxLength={100}
        />
        {props.audience}
        {!from && (
          <Radio.Group label="Kind" value={policyType}>
            <Stack gap={6} mt={4}>
              {kinds.map(({ label, says, ...kind }) => (
                <Radio
                  key={kind.policyType}
                  value={kind.policyType}
                  label={label}
                  description={says}
                  onChange={() => setDraft({ ...draft, ...kind })}
                />
              ))}
            </Stack>
          </Radio.Group>
        )}
        <PolicyFields key={edited.round} draft={draft} onChange={(policyData) => setDraft({ ...draft, policyData })} />
        {props.children}
        <FormFooter
          says={
            <>
              {isGone && <DeletedMeanwhile />}
              {isOld && from && stored && (
                <ChangedMeanwhile
                  start={fieldsOf(draftOf(from))}
                  stored={fieldsOf(draftOf(stored))}
                  mine={fieldsOf(draft)}
                  linesOf={(fields) =>
                    linesOf('policy', { active: stored.active, ...shown(draftFrom(policyType, fields)) }, symbol)
                  }
                  onChoose={(fields) => {
                    edited.choose(draftFrom(policyType, fields));
                    save.reset();
                  }}
                />
              )}
              {save.error && !isOld && !isGone && <Problem error={save.error} what="The policy was not saved" />}
            </>
          }
        >
          <Button type="submit" loading={save.isPending} disabled={name.trim() === '' || isOld || props.isIncomplete}>
            {from ? 'Save the policy' : 'Make the policy'}
          </Button>
        </FormFooter>
      </Stack>
    </Form>
  );
}
