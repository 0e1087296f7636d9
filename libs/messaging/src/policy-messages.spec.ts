import { DEFAULT_PAYMASTER_SETTINGS } from '@paymaster/domain';
import { policySnapshotBuilder } from '@paymaster/domain/testing';
import { fromMessage, toMessage } from './policy-messages';
import { MalformedSnapshotError } from './snapshot-shape';

describe('policy snapshot messages', () => {
  it.each([null, 0n, 2n ** 200n])('survive JSON with a cost cap of %s', (maxOperationCostWei) => {
    const snapshot = policySnapshotBuilder()
      .with('settings', { ...DEFAULT_PAYMASTER_SETTINGS, maxOperationCostWei })
      .build();
    expect(fromMessage(JSON.parse(JSON.stringify(toMessage(snapshot))), snapshot.chainId)).toEqual(snapshot);
  });

  const message = toMessage(policySnapshotBuilder().build());
  const withSettings = (settings: object) => ({ ...message, settings: { ...message.settings, ...settings } });

  it.each<[string, unknown]>([
    ['paymasterId', null],
    ['paymasterId', { ...message, paymasterId: 7 }],
    ['version', { ...message, version: 2 ** 53 }],
    ['version', { ...message, version: '3' }],
    ['chainId', { ...message, chainId: message.chainId + 1 }],
    ['fundingWallet', { ...message, fundingWallet: '0x1' }],
    ['contracts', { ...message, contracts: [null] }],
    ['contracts', { ...message, contracts: [{ address: `0x${'1'.repeat(40)}`, selectors: ['0x123'] }] }],
    ['settings.sponsorAnyContract', { ...message, settings: undefined }],
    ['settings.sponsorAnyContract', withSettings({ sponsorAnyContract: 'no' })],
    ['settings.sponsorDeployments', withSettings({ sponsorDeployments: 'sometimes' })],
    ['settings.maxOperationCostWei', withSettings({ maxOperationCostWei: '-1' })],
    ['settings.maxOperationCostWei', withSettings({ maxOperationCostWei: undefined })],
    ['settings.allowedOrigins', withSettings({ allowedOrigins: '*' })],
  ])('are refused with a wrong %s', (field, broken) => {
    expect(() => fromMessage(broken, message.chainId)).toThrow(new MalformedSnapshotError(field));
  });
});
