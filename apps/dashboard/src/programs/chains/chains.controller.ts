import { Get } from '@nestjs/common';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { ChainView, toChainView } from './chain.view';
import { SupportedChains } from '../../platform/chains/supported-chains';

/** What the operator serves. */
@ApiController('chains', 'chains')
export class ChainsController {
  constructor(private readonly chains: SupportedChains) {}

  @Get()
  @Authenticated(OF_ACCOUNT)
  @AnswersWith({
    operationId: 'listChains',
    summary: 'List the chains on which paymasters can be registered',
    data: [ChainView],
    message: 'Chains fetched',
  })
  list(): ChainView[] {
    return this.chains.all().map(toChainView);
  }
}
