import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AccountEventsRepository } from '../platform/account-events/account-events.repository';
import { UserNotFoundError } from '../platform/http/dashboard-errors';
import type { Paymaster } from '../access/paymasters/paymaster';
import { PaymastersRepository } from '../access/paymasters/paymasters.repository';
import type { Person } from '../access/people/person';
import { PolicyWriter, type PolicyWrite } from '../programs/policy-changes/policy-writer';
import { DeliveriesRepository } from '../outbound/webhooks/deliveries.repository';

/** Paymasters that the operator of the installation lets sign nothing, and lets go on. */
@Injectable()
export class Suspensions {
  constructor(
    private readonly paymasters: PaymastersRepository,
    private readonly policies: PolicyWriter,
    private readonly accountEvents: AccountEventsRepository,
    private readonly deliveries: DeliveriesRepository,
  ) {}

  /**
   * Gateways refuse for it from now on, and tell clients the reason. Of a suspended paymaster, the reason is replaced.
   *
   * @returns it as it is now
   * @throws {UserNotFoundError}
   */
  suspend(operator: Pick<Person, 'id'>, paymasterId: string, reason: string): Promise<Paymaster> {
    return this.change(operator, paymasterId, ({ suspendedAt }) => ({
      suspendedAt: suspendedAt ?? new Date(),
      suspensionReason: reason,
    }));
  }

  /** It works as before it was suspended. @returns it as it is now @throws {UserNotFoundError} */
  resume(operator: Pick<Person, 'id'>, paymasterId: string): Promise<Paymaster> {
    return this.change(operator, paymasterId, () => ({ suspendedAt: null, suspensionReason: null }));
  }

  private async change(
    { id: operatorId }: Pick<Person, 'id'>,
    paymasterId: string,
    suspensionOf: (before: Paymaster) => Pick<Paymaster, 'suspendedAt' | 'suspensionReason'>,
  ): Promise<Paymaster> {
    const paymaster = await this.paymasters.findOfAnyAccount(paymasterId);
    if (!paymaster) throw new UserNotFoundError();
    const { id, accountId } = paymaster;
    return this.policies.write({ paymasterId: id, actor: { accountId, operatorId } }, async (write) => {
      const before = await this.paymasters.get(write.manager, id);
      const after = { ...before, ...suspensionOf(before) };
      const { suspendedAt, suspensionReason } = after;
      await this.paymasters.update(write.manager, id, { suspendedAt, suspensionReason });
      write.record({ subject: 'paymaster', subjectId: id, before: toLogged(before), after: toLogged(after) });
      if (before.suspensionReason !== suspensionReason) await this.tell(write, after);
      return after;
    });
  }

  /** Tells pages that follow the account, and webhooks that want to know. */
  private async tell({ manager, version }: PolicyWrite, paymaster: Paymaster): Promise<void> {
    const { id: paymasterId, accountId, chainId, suspensionReason: reason } = paymaster;
    const [type, event] =
      reason === null
        ? (['paymaster.resumed', 'paymasterResumed'] as const)
        : (['paymaster.suspended', 'paymasterSuspended'] as const);
    const data = { paymasterId, ...(reason !== null && { reason }) };
    const body = JSON.stringify({ type, timestamp: new Date().toISOString(), data: { chainId, ...data } });
    await this.deliveries.enqueue(paymasterId, { event, eventId: randomUUID(), type, body }, manager);
    await this.accountEvents.append(manager, { accountId, type, data: { ...data, version } });
  }
}

const toLogged = ({ name, suspensionReason }: Paymaster) => ({ name, suspensionReason });
