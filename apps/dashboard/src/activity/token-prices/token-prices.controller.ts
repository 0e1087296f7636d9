import { Get } from '@nestjs/common';
import { Gateways } from '../../outbound/gateways/gateways.service';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentPaymaster } from '../../access/callers/caller';
import { GatewayUnavailableError } from '../../platform/http/dashboard-errors';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { TokenPricesView, toTokenPricesView } from './token-prices.view';

/** What tokens are worth now. */
@ApiController('tokens', 'price')
export class TokenPricesController {
  constructor(private readonly gateways: Gateways) {}

  @Get()
  @TakesTurns('always')
  @Authenticated()
  @AnswersWith({
    operationId: 'getPrices',
    summary: 'Show the price of each token of the paymaster, its sources and age, and what the wallet may lose by it',
    data: TokenPricesView,
    message: 'Prices fetched',
    refusals: [new GatewayUnavailableError()],
  })
  async show(@CurrentPaymaster() { chainId, apiKeyIndex }: Paymaster): Promise<TokenPricesView> {
    return toTokenPricesView(await this.gateways.ask('prices', { chainId, apiKeyIndex }));
  }
}
