import { Badge, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { sharedPoliciesQuery, type Schemas } from '../../api/queries';
import { SHARED_KINDS } from '../../policy/policy-draft';
import { OfPaymaster, useScope } from '../../shell/use-scope';
import { PolicyCard } from '../policies/policy-card';
import { PolicyList } from '../policies/policy-list';
import { SharedPolicyEditor } from './shared-policy-editor';
import { useSharing } from './use-sharing';

type SharedPolicy = Schemas['SharedPolicyView'];

/** Limits and rules of the account that hold for several paymasters together. */
export function SharedPoliciesScreen() {
  return (
    <PolicyList
      title="Shared policies"
      one="Shared policy"
      sub="Limits and rules that hold for several paymasters together, on any chains."
      advice="Each paymaster has its own policies. Share one, and its limits count over all paymasters that share it: one sum in USD for all of your chains, for example."
      policies={useQuery(sharedPoliciesQuery(useScope().accountId))}
      idOf={({ policyId }) => policyId}
      Item={Shared}
      Editor={SharedPolicyEditor}
    />
  );
}

function Shared({ policy, onEdit }: { readonly policy: SharedPolicy; readonly onEdit: () => void }) {
  const { accountId } = useScope();
  const { labelsOf, coinOf } = useSharing();
  const { policyId, policyType, paymasterIds } = policy;
  const options = { params: { path: { policyId } }, headers: headersOf({ accountId }) };
  return (
    <OfPaymaster.Provider value={{ paymasterId: paymasterIds[0] ?? '', symbol: coinOf(paymasterIds) }}>
      <PolicyCard
        {...{ policy, policyId, onEdit }}
        hasLimits={paymasterIds.length > 0}
        consequence={CONSEQUENCES[policyType]}
        setActive={(active) =>
          contentOf(api.PATCH(`${SDK}/shared-policy/{policyId}`, { ...options, body: { active } }))
        }
        remove={() => contentOf(api.DELETE(`${SDK}/shared-policy/{policyId}`, options))}
        queryKey={sharedPoliciesQuery(accountId).queryKey}
        badge={
          <Badge variant="light" color="blue" tt="none">
            {SHARED_KINDS.find((kind) => kind.policyType === policyType)?.label.toLowerCase()}
          </Badge>
        }
      >
        <Text size="sm" c="dimmed" className="breaks">
          Shared by {labelsOf(paymasterIds).join(', ')}.
        </Text>
      </PolicyCard>
    </OfPaymaster.Provider>
  );
}

/** What stops working without the policy. */
const CONSEQUENCES: Readonly<Record<SharedPolicy['policyType'], string>> = {
  SPENDING_LIMITS: 'Its limits no longer hold: its paymasters sponsor as much as their own policies allow.',
  RULES:
    'Its rules and limits no longer hold. Where it was the last rules policy of a paymaster, that one sponsors all that is whitelisted without a limit.',
};
