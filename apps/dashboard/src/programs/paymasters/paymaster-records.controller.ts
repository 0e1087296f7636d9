import { Body, Get, Param, Patch, Post } from '@nestjs/common';
import type { Account } from '../../access/accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount, CurrentActor } from '../../access/callers/caller';
import { InvalidBodyError, PaymasterNameExistsError, UserNotFoundError } from '../../platform/http/dashboard-errors';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { PaymasterRecordView, PaymasterSummaryView } from './paymaster-record.view';
import { PaymasterRecordsService } from './paymaster-records.service';
import { UpdatePaymasterDto } from './update-paymaster.dto';

/** Beyond the interface document: paymasters by their ids, without their keys. */
@ApiController('paymasters')
export class PaymasterRecordsController {
  constructor(private readonly paymasters: PaymasterRecordsService) {}

  @Get('account/paymasters')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'listAccountPaymasters',
    summary: 'List all paymasters of the account by their ids, archived ones too, without keys',
    data: [PaymasterSummaryView],
    message: 'Paymasters fetched',
  })
  list(@CurrentAccount() account: Account): Promise<PaymasterSummaryView[]> {
    return this.paymasters.list(account);
  }

  @Get('paymaster/:paymasterId')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'getPaymaster',
    summary: 'Show a paymaster without its key, and how much belongs to it',
    data: PaymasterRecordView,
    message: 'Paymaster fetched',
    refusals: [new UserNotFoundError()],
  })
  show(@CurrentAccount() { id }: Account, @Param('paymasterId') paymasterId: string): Promise<PaymasterRecordView> {
    return this.paymasters.show(id, paymasterId);
  }

  @Patch('paymaster/:paymasterId')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'renamePaymaster',
    summary: 'Rename a paymaster, or say to which project it belongs',
    data: PaymasterRecordView,
    message: 'Paymaster renamed',
    refusals: [
      new InvalidBodyError('name or project must be sent'),
      new PaymasterNameExistsError(),
      new UserNotFoundError(),
    ],
  })
  update(
    @CurrentActor() actor: Actor,
    @Param('paymasterId') paymasterId: string,
    @Body() body: UpdatePaymasterDto,
  ): Promise<PaymasterRecordView> {
    return this.paymasters.update(actor, paymasterId, body);
  }

  @Post('paymaster/:paymasterId/archive')
  @TakesNoFields()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'archivePaymaster',
    summary: 'Archive a paymaster: gateways take all of its keys for unknown ones; nothing is deleted',
    data: PaymasterRecordView,
    message: 'Paymaster archived',
    refusals: [new UserNotFoundError()],
  })
  archive(@CurrentActor() actor: Actor, @Param('paymasterId') paymasterId: string): Promise<PaymasterRecordView> {
    return this.paymasters.archive(actor, paymasterId);
  }

  @Post('paymaster/:paymasterId/restore')
  @TakesNoFields()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'restorePaymaster',
    summary: 'Restore an archived paymaster: it works as before',
    data: PaymasterRecordView,
    message: 'Paymaster restored',
    refusals: [new UserNotFoundError()],
  })
  restore(@CurrentActor() actor: Actor, @Param('paymasterId') paymasterId: string): Promise<PaymasterRecordView> {
    return this.paymasters.restore(actor, paymasterId);
  }
}
