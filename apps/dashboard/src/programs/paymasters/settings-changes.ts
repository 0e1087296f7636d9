import { normalizeAddress, type LiveSignatureCaps, type PaymasterSettings } from '@paymaster/domain';
import type { UpdateSettingsDto } from './update-settings.dto';

/** What was sent of the settings, as the domain has it; nothing for what was left out. */
export interface SettingsChanges extends Partial<Omit<PaymasterSettings, 'liveSignatureCaps'>> {
  readonly liveSignatureCaps: Partial<LiveSignatureCaps>;
}

export function settingsChangesOf(request: UpdateSettingsDto): SettingsChanges {
  const { maxOperationCostWei, tokenFeeReceiver, ...others } = request;
  const {
    maxLiveSignaturesPerSender: perSender,
    maxLiveSignaturesPerClient: perClient,
    maxLiveSignaturesTotal: perPaymaster,
    clientSharePercent,
    ...rest
  } = others;
  return {
    ...sentOnly(rest),
    ...(maxOperationCostWei !== undefined && { maxOperationCostWei: orNull(maxOperationCostWei, BigInt) }),
    ...(tokenFeeReceiver !== undefined && { tokenFeeReceiver: orNull(tokenFeeReceiver, normalizeAddress) }),
    liveSignatureCaps: sentOnly({ perSender, perClient, perPaymaster, clientSharePercent }),
  };
}

/** The settings with the changes made. A brake that is turned on forgets what it stopped before. */
export function applyChanges(settings: PaymasterSettings, changes: SettingsChanges): PaymasterSettings {
  const liveSignatureCaps = { ...settings.liveSignatureCaps, ...changes.liveSignatureCaps };
  const isTurnedOn = changes.spendingBrake === true && !settings.spendingBrake;
  return { ...settings, ...changes, liveSignatureCaps, ...(isTurnedOn && releasedBrake(settings)) };
}

/** Released now; later than before also where the clock was set back. */
export function releasedBrake({ brakeReleasedAtMs }: PaymasterSettings): Pick<PaymasterSettings, 'brakeReleasedAtMs'> {
  return { brakeReleasedAtMs: Math.max(Date.now(), brakeReleasedAtMs + 1) };
}

function sentOnly<T extends object>(sent: T): Partial<T> {
  return Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function orNull<T>(value: string | null, convert: (value: string) => T): T | null {
  return value === null ? null : convert(value);
}
