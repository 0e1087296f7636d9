import { DEFAULT_PAYMASTER_SETTINGS, SETTINGS, type Setting } from './settings';

const declarations = Object.entries<Setting>(SETTINGS);

describe('the settings', () => {
  it.each(declarations)('have a standard within their own bounds: %s', (_name, setting) => {
    if (setting.kind === 'choice') expect(setting.words).toContain(setting.standard);
    if ('from' in setting) {
      expect(setting.standard).toBeGreaterThanOrEqual(setting.from);
      expect(setting.standard).toBeLessThanOrEqual(setting.to ?? Infinity);
    }
  });

  it.each(declarations)('say what they do, in sentences: %s', (_name, { says }) => {
    expect(says).toMatch(/^[A-Z][^]*\.$/);
  });

  it('may be absent from the message of an older dashboard, but for those of the first version', () => {
    const always = declarations.filter(([, { mayBeAbsent }]) => !mayBeAbsent).map(([name]) => name);
    expect(always).toEqual([
      ...['sponsorAnyContract', 'sponsorNativeTransfers', 'sponsorDeployments', 'allowUnknownFactories'],
      ...['requireKnownAccounts', 'onRefusal', 'explainToClients', 'maxExpirySeconds', 'maxOperationCostWei'],
      ...['allowedOrigins', 'tokenMode', 'tokenChargingWays', 'tokenFeeReceiver', 'maxLiveSignaturesPerSender'],
      ...['maxLiveSignaturesPerClient', 'maxLiveSignaturesTotal', 'clientSharePercent', 'spendingBrake'],
      ...['sponsorName', 'sponsorIcon', 'onLimitReached', 'allowEqualFees', 'allowCallDataSuffix'],
      ...['ignoreForeignPolicyIds', 'allowBatchApprovalWithoutRules'],
    ]);
  });

  it('reach the gateway with the caps on live signatures together', () => {
    expect(DEFAULT_PAYMASTER_SETTINGS.liveSignatureCaps).toEqual({
      ...{ perSender: 4, perClient: 100, perPaymaster: 10_000, clientSharePercent: 50 },
    });
    const names = Object.keys(SETTINGS);
    expect(Object.keys(DEFAULT_PAYMASTER_SETTINGS)).toHaveLength(names.length - 4 + 2);
  });
});
