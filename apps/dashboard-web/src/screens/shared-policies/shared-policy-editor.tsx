import { Checkbox, Stack } from '@mantine/core';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { sharedPoliciesQuery, sharingPaymastersQuery, type Schemas } from '../../api/queries';
import { newDraft, SHARED_KINDS } from '../../policy/policy-draft';
import { OfPaymaster, useScope } from '../../shell/use-scope';
import { PolicyForm } from '../policies/policy-form';
import { useEditedPolicy, type Editing } from '../policies/use-edited-policy';
import { useSharing } from './use-sharing';

/** Edits a policy that several paymasters share, and says which. */
export function SharedPolicyEditor(editing: Editing<Schemas['SharedPolicyView']>) {
  const { accountId } = useScope();
  const headers = headersOf({ accountId });
  const { paymasters, labelsOf, coinOf } = useSharing();
  const edited = useEditedPolicy(editing, { ...newDraft(SHARED_KINDS), paymasterIds: [] });
  const { draft, setDraft } = edited;
  const { paymasterIds = [] } = draft;
  return (
    <OfPaymaster.Provider value={{ paymasterId: paymasterIds[0] ?? '', symbol: coinOf(paymasterIds) }}>
      <PolicyForm
        {...{ ...editing, edited }}
        kinds={SHARED_KINDS}
        placeholder="Limit of all chains"
        isIncomplete={paymasterIds.length === 0}
        queryKeys={[sharedPoliciesQuery(accountId).queryKey, sharingPaymastersQuery(accountId).queryKey]}
        send={({ policyType, ...changed }, from) => {
          const body = changed as Omit<Schemas['CreateSharedPolicyDto'], 'policyType'>;
          if (!from) {
            const kind = policyType as Schemas['CreateSharedPolicyDto']['policyType'];
            return contentOf(api.POST(`${SDK}/shared-policy`, { headers, body: { ...body, policyType: kind } }));
          }
          return contentOf(
            api.PATCH(`${SDK}/shared-policy/{policyId}`, {
              params: { path: { policyId: from.policyId } },
              headers,
              body: { ...body, expectedVersion: from.version },
            }),
          );
        }}
        shown={({ paymasterIds: ids = [], ...said }) => ({ ...said, sharedBy: labelsOf(ids) })}
        audience={
          <Checkbox.Group
            label="Paymasters that share it"
            description="Its limits count over all of them. Limits over several chains are in USD or count operations."
            value={[...paymasterIds]}
            onChange={(chosen) => setDraft({ ...draft, paymasterIds: chosen })}
          >
            <Stack gap={6} mt={4}>
              {paymasters.map(({ paymasterId, label }) => (
                <Checkbox key={paymasterId} value={paymasterId} label={label} />
              ))}
            </Stack>
          </Checkbox.Group>
        }
      />
    </OfPaymaster.Provider>
  );
}
