import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { AuditLogRepository } from '../../platform/audit/audit-log.repository';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { isUuid } from '../../platform/database/uuid';
import type { Editor } from '../../access/callers/caller';
import { InvalidBodyError, PolicyNotFoundError, VersionConflictError } from '../../platform/http/dashboard-errors';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { PolicyWriter, type PolicyWrite } from '../policy-changes/policy-writer';
import { assertWithinPoliciesLimits, type PoliciesLimits } from './policies-limits';
import { PoliciesRepository } from './policies.repository';
import type { Policy } from './policy';
import { PolicyDataParser } from './policy-data.parser';
import type { CreatePolicyDto, UpdateLimitDto, UpdatePolicyDto } from './policy.dto';
import {
  shownPolicy,
  toPolicyChange,
  toPolicyChangeView,
  toPolicyView,
  type PolicyChangeView,
  type PolicyView,
} from './policy.view';

/** Which policy, and who changes it. */
export interface PolicyEdit extends Editor {
  readonly policyId: string;
}

/** Ends a write that would change nothing. */
class PresentAlready extends Error {}

/** The sponsorship policies of a paymaster (docs/architecture/rules.md). */
@Injectable()
export class PoliciesService {
  constructor(
    private readonly policies: PoliciesRepository,
    private readonly writer: PolicyWriter,
    private readonly parser: PolicyDataParser,
    private readonly auditLog: AuditLogRepository,
    @Inject(DashboardConfig) private readonly limits: PoliciesLimits,
  ) {}

  /** Every policy, paused ones too, oldest first. @param may what the caller may do */
  async list(paymaster: Paymaster, may: readonly Need[], withVersion: boolean): Promise<PolicyView[]> {
    const policies = await this.policies.listOf(paymaster.id);
    return policies.map((policy) => toPolicyView(shownPolicy(policy, may), paymaster, withVersion));
  }

  /** @throws {PolicyNotFoundError} */
  async show(paymaster: Paymaster, policyId: string, may: readonly Need[]): Promise<PolicyView> {
    return toPolicyView(shownPolicy(await this.findOrFail(paymaster.id, policyId), may), paymaster);
  }

  /** A new policy, in force at once. @throws {InvalidBodyError} {@link LimitReachedError} */
  async create(editor: Editor, request: CreatePolicyDto): Promise<PolicyView> {
    return this.add(editor, request);
  }

  /**
   * As {@link create}; where the paymaster has a policy of this name that says the same, nothing is changed.
   *
   * @throws {InvalidBodyError} {@link LimitReachedError} the former also where a policy of this name says something else
   */
  async createOnce(editor: Editor, request: CreatePolicyDto): Promise<'created' | 'unchanged'> {
    const stopIfPresent = (present: readonly Policy[]) => {
      const named = present.filter(({ name }) => name === request.name);
      if (named.some((policy) => this.saysTheSame(policy, request))) throw new PresentAlready();
      if (named.length > 0) throw new InvalidBodyError('name is that of another policy of this paymaster');
    };
    try {
      // Before the write too, which makes a new version of the paymaster.
      stopIfPresent(await this.policies.listOf(editor.paymaster.id));
      await this.add(editor, request, stopIfPresent);
      return 'created';
    } catch (error) {
      if (error instanceof PresentAlready) return 'unchanged';
      throw error;
    }
  }

  /** @throws {InvalidBodyError} for a policy that no paymaster can have */
  assertPossible({ policyType, policyData }: CreatePolicyDto): void {
    this.parser.parse({ policyType, policyData, where: 'policyData' });
  }

  /** With the same data, a limit keeps its cycle. */
  private saysTheSame(policy: Policy, { policyType, policyData }: CreatePolicyDto): boolean {
    if (policy.policyType !== policyType) return false;
    const content = this.parser.parse({ policyType, policyData, where: 'policyData', previous: policy });
    return isDeepStrictEqual({ ...content.policyData }, { ...policy.policyData });
  }

  /** @param check refuses by what there is, read within the write */
  private async add(
    { paymaster, actor }: Editor,
    { name, policyType, policyData }: CreatePolicyDto,
    check?: (present: readonly Policy[]) => void,
  ): Promise<PolicyView> {
    const content = this.parser.parse({ policyType, policyData, where: 'policyData' });
    const own = { id: randomUUID(), paymasterId: paymaster.id, createdBy: actor.accountId };
    const policy: Policy = { ...own, name, active: true, version: 1, ...content };
    await this.writer.write({ paymasterId: paymaster.id, actor }, async (write) => {
      check?.(await this.policies.listOf(paymaster.id, write.manager));
      await this.policies.insert(write.manager, policy);
      await this.refuseBeyondLimits(write, paymaster);
      write.record(toPolicyChange(null, policy));
    });
    return toPolicyView(policy, paymaster);
  }

  /**
   * Changes what was sent, leaves the rest; two changes at once do not undo each other.
   *
   * @param may what the caller may do
   * @throws {PolicyNotFoundError} {@link InvalidBodyError} {@link LimitReachedError}
   *   {@link VersionConflictError} when the policy is not at the version that was expected
   */
  async update(
    edit: PolicyEdit,
    { name, priority, policyData, expectedVersion }: UpdatePolicyDto,
    may: readonly Need[],
  ): Promise<PolicyView> {
    if (priority !== undefined && policyData !== undefined) {
      throw new InvalidBodyError('priority must be sent in policyData, or without it');
    }
    const updated = await this.edit(edit, (policy) => {
      if (expectedVersion !== undefined && expectedVersion !== policy.version) {
        throw new VersionConflictError('policy', policy.version);
      }
      const renamed = { ...policy, ...(name !== undefined && { name }) };
      if (priority !== undefined && policy.policyType !== 'RULES') {
        throw new InvalidBodyError('priority is for policies of type RULES');
      }
      const data = priority === undefined ? policyData : { ...policy.policyData, priority };
      return data === undefined ? renamed : this.withData(renamed, data, 'policyData');
    });
    return toPolicyView(shownPolicy(updated, may), edit.paymaster, expectedVersion !== undefined);
  }

  /**
   * Changes what was sent of a PAYMASTER_SA_LIMIT. A new limit starts a new cycle, a new name does not.
   *
   * @throws {PolicyNotFoundError} {@link InvalidBodyError}
   */
  async updateLimit(edit: PolicyEdit, { name, ...terms }: UpdateLimitDto): Promise<void> {
    const sent = Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
    await this.edit(edit, (policy) => {
      if (policy.policyType !== 'PAYMASTER_SA_LIMIT') {
        throw new InvalidBodyError('policyId must be that of a policy of type PAYMASTER_SA_LIMIT');
      }
      const renamed = { ...policy, ...(name !== undefined && { name }) };
      return this.withData(renamed, { ...policy.policyData, ...sent }, '');
    });
  }

  /** Pauses a policy, or puts it in force again; its cycles go on. @throws {PolicyNotFoundError} */
  async setActive(edit: PolicyEdit, active: boolean): Promise<void> {
    await this.edit(edit, (policy) => ({ ...policy, active }));
  }

  /** @throws {PolicyNotFoundError} */
  async delete({ paymaster, actor, policyId }: PolicyEdit): Promise<void> {
    await this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      const policy = await this.findOrFail(paymaster.id, policyId, manager);
      await this.policies.delete(manager, policy.id);
      record(toPolicyChange(policy, null));
    });
  }

  /** Who changed a policy, newest first; also of one that is deleted. @throws {PolicyNotFoundError} */
  async history(paymaster: Paymaster, policyId: string, beforeVersion?: number): Promise<PolicyChangeView[]> {
    if (!isUuid(policyId)) throw new PolicyNotFoundError();
    const subject = { paymasterId: paymaster.id, subject: 'policy', subjectId: policyId.toLowerCase() } as const;
    const entries = await this.auditLog.historyOf({ ...subject, beforeVersion });
    if (entries.length === 0 && beforeVersion === undefined) throw new PolicyNotFoundError();
    return entries.map(toPolicyChangeView);
  }

  private async edit({ paymaster, actor, policyId }: PolicyEdit, change: (policy: Policy) => Policy): Promise<Policy> {
    return this.writer.write({ paymasterId: paymaster.id, actor }, async (write) => {
      const policy = await this.findOrFail(paymaster.id, policyId, write.manager);
      const changed = { ...change(policy), version: policy.version + 1 };
      await this.policies.update(write.manager, changed);
      await this.refuseBeyondLimits(write, paymaster);
      write.record(toPolicyChange(policy, changed));
      return changed;
    });
  }

  private withData(policy: Policy, policyData: object, where: string): Policy {
    const content = this.parser.parse({ policyType: policy.policyType, policyData, where, previous: policy });
    return { ...policy, ...content } as Policy;
  }

  /** After the write, in its transaction, which holds the paymaster's row: what is refused is rolled back. */
  private async refuseBeyondLimits({ manager }: PolicyWrite, paymaster: Paymaster): Promise<void> {
    assertWithinPoliciesLimits(await this.policies.allOf(paymaster.id, manager), this.limits);
  }

  private async findOrFail(paymasterId: string, id: string, manager?: PolicyWrite['manager']): Promise<Policy> {
    const policy = await this.policies.find({ paymasterId, id }, manager);
    if (!policy) throw new PolicyNotFoundError();
    return policy;
  }
}
