import type { SettingValues, StoredSettings } from '@paymaster/domain';

/** Settings that say who gets the tokens that users pay, and whether a wallet's losses stop: the right `money`. */
export const SETTINGS_OF_MONEY = ['spendingBrake', 'tokenFeeReceiver'] as const;

/** The settings with the changes made. A brake that is turned on forgets what it stopped before. */
export function applyChanges(settings: StoredSettings, changes: Partial<SettingValues>): StoredSettings {
  const isTurnedOn = changes.spendingBrake === true && !settings.spendingBrake;
  return { ...settings, ...changes, ...(isTurnedOn && releasedBrake(settings)) };
}

/** Released now; later than before also where the clock was set back. */
export function releasedBrake({ brakeReleasedAtMs }: StoredSettings): Pick<StoredSettings, 'brakeReleasedAtMs'> {
  return { brakeReleasedAtMs: Math.max(Date.now(), brakeReleasedAtMs + 1) };
}
