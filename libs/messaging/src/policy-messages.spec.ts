import { DEFAULT_PAYMASTER_SETTINGS } from '@paymaster/domain';
import { policySnapshotBuilder } from '@paymaster/domain/testing';
import { fromMessage, toMessage } from './policy-messages';

describe('policy snapshot messages', () => {
  it.each([null, 0n, 2n ** 200n])('survive JSON with a cost cap of %s', (maxOperationCostWei) => {
    const snapshot = policySnapshotBuilder()
      .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, maxOperationCostWei })
      .build();
    expect(fromMessage(JSON.parse(JSON.stringify(toMessage(snapshot))))).toEqual(snapshot);
  });
});
