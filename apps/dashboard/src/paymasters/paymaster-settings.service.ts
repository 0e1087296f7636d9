import { Inject, Injectable } from '@nestjs/common';
import type { PaymasterSettings } from '@paymaster/domain';
import { DashboardConfig } from '../config/dashboard.config';
import { InvalidBodyError } from '../http/dashboard-errors';
import { PolicyWriter } from '../policy-snapshots/policy-writer';
import type { Paymaster } from './paymaster';
import { PaymastersRepository } from './paymasters.repository';
import { toSettingsView, type SettingsView } from './settings.view';
import type { UpdateSettingsDto } from './update-settings.dto';

/** The switches of a paymaster (decisions, section 2). */
@Injectable()
export class PaymasterSettingsService {
  constructor(
    @Inject(PaymastersRepository) private readonly paymasters: PaymastersRepository,
    @Inject(PolicyWriter) private readonly policies: PolicyWriter,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'maxExpirySeconds'>,
  ) {}

  show(paymaster: Paymaster): SettingsView {
    return toSettingsView(paymaster.settings);
  }

  /** Changes what was sent, leaves the rest; two changes at once do not undo each other. */
  async update(paymaster: Paymaster, changes: UpdateSettingsDto): Promise<SettingsView> {
    const ceiling = this.config.maxExpirySeconds;
    if ((changes.maxExpirySeconds ?? 0) > ceiling) {
      throw new InvalidBodyError(`maxExpirySeconds must not be greater than ${ceiling}`);
    }
    const settings = await this.policies.write(paymaster.id, async (manager) => {
      const merged = merge(await this.paymasters.findSettings(manager, paymaster.id), changes);
      await this.paymasters.setSettings(manager, paymaster.id, merged);
      return merged;
    });
    return toSettingsView(settings);
  }
}

function merge(current: PaymasterSettings, { maxOperationCostWei, ...changes }: UpdateSettingsDto): PaymasterSettings {
  const sent = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const capWei = typeof maxOperationCostWei === 'string' ? BigInt(maxOperationCostWei) : maxOperationCostWei;
  return { ...current, ...sent, maxOperationCostWei: capWei === undefined ? current.maxOperationCostWei : capWei };
}
