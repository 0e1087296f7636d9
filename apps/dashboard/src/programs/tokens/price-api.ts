import { Inject, Injectable } from '@nestjs/common';
import type { PriceReference } from '@paymaster/domain';
import { HttpPriceSource } from '@paymaster/pricing';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';

/** The price API of the gateways, where the operator has named it to the dashboard too. */
@Injectable()
export class PriceApi {
  private readonly source: HttpPriceSource | undefined;

  constructor(
    @Inject(DashboardConfig)
    config: Pick<DashboardConfig, 'priceApiUrl' | 'priceApiKey' | 'priceApiKeyHeader'>,
  ) {
    const { priceApiUrl: baseUrl, priceApiKey: value, priceApiKeyHeader: header } = config;
    if (baseUrl !== undefined)
      this.source = new HttpPriceSource({ baseUrl, key: value ? { header, value } : undefined });
  }

  /**
   * Refuses an id that the API says it does not know. While the API does not answer, or owners have asked it ten times
   * within a minute, nothing is refused: such a token has no price until gateways get one, which `GET /price` shows.
   *
   * @throws {InvalidBodyError} naming the field
   */
  async assertKnows(price: PriceReference): Promise<void> {
    if (price.apiId === null || !this.source) return;
    const [answer] = await this.source.read([price], 'owners');
    if (answer && 'fault' in answer && answer.fault === 'API_ID_UNKNOWN') {
      throw new InvalidBodyError('price.apiId is not known to the price API: check it, or name another source');
    }
  }
}
