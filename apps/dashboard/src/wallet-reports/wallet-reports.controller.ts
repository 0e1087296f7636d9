import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../http/authenticated.decorator';
import { CurrentPaymaster } from '../http/caller';
import { ChainUnavailableError } from '../http/dashboard-errors';
import { ok, type Envelope } from '../http/envelope';
import { AnswersWith } from '../http/openapi.decorators';
import { SDK_PATH } from '../http/sdk-path';
import type { Paymaster } from '../paymasters/paymaster';
import { presentAccount, WalletReportView } from './wallet-report.view';
import { WalletReports } from './wallet-reports.service';

/** What a paymaster's funding wallet has left. */
@ApiTags('operations')
@Controller(`${SDK_PATH}/funding-wallet`)
export class WalletReportsController {
  constructor(@Inject(WalletReports) private readonly reports: WalletReports) {}

  @Get()
  @Authenticated()
  @AnswersWith({
    operationId: 'getFundingWallet',
    summary: 'Show balance, burn rate and runway of the funding wallet, for each EntryPoint',
    data: WalletReportView,
    message: 'Funding wallet fetched',
    refusals: [new ChainUnavailableError()],
  })
  async show(@CurrentPaymaster() paymaster: Paymaster): Promise<Envelope<WalletReportView>> {
    const { chainId, fundingWallet } = paymaster;
    const accounts = (await this.reports.of(paymaster)).map(presentAccount);
    return ok('Funding wallet fetched', { chainId, fundingWallet, accounts });
  }
}
