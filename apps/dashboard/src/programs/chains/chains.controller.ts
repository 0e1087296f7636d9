import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { ok, type Envelope } from '../../platform/http/envelope';
import { OF_ACCOUNT } from '../../access/callers/of-account';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { ChainView, toChainView } from './chain.view';
import { SupportedChains } from '../../platform/chains/supported-chains';

/** What the operator serves. */
@ApiTags('chains')
@Controller(`${SDK_PATH}/chains`)
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
  list(): Envelope<ChainView[]> {
    return ok('Chains fetched', this.chains.all().map(toChainView));
  }
}
