import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../http/authenticated.decorator';
import { ok, type Envelope } from '../http/envelope';
import { OF_ACCOUNT } from '../http/of-account';
import { AnswersWith } from '../http/openapi.decorators';
import { SDK_PATH } from '../http/sdk-path';
import { ChainView, toChainView } from './chain.view';
import { SupportedChains } from './supported-chains';

/** What the operator serves. */
@ApiTags('chains')
@Controller(`${SDK_PATH}/chains`)
export class ChainsController {
  constructor(@Inject(SupportedChains) private readonly chains: SupportedChains) {}

  @Get()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'listChains',
    summary: 'List the chains on which paymasters can be registered',
    data: [ChainView],
    message: 'Chains fetched',
  })
  list(): Envelope<ChainView[]> {
    return ok('Chains fetched', this.chains.all().map(toChainView));
  }
}
