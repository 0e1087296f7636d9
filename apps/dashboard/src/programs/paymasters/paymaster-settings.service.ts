import { Inject, Injectable } from '@nestjs/common';
import { readWritten, SETTINGS, type SettingValues, type StoredSettings } from '@paymaster/domain';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import type { Editor } from '../../access/callers/caller';
import { InvalidBodyError, NotAllowedError } from '../../platform/http/dashboard-errors';
import { refuseIfChangedMeanwhile } from '../../platform/http/expected-values';
import { PolicyWriter, type PolicyWrite } from '../policy-changes/policy-writer';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { toSettingsView, type SettingsView } from './settings.view';
import type { UpdateSettingsDto } from './update-settings.dto';

/** Settings that say who gets the tokens that users pay, and whether a wallet's losses stop: the right `money`. */
const SETTINGS_OF_MONEY = ['spendingBrake', 'tokenFeeReceiver'] as const;

export interface SettingsMerge {
  readonly write: PolicyWrite;
  readonly paymaster: Paymaster;
  /** What the caller may do for the account. */
  readonly may: readonly Need[];
  readonly request: UpdateSettingsDto;
}

/** The switches of a paymaster (decisions, section 2). */
@Injectable()
export class PaymasterSettingsService {
  constructor(
    private readonly paymasters: PaymastersRepository,
    private readonly policies: PolicyWriter,
    private readonly chains: SupportedChains,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'maxExpirySeconds'>,
  ) {}

  show(paymaster: Paymaster): SettingsView {
    return toSettingsView(paymaster.settings);
  }

  /**
   * Changes what was sent, leaves the rest; two changes at once do not undo each other.
   *
   * @throws {InvalidBodyError} {@link ChangedMeanwhileError} {@link NotAllowedError}
   */
  async update({ paymaster, actor }: Editor, may: readonly Need[], request: UpdateSettingsDto): Promise<SettingsView> {
    return this.policies.write({ paymasterId: paymaster.id, actor }, (write) =>
      this.merge({ write, paymaster, may, request }),
    );
  }

  /** Lets the paymaster go on where the spending brake stopped it; what it lost so far counts no more. */
  async releaseBrake({ paymaster, actor }: Editor): Promise<SettingsView> {
    return this.policies.write({ paymasterId: paymaster.id, actor }, (write) =>
      this.set({ write, paymaster }, (settings) => ({ ...settings, ...releasedBrake(settings) })),
    );
  }

  /** {@link update} within a write that goes on. @throws {InvalidBodyError} {@link ChangedMeanwhileError} {@link NotAllowedError} */
  async merge({ write, paymaster, may, request }: SettingsMerge): Promise<SettingsView> {
    const changes = readWritten(SETTINGS, request);
    this.refuseOutOfBounds(paymaster, changes);
    return this.set({ write, paymaster }, (settings) => {
      refuseIfChangedMeanwhile(toSettingsView(settings), request);
      const changed = applyChanges(settings, changes);
      const ofMoney = SETTINGS_OF_MONEY.find((key) => changed[key] !== settings[key]);
      if (ofMoney && !may.includes('money')) throw new NotAllowedError(`Changing ${ofMoney} needs the right money`);
      return changed;
    });
  }

  private async set(
    { write: { manager, record }, paymaster }: Pick<SettingsMerge, 'write' | 'paymaster'>,
    change: (settings: StoredSettings) => StoredSettings,
  ): Promise<SettingsView> {
    const { settings } = await this.paymasters.get(manager, paymaster.id);
    const merged = change(settings);
    await this.paymasters.update(manager, paymaster.id, { settings: merged });
    const [before, after] = [toSettingsView(settings), toSettingsView(merged)];
    record({ subject: 'settings', subjectId: paymaster.id, before, after });
    return after;
  }

  private refuseOutOfBounds({ chainId }: Paymaster, changes: Partial<SettingValues>): void {
    const { maxExpirySeconds = 0, tokenFeeReceiver } = changes;
    const ceiling = this.config.maxExpirySeconds;
    if (maxExpirySeconds > ceiling) throw new InvalidBodyError(`maxExpirySeconds must not be greater than ${ceiling}`);
    // Tokens sent there would belong to nobody.
    if (tokenFeeReceiver && this.chains.isInfrastructure(chainId, tokenFeeReceiver)) {
      throw new InvalidBodyError('tokenFeeReceiver must not be an EntryPoint or a paymaster of this platform');
    }
  }
}

/** The settings with the changes made. A brake that is turned on forgets what it stopped before. */
function applyChanges(settings: StoredSettings, changes: Partial<SettingValues>): StoredSettings {
  const isTurnedOn = changes.spendingBrake === true && !settings.spendingBrake;
  return { ...settings, ...changes, ...(isTurnedOn && releasedBrake(settings)) };
}

/** Released now; later than before also where the clock was set back. */
function releasedBrake({ brakeReleasedAtMs }: StoredSettings): Pick<StoredSettings, 'brakeReleasedAtMs'> {
  return { brakeReleasedAtMs: Math.max(Date.now(), brakeReleasedAtMs + 1) };
}
