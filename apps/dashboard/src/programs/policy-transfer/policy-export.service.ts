import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { toSettingsView } from '../paymasters/settings.view';
import type { Need } from '../../access/people/role';
import { PoliciesRepository } from '../policies/policies.repository';
import { shownPolicy } from '../policies/policy.view';
import { SmartContractsRepository } from '../smart-contracts/smart-contracts.repository';
import { FORMAT_VERSION, SPONSORSHIP_SETTINGS, type PolicyDocumentDto } from './policy-document.dto';

/** All that a paymaster sponsors, as one document. */
@Injectable()
export class PolicyExportService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly paymasters: PaymastersRepository,
    private readonly policies: PoliciesRepository,
    private readonly contracts: SmartContractsRepository,
  ) {}

  /** One transaction snapshot, so that the document is what stood at its version. @param may what the caller may do */
  async export({ id }: Paymaster, may: readonly Need[]): Promise<PolicyDocumentDto> {
    return this.dataSource.transaction('REPEATABLE READ', async (manager) => {
      const { name, chainId, policyVersion, settings } = await this.paymasters.get(manager, id);
      const view = toSettingsView(settings);
      return {
        formatVersion: FORMAT_VERSION,
        version: policyVersion,
        paymaster: { name, chainId },
        policies: (await this.policies.listOf(id, manager)).map((policy) => {
          const { id: policyId, name: policyName, policyType, active, policyData } = shownPolicy(policy, may);
          return { policyId, name: policyName, policyType, active, policyData };
        }),
        contracts: (await this.contracts.listOf(id, manager)).map((contract) => ({
          name: contract.name,
          address: contract.address,
          whitelistedMethods: [...contract.whitelistedMethods],
          abi: contract.abi,
        })),
        settings: Object.fromEntries(SPONSORSHIP_SETTINGS.map((key) => [key, view[key]])),
      };
    });
  }
}
