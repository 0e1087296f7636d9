import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Actor } from '../../platform/audit/actor';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import {
  InvalidBodyError,
  LimitReachedError,
  PolicyNotFoundError,
  VersionConflictError,
} from '../../platform/http/dashboard-errors';
import { assertWithinPoliciesLimits, type PoliciesLimits } from '../policies/policies-limits';
import { PoliciesRepository } from '../policies/policies.repository';
import { PolicyDataParser } from '../policies/policy-data.parser';
import type { SharedPolicyContent, SharedPolicyType } from '../policies/shared-policy';
import { PolicyWriter } from '../policy-changes/policy-writer';
import { SharedPoliciesRepository } from './shared-policies.repository';
import type { CreateSharedPolicyDto, UpdateSharedPolicyDto } from './shared-policy.dto';
import {
  toSharedPolicyChange,
  toSharedPolicyView,
  type SharedPolicyView,
  type SharingPaymasterView,
  type StoredSharedPolicy,
} from './shared-policy.view';

const MAX_SHARED_POLICIES = 50;

/** Policies of an account that several of its paymasters share (docs/architecture/rules.md). */
@Injectable()
export class SharedPoliciesService {
  constructor(
    private readonly shared: SharedPoliciesRepository,
    private readonly policies: PoliciesRepository,
    private readonly writer: PolicyWriter,
    private readonly parser: PolicyDataParser,
    @Inject(DashboardConfig) private readonly limits: PoliciesLimits,
  ) {}

  /** Oldest first. */
  async list(accountId: string): Promise<SharedPolicyView[]> {
    return (await this.shared.listOf(accountId)).map(toSharedPolicyView);
  }

  /** The paymasters that could share a policy, with those that they do. */
  paymasters(accountId: string): Promise<SharingPaymasterView[]> {
    return this.shared.paymastersOfAccount(accountId);
  }

  /** In force at once, for all of its paymasters. @throws {InvalidBodyError} {@link LimitReachedError} */
  async create(
    actor: Actor,
    { name, policyType, policyData, paymasterIds }: CreateSharedPolicyDto,
  ): Promise<SharedPolicyView> {
    const policy: StoredSharedPolicy = {
      ...{ id: randomUUID(), name, active: true, version: 1, createdAt: new Date() },
      paymasterIds: inOneForm(paymasterIds),
      ...this.contentOf(policyType, policyData),
    };
    const { accountId } = actor;
    await this.writer.writeShared(actor, async ({ manager, step, record }) => {
      await this.assertPaymastersFit(manager, accountId, policy);
      await this.shared.insert(manager, accountId, policy);
      if ((await this.shared.listOf(accountId, manager)).length > MAX_SHARED_POLICIES) {
        throw new LimitReachedError(`An account can have at most ${MAX_SHARED_POLICIES} shared policies`);
      }
      await step(policy.paymasterIds);
      await this.refuseBeyondLimits(manager, policy);
      record(toSharedPolicyChange(policy.id, null, policy));
    });
    return toSharedPolicyView(policy);
  }

  /**
   * Changes what was sent, leaves the rest. A paymaster that leaves the list no longer claims the limits; what it holds
   * and has spent goes on counting.
   *
   * @throws {PolicyNotFoundError} {@link InvalidBodyError} {@link LimitReachedError}
   *   {@link VersionConflictError} when the policy is not at the version that was expected
   */
  async update(
    actor: Actor,
    policyId: string,
    { name, active, policyData, paymasterIds, expectedVersion }: UpdateSharedPolicyDto,
  ): Promise<SharedPolicyView> {
    const { accountId } = actor;
    return this.writer.writeShared(actor, async ({ manager, step, record }) => {
      const before = await this.findOrFail(manager, accountId, policyId);
      if (expectedVersion !== undefined && expectedVersion !== before.version) {
        throw new VersionConflictError('policy', before.version);
      }
      const content = policyData === undefined ? before : this.contentOf(before.policyType, policyData);
      const after = {
        ...before,
        ...content,
        name: name ?? before.name,
        active: active ?? before.active,
        paymasterIds: paymasterIds ? inOneForm(paymasterIds) : before.paymasterIds,
        version: before.version + 1,
      } as StoredSharedPolicy;
      await this.assertPaymastersFit(manager, accountId, after);
      await step(inOneForm([...before.paymasterIds, ...after.paymasterIds]));
      await this.shared.update(manager, after);
      await this.refuseBeyondLimits(manager, after);
      record(toSharedPolicyChange(after.id, before, after));
      return toSharedPolicyView(after);
    });
  }

  /** @throws {PolicyNotFoundError} */
  async delete(actor: Actor, policyId: string): Promise<void> {
    await this.writer.writeShared(actor, async ({ manager, step, record }) => {
      const policy = await this.findOrFail(manager, actor.accountId, policyId);
      await step(policy.paymasterIds);
      await this.shared.delete(manager, policy.id);
      record(toSharedPolicyChange(policy.id, policy, null));
    });
  }

  private contentOf(policyType: SharedPolicyType, policyData: object): SharedPolicyContent {
    const where = 'policyData';
    if (policyType === 'RULES') return this.parser.parse({ policyType, policyData, where }) as SharedPolicyContent;
    return { policyType, policyData: this.parser.parseSpendingLimits(policyData, where) };
  }

  /** @throws {InvalidBodyError} for paymasters that are not the account's, or on chains that a limit cannot span */
  private async assertPaymastersFit(
    manager: EntityManager,
    accountId: string,
    { paymasterIds, policyData }: StoredSharedPolicy,
  ): Promise<void> {
    const found = await this.shared.paymastersOf(manager, { accountId, ids: paymasterIds });
    if (found.length < paymasterIds.length) {
      throw new InvalidBodyError('paymasterIds must be those of paymasters of this account');
    }
    const isOneChain = new Set(found.map(({ chainId }) => chainId)).size === 1;
    const addsWei = policyData.limits?.some(({ scope, measure }) => measure === 'WEI' && scope !== 'OPERATION');
    if (!isOneChain && addsWei) {
      throw new InvalidBodyError(
        'policyData: limits over paymasters of several chains must measure USD or COUNT: their coins are not worth the same',
      );
    }
  }

  /** After the write, in its transaction, which holds the rows of the paymasters: what is refused is rolled back. */
  private async refuseBeyondLimits(manager: EntityManager, { paymasterIds }: StoredSharedPolicy): Promise<void> {
    for (const id of paymasterIds) assertWithinPoliciesLimits(await this.policies.allOf(id, manager), this.limits);
  }

  private async findOrFail(manager: EntityManager, accountId: string, id: string): Promise<StoredSharedPolicy> {
    const policy = await this.shared.find(manager, { accountId, id });
    if (!policy) throw new PolicyNotFoundError();
    return policy;
  }
}

function inOneForm(ids: readonly string[]): readonly string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))].sort();
}
