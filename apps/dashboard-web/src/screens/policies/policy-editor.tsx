import { api, contentOf, headersOf, SDK } from '../../api/client';
import { policiesQuery, type Schemas } from '../../api/queries';
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
  const edited = useEditedPolicy(editing, newDraft(POLICY_KINDS));
  const { policyType, policyData } = edited.draft;
  return (
    <PolicyForm
      {...{ ...editing, edited }}
      kinds={POLICY_KINDS}
      placeholder="Ten a day"
      queryKeys={[policiesQuery(scope).queryKey]}
      send={(draft, from) => {
        const body = draft as Schemas['CreatePolicyDto'];
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
    >
      {(policyType === 'RULES' || policyType === 'PAYMASTER_SA_LIMIT') && (
        <BackTest {...{ policyType, policyData: policyData as Schemas['BackTestDto']['policyData'] }} />
      )}
    </PolicyForm>
  );
}
