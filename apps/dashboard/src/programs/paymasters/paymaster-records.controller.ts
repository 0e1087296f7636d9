import { Body, Controller, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Account } from '../../access/accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount, CurrentActor } from '../../access/callers/caller';
import { InvalidBodyError, PaymasterNameExistsError, UserNotFoundError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { TakesNoFields } from '../../platform/http/no-fields.interceptor';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { unknownField } from '../../platform/http/wrong-fields';
import { PaymasterRecordView, PaymasterSummaryView } from './paymaster-record.view';
import { PaymasterRecordsService } from './paymaster-records.service';
import { RenamePaymasterDto } from './rename-paymaster.dto';

const TAKES_NO_FIELD = new InvalidBodyError(unknownField('reason'));

/** Beyond the interface document: paymasters by their ids, without their keys. */
@ApiTags('paymasters')
@Controller(SDK_PATH)
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
  async list(@CurrentAccount() account: Account): Promise<Envelope<PaymasterSummaryView[]>> {
    return ok('Paymasters fetched', await this.paymasters.list(account));
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
  async show(
    @CurrentAccount() { id }: Account,
    @Param('paymasterId') paymasterId: string,
  ): Promise<Envelope<PaymasterRecordView>> {
    return ok('Paymaster fetched', await this.paymasters.show(id, paymasterId));
  }

  @Patch('paymaster/:paymasterId')
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'renamePaymaster',
    summary: 'Rename a paymaster',
    data: PaymasterRecordView,
    message: 'Paymaster renamed',
    refusals: [new PaymasterNameExistsError(), new UserNotFoundError()],
  })
  async rename(
    @CurrentActor() actor: Actor,
    @Param('paymasterId') paymasterId: string,
    @Body() { name }: RenamePaymasterDto,
  ): Promise<Envelope<PaymasterRecordView>> {
    return ok('Paymaster renamed', await this.paymasters.rename(actor, paymasterId, name));
  }

  @Post('paymaster/:paymasterId/archive')
  @HttpCode(200)
  @TakesNoFields()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'archivePaymaster',
    summary: 'Archive a paymaster: gateways take all of its keys for unknown ones; nothing is deleted',
    data: PaymasterRecordView,
    message: 'Paymaster archived',
    refusals: [TAKES_NO_FIELD, new UserNotFoundError()],
  })
  async archive(
    @CurrentActor() actor: Actor,
    @Param('paymasterId') paymasterId: string,
  ): Promise<Envelope<PaymasterRecordView>> {
    return ok('Paymaster archived', await this.paymasters.archive(actor, paymasterId));
  }

  @Post('paymaster/:paymasterId/restore')
  @HttpCode(200)
  @TakesNoFields()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'restorePaymaster',
    summary: 'Restore an archived paymaster: it works as before',
    data: PaymasterRecordView,
    message: 'Paymaster restored',
    refusals: [TAKES_NO_FIELD, new UserNotFoundError()],
  })
  async restore(
    @CurrentActor() actor: Actor,
    @Param('paymasterId') paymasterId: string,
  ): Promise<Envelope<PaymasterRecordView>> {
    return ok('Paymaster restored', await this.paymasters.restore(actor, paymasterId));
  }
}
