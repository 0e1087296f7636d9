import { Alert, Text } from '@mantine/core';
import { Icon } from '../ui/icon';
import { When } from '../ui/when';
import { useSuspension } from './use-scope';

/** Says on each screen of a paymaster that the operator has suspended it, and why. */
export function SuspensionBanner() {
  const suspension = useSuspension();
  return (
    <div role="status" aria-live="polite">
      {suspension && (
        <Alert color="red" icon={<Icon name="warning" />} title="The operator has suspended this paymaster" mb="md">
          <Text size="sm" className="breaks">
            Reason: {suspension.reason}
          </Text>
          <Text size="sm">
            Nothing is signed since <When iso={suspension.since} />, and apps are told the reason. Your wallet and its
            deposits are yours as before. Only the operator of this installation can resume the paymaster: ask there.
          </Text>
        </Alert>
      )}
    </div>
  );
}
