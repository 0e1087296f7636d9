import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Account } from '../../access/accounts/account';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount } from '../../access/callers/caller';
import { ChainNotSupportedError, PaymasterNameExistsError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { InterfaceRow } from '../../platform/http/interface-row';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { CreatePaymasterDto } from './create-paymaster.dto';
import { PaymasterView } from './paymaster.view';
import { PaymastersService } from './paymasters.service';

@ApiTags('paymasters')
@Controller(`${SDK_PATH}/paymaster`)
export class PaymastersController {
  constructor(private readonly paymasters: PaymastersService) {}

  /** Operation 1. */
  @Get()
  @InterfaceRow()
  @Authenticated({ needsApiKey: false, needs: 'readSecrets' })
  @AnswersWith({
    operationId: 'listPaymasters',
    summary: 'List paymasters',
    data: [PaymasterView],
    message: 'DApp list fetched',
  })
  async list(@CurrentAccount() account: Account): Promise<Envelope<PaymasterView[]>> {
    return ok('DApp list fetched', await this.paymasters.list(account));
  }

  /** Operation 2. */
  @Post()
  @HttpCode(200)
  @InterfaceRow()
  @Authenticated({ needsApiKey: false, missingHeader: 'Auth token is required in the headers' })
  @AnswersWith({
    operationId: 'createPaymaster',
    summary: 'Create a paymaster',
    data: PaymasterView,
    message: 'DApp registered successfully',
    refusals: [new PaymasterNameExistsError(), new ChainNotSupportedError()],
  })
  async create(@CurrentAccount() account: Account, @Body() body: CreatePaymasterDto): Promise<Envelope<PaymasterView>> {
    return ok('DApp registered successfully', await this.paymasters.create(account, body));
  }
}
