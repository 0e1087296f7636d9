import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, contentOf, headersOf, SDK } from '../../api/client';
import { policiesQuery, type Schemas } from '../../api/queries';
import { inOrder } from '../../policy/order';
import { useRole, useScope } from '../../shell/use-scope';
import { MovePolicy } from './move-policy';
import { PolicyCard } from './policy-card';
import { PolicyEditor } from './policy-editor';
import { PolicyHistory } from './policy-history';
import { PolicyList } from './policy-list';
import { PolicyTransfer } from './policy-transfer';

type Policy = Schemas['PolicyView'];

/** How much is sponsored, for whom and under which conditions. */
export function PoliciesScreen() {
  return (
    <PolicyList
      title="Policies"
      one="Policy"
      sub="How much is sponsored, and under which conditions. The first rules policy that allows an operation decides. The whitelist of contracts holds besides."
      actions={<PolicyTransfer />}
      advice="Everything that is whitelisted is sponsored without a limit, until the deposit is empty. Set a limit before you give a key to an app."
      policies={useQuery({ ...policiesQuery(useScope()), select: inOrder })}
      idOf={({ _id }) => _id}
      Item={OwnPolicy}
      Editor={PolicyEditor}
    />
  );
}

function OwnPolicy({ policy, onEdit }: { readonly policy: Policy; readonly onEdit: () => void }) {
  const scope = useScope();
  const { mayReadAudit, mayWrite } = useRole();
  const { _id: policyId, name, policyType } = policy;
  const options = { params: { path: { policyId } }, headers: headersOf(scope) };
  return (
    <PolicyCard
      {...{ policy, policyId, onEdit }}
      hasLimits={policyType === 'RULES' || policyType === 'PAYMASTER_SA_LIMIT'}
      consequence={CONSEQUENCES[policyType]}
      setActive={(active) =>
        active
          ? contentOf(api.PATCH(`${SDK}/paymaster-policy/activate/{policyId}`, options))
          : contentOf(api.PATCH(`${SDK}/paymaster-policy/deactivate/{policyId}`, options))
      }
      remove={() => contentOf(api.DELETE(`${SDK}/paymaster-policy/{policyId}`, options))}
      queryKey={policiesQuery(scope).queryKey}
      actions={
        <>
          {mayReadAudit && <HistoryButton policyId={policyId} name={name} />}
          {mayWrite && <MovePolicy policy={policy} />}
        </>
      }
    />
  );
}

function HistoryButton({ policyId, name }: { readonly policyId: string; readonly name: string }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setIsShown(true)}>
        History
      </Button>
      <Modal opened={isShown} onClose={() => setIsShown(false)} title={`History of ${name}`} size="lg">
        <PolicyHistory policyId={policyId} />
      </Modal>
    </>
  );
}

/** What stops working without the policy. */
const CONSEQUENCES: Readonly<Record<Policy['policyType'], string>> = {
  RULES:
    'Its rules and limits no longer hold. If it is the last rules policy, all that is whitelisted is sponsored without a limit.',
  PAYMASTER_SA_LIMIT: 'Its limit no longer holds: more is sponsored than before.',
  WALLET_DEPLOYMENT: 'Deployments that call nothing whitelisted are refused.',
  WEBHOOK: 'Your server is no longer asked: what it refused is sponsored.',
};
