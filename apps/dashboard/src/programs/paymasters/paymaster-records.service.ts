import { Injectable } from '@nestjs/common';
import type { Account } from '../../access/accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { onUniqueViolation } from '../../platform/database/unique-violation';
import { InvalidBodyError, PaymasterNameExistsError, UserNotFoundError } from '../../platform/http/dashboard-errors';
import { PolicyWriter } from '../policy-changes/policy-writer';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import type { UpdatePaymasterDto } from './update-paymaster.dto';
import { toPaymasterSummaryView, type PaymasterRecordView, type PaymasterSummaryView } from './paymaster-record.view';

/** Paymasters by their ids: to show, rename, move into projects, archive and restore them. */
@Injectable()
export class PaymasterRecordsService {
  constructor(
    private readonly paymasters: PaymastersRepository,
    private readonly policies: PolicyWriter,
  ) {}

  /** Every paymaster of the account, archived ones too, oldest first. */
  async list(account: Account): Promise<PaymasterSummaryView[]> {
    return (await this.paymasters.listOf(account.id)).map(toPaymasterSummaryView);
  }

  /** @throws {UserNotFoundError} also for another account's paymaster */
  async show(accountId: string, paymasterId: string): Promise<PaymasterRecordView> {
    const paymaster = await this.findOrFail(accountId, paymasterId);
    const { policyVersion } = paymaster;
    return {
      ...toPaymasterSummaryView(paymaster),
      ...{ policyVersion, counts: await this.paymasters.countsOf(paymaster.id) },
    };
  }

  /**
   * Changes what was sent, leaves the rest.
   *
   * @throws {UserNotFoundError} {@link PaymasterNameExistsError} {@link InvalidBodyError}
   */
  async update(actor: Actor, paymasterId: string, { name, project }: UpdatePaymasterDto): Promise<PaymasterRecordView> {
    if (name === undefined && project === undefined) throw new InvalidBodyError('name or project must be sent');
    const sent = { ...(name !== undefined && { name }), ...(project !== undefined && { project }) };
    return onUniqueViolation({ paymasters_chain_id_name_key: () => new PaymasterNameExistsError() }, () =>
      this.change(actor, paymasterId, (before) => ({ ...before, ...sent })),
    );
  }

  /** Gateways take its keys for unknown ones from now on; nothing of it is deleted. @throws {UserNotFoundError} */
  async archive(actor: Actor, paymasterId: string): Promise<PaymasterRecordView> {
    return this.change(actor, paymasterId, (before) => ({ ...before, archivedAt: before.archivedAt ?? new Date() }));
  }

  /** It works as before it was archived. @throws {UserNotFoundError} */
  async restore(actor: Actor, paymasterId: string): Promise<PaymasterRecordView> {
    return this.change(actor, paymasterId, (before) => ({ ...before, archivedAt: null }));
  }

  private async change(
    actor: Actor,
    paymasterId: string,
    changeOf: (before: Paymaster) => Paymaster,
  ): Promise<PaymasterRecordView> {
    const { id } = await this.findOrFail(actor.accountId, paymasterId);
    await this.policies.write({ paymasterId: id, actor }, async ({ manager, record }) => {
      const before = await this.paymasters.get(manager, id);
      const after = changeOf(before);
      await this.paymasters.update(manager, id, {
        name: after.name,
        project: after.project,
        archivedAt: after.archivedAt,
      });
      record({ subject: 'paymaster', subjectId: id, before: toLogged(before), after: toLogged(after) });
    });
    return this.show(actor.accountId, id);
  }

  private async findOrFail(accountId: string, paymasterId: string): Promise<Paymaster> {
    const paymaster = await this.paymasters.findById(accountId, paymasterId);
    if (!paymaster) throw new UserNotFoundError();
    return paymaster;
  }
}

const toLogged = ({ name, project, archivedAt }: Paymaster) => ({
  ...{ name, ...(project !== null && { project }) },
  isArchived: archivedAt !== null,
});
