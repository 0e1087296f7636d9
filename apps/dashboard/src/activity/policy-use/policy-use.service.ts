import { Injectable } from '@nestjs/common';
import type { SponsorshipPolicy } from '@paymaster/domain';
import { toPolicyMessage } from '@paymaster/messaging';
import { DataSource } from 'typeorm';
import { Gateways } from '../../outbound/gateways/gateways.service';
import { PolicyNotFoundError } from '../../platform/http/dashboard-errors';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PoliciesRepository } from '../../programs/policies/policies.repository';
import { sharedToSponsorshipPolicy } from '../../programs/policies/shared-policy';
import { toSponsorshipPolicy } from '../../programs/policies/to-sponsorship-policy';
import { SharedPoliciesRepository } from '../../programs/shared-policies/shared-policies.repository';
import { toLimitUseView, type LimitUseView } from './limit-use.view';

/** How much of the limits of a policy is used. */
@Injectable()
export class PolicyUseService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly policies: PoliciesRepository,
    private readonly shared: SharedPoliciesRepository,
    private readonly gateways: Gateways,
  ) {}

  /**
   * Of a policy of the paymaster, or of a shared one of its account; paused ones too.
   *
   * @param sender the account of which limits per user are shown
   * @throws {PolicyNotFoundError} {@link GatewayUnavailableError}
   */
  async of(paymaster: Paymaster, policyId: string, sender: string | undefined): Promise<LimitUseView[]> {
    const { id: paymasterId, chainId } = paymaster;
    const policy = toPolicyMessage(await this.findOrFail(paymaster, policyId));
    const asked = { chainId, paymasterId, policy, ...(sender !== undefined && { sender }) };
    return (await this.gateways.ask('limits', asked)).map(toLimitUseView);
  }

  private async findOrFail({ id: paymasterId, accountId }: Paymaster, id: string): Promise<SponsorshipPolicy> {
    const own = await this.policies.find({ paymasterId, id });
    if (own) return toSponsorshipPolicy(own);
    const shared = await this.shared.find(this.dataSource.manager, { accountId, id });
    if (!shared?.paymasterIds.includes(paymasterId)) throw new PolicyNotFoundError();
    return sharedToSponsorshipPolicy(shared);
  }
}
