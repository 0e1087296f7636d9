import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Account } from '../../accounts/account';
import { Authenticated } from '../../http/authenticated.decorator';
import { CurrentAccount } from '../../http/caller';
import { ChainNotSupportedError, PaymasterNameExistsError } from '../../http/dashboard-errors';
import { ok, type Envelope } from '../../http/envelope';
import { InterfaceRow } from '../../http/interface-row';
import { AnswersWith } from '../../http/openapi.decorators';
import { SDK_PATH } from '../../http/sdk-path';
import { CreatePaymasterDto } from './create-paymaster.dto';
import { PaymasterView } from './paymaster.view';
import { PaymastersService } from './paymasters.service';

@ApiTags('paymasters')
@Controller(`${SDK_PATH}/paymaster`)
export class PaymastersController {
  constructor(@Inject(PaymastersService) private readonly paymasters: PaymastersService) {}

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
