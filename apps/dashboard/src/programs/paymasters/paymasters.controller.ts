import { Body, Get, Post } from '@nestjs/common';
import type { Account } from '../../access/accounts/account';
import type { Actor } from '../../platform/audit/actor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount, CurrentActor } from '../../access/callers/caller';
import { ChainNotSupportedError, PaymasterNameExistsError } from '../../platform/http/dashboard-errors';
import { InterfaceRow } from '../../platform/http/interface-row';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { CreatePaymasterDto } from './create-paymaster.dto';
import { PaymasterView } from './paymaster.view';
import { PaymastersService } from './paymasters.service';

@ApiController('paymasters', 'paymaster')
export class PaymastersController {
  constructor(private readonly paymasters: PaymastersService) {}

  /** Operation 1. */
  @Get()
  @InterfaceRow()
  @Authenticated({ needsApiKey: false })
  @AnswersWith({
    operationId: 'listPaymasters',
    summary: 'List paymasters',
    data: [PaymasterView],
    message: 'DApp list fetched',
  })
  list(@CurrentAccount() account: Account, @CurrentActor() actor: Actor): Promise<PaymasterView[]> {
    return this.paymasters.list(account, actor);
  }

  /** Operation 2. */
  @Post()
  @InterfaceRow()
  @Authenticated({ needsApiKey: false, missingHeader: 'Auth token is required in the headers' })
  @AnswersWith({
    operationId: 'createPaymaster',
    summary: 'Create a paymaster',
    data: PaymasterView,
    message: 'DApp registered successfully',
    refusals: [new PaymasterNameExistsError(), new ChainNotSupportedError()],
  })
  create(@CurrentAccount() account: Account, @Body() body: CreatePaymasterDto): Promise<PaymasterView> {
    return this.paymasters.create(account, body);
  }
}
