import { Inject, Injectable } from '@nestjs/common';
import { normalizeAddress } from '@paymaster/domain';
import { SupportedChains } from '../chains/supported-chains';
import { DashboardConfig } from '../config/dashboard.config';
import { InvalidBodyError } from '../http/dashboard-errors';
import { PolicyWriter } from '../policy-snapshots/policy-writer';
import type { Paymaster, StoredSettings } from './paymaster';
import { PaymastersRepository } from './paymasters.repository';
import { toSettingsView, type SettingsView } from './settings.view';
import type { UpdateSettingsDto } from './update-settings.dto';

/** The switches of a paymaster (decisions, section 2). */
@Injectable()
export class PaymasterSettingsService {
  constructor(
    @Inject(PaymastersRepository) private readonly paymasters: PaymastersRepository,
    @Inject(PolicyWriter) private readonly policies: PolicyWriter,
    @Inject(SupportedChains) private readonly chains: SupportedChains,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'maxExpirySeconds'>,
  ) {}

  show(paymaster: Paymaster): SettingsView {
    return toSettingsView(paymaster.settings);
  }

  /**
   * Changes what was sent, leaves the rest; two changes at once do not undo each other.
   *
   * @throws {InvalidBodyError}
   */
  async update(paymaster: Paymaster, request: UpdateSettingsDto): Promise<SettingsView> {
    const changes = toChanges(request);
    this.refuseOutOfBounds(paymaster, changes);
    const settings = await this.policies.write(paymaster.id, async (manager) => {
      const merged = { ...(await this.paymasters.findSettings(manager, paymaster.id)), ...changes };
      await this.paymasters.setSettings(manager, paymaster.id, merged);
      return merged;
    });
    return toSettingsView(settings);
  }

  private refuseOutOfBounds({ chainId }: Paymaster, changes: Partial<StoredSettings>): void {
    const { maxExpirySeconds = 0, tokenFeeReceiver } = changes;
    const ceiling = this.config.maxExpirySeconds;
    if (maxExpirySeconds > ceiling) throw new InvalidBodyError(`maxExpirySeconds must not be greater than ${ceiling}`);
    // Tokens sent there would belong to nobody.
    if (tokenFeeReceiver && this.chains.isInfrastructure(chainId, tokenFeeReceiver)) {
      throw new InvalidBodyError('tokenFeeReceiver must not be an EntryPoint or a paymaster of this platform');
    }
  }
}

/** What was sent, as the domain has it. */
function toChanges({ maxOperationCostWei, tokenFeeReceiver, ...rest }: UpdateSettingsDto): Partial<StoredSettings> {
  const sent = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...sent,
    ...(maxOperationCostWei !== undefined && { maxOperationCostWei: orNull(maxOperationCostWei, BigInt) }),
    ...(tokenFeeReceiver !== undefined && { tokenFeeReceiver: orNull(tokenFeeReceiver, normalizeAddress) }),
  };
}

function orNull<T>(value: string | null, convert: (value: string) => T): T | null {
  return value === null ? null : convert(value);
}
