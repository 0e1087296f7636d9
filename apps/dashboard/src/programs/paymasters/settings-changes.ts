import {
  eachSetting,
  normalizeAddress,
  type Setting,
  type SettingValues,
  type StoredSettings,
} from '@paymaster/domain';
import type { UpdateSettingsDto } from './update-settings.dto';

/** What was sent of the settings, as the domain has it; nothing for what was left out. */
export type SettingsChanges = Partial<SettingValues>;

export function settingsChangesOf(request: UpdateSettingsDto): SettingsChanges {
  const changes = Object.entries(eachSetting((setting, name) => inMemory(setting, request[name])));
  return Object.fromEntries(changes.filter(([, value]) => value !== undefined));
}

/** The settings with the changes made. A brake that is turned on forgets what it stopped before. */
export function applyChanges(settings: StoredSettings, changes: SettingsChanges): StoredSettings {
  const isTurnedOn = changes.spendingBrake === true && !settings.spendingBrake;
  return { ...settings, ...changes, ...(isTurnedOn && releasedBrake(settings)) };
}

/** Released now; later than before also where the clock was set back. */
export function releasedBrake({ brakeReleasedAtMs }: StoredSettings): Pick<StoredSettings, 'brakeReleasedAtMs'> {
  return { brakeReleasedAtMs: Math.max(Date.now(), brakeReleasedAtMs + 1) };
}

function inMemory({ kind }: Setting, sent: unknown): unknown {
  if (typeof sent !== 'string') return sent;
  if (kind === 'wei') return BigInt(sent);
  return kind === 'address' ? normalizeAddress(sent) : sent;
}
