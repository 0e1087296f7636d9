import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { policiesQuery, type Schemas } from '../../api/queries';
import { AlsoOn, assertNoneRefused } from '../projects/also-on';
import { useSiblings } from '../projects/use-siblings';
import { newDraft, POLICY_KINDS } from '../../policy/policy-draft';
import { useScope } from '../../shell/use-scope';
import { BackTest } from './back-test';
import { PolicyForm } from './policy-form';
import { useEditedPolicy, type Editing } from './use-edited-policy';

type Policy = Schemas['PolicyView'];

/** Edits a policy, tries it on what happened, and saves it. */
export function PolicyEditor(editing: Editing<Policy>) {
  const scope = useScope();
  const headers = headersOf(scope);
  const queries = useQueryClient();
  const siblings = useSiblings();
  const [others, setOthers] = useState<readonly string[]>([]);
  const edited = useEditedPolicy(editing, newDraft(POLICY_KINDS));
  const { policyType, policyData } = edited.draft;
  return (
    <PolicyForm
      {...{ ...editing, edited }}
      kinds={POLICY_KINDS}
      placeholder="Ten a day"
      queryKeys={[policiesQuery(scope).queryKey]}
      send={async (draft, from) => {
        const body = draft as Schemas['CreatePolicyDto'];
        if (!from && others.length > 0) {
          const several = { ...body, paymasterIds: [scope.paymasterId, ...others] };
          const ofAccount = headersOf({ accountId: scope.accountId });
          const outcomes = await contentOf(
            api.POST(`${SDK}/account/paymaster-policy`, { headers: ofAccount, body: several }),
          );
          assertNoneRefused(outcomes, new Map(siblings.map(({ paymasterId, label }) => [paymasterId, label])));
          const stored = await queries.fetchQuery({ ...policiesQuery(scope), staleTime: 0 });
          return stored.find(({ name }) => name === body.name)!;
        }
        if (!from) return contentOf(api.POST(`${SDK}/paymaster-policy`, { headers, body }));
        const { name, policyData: data } = body;
        return contentOf(
          api.PATCH(`${SDK}/paymaster-policy/{policyId}`, {
            params: { path: { policyId: from._id } },
            headers,
            body: { name, policyData: data, expectedVersion: from.version },
          }),
        );
      }}
      audience={!editing.policy && <AlsoOn what="policy" chosen={others} onChange={setOthers} />}
    >
      {(policyType === 'RULES' || policyType === 'PAYMASTER_SA_LIMIT') && (
        <BackTest {...{ policyType, policyData: policyData as Schemas['BackTestDto']['policyData'] }} />
      )}
    </PolicyForm>
  );
}
