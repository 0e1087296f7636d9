import { Controller, Get, Query } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentPaymaster } from '../../access/callers/caller';
import { ChainUnavailableError, InvalidBodyError } from '../../platform/http/dashboard-errors';
import { ok, type Envelope } from '../../platform/http/envelope';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { refuseUnknownQuery } from '../../platform/http/query-rules';
import { SDK_PATH } from '../../platform/http/sdk-path';
import { NearNetworks } from '../../outbound/near-networks/near-networks.service';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { FundingTransactionsView, presentAccount, presentTransactions, WalletReportView } from './wallet-report.view';
import { WalletReports } from './wallet-reports.service';

const BAD_AMOUNT = new InvalidBodyError('amountWei must be decimal digits of an amount above zero and below 2^96');

/** What a paymaster's funding wallet has left. */
@ApiTags('operations')
@Controller(`${SDK_PATH}/funding-wallet`)
export class WalletReportsController {
  constructor(
    private readonly reports: WalletReports,
    private readonly networks: NearNetworks,
  ) {}

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
    const networks = await this.networks.of(paymaster);
    const nearNetworks = networks.map(({ at, ...near }) => ({ ...near, at: at.toISOString() }));
    return ok('Funding wallet fetched', { chainId, fundingWallet, accounts, nearNetworks });
  }

  @Get('transactions')
  @Authenticated()
  @ApiQuery({ name: 'amountWei', required: true, type: String, description: 'To deposit, or to withdraw.' })
  @AnswersWith({
    operationId: 'getFundingTransactions',
    summary: 'Show the transactions that deposit, request, cancel and execute a withdrawal, for each EntryPoint',
    data: FundingTransactionsView,
    message: 'Transactions fetched',
    refusals: [BAD_AMOUNT],
  })
  transactions(
    @CurrentPaymaster() paymaster: Paymaster,
    @Query() query: Readonly<Record<string, unknown>>,
  ): Envelope<FundingTransactionsView> {
    const { chainId, fundingWallet } = paymaster;
    const accounts = this.reports.transactions(paymaster, amountOf(query)).map(presentTransactions);
    return ok('Transactions fetched', { chainId, fundingWallet, accounts });
  }
}

/** @throws {InvalidBodyError} naming the parameter */
function amountOf(query: Readonly<Record<string, unknown>>): bigint {
  refuseUnknownQuery(query, ['amountWei']);
  const { amountWei } = query;
  // The contracts hold no more for a wallet (uint96).
  if (typeof amountWei !== 'string' || !/^[1-9][0-9]{0,28}$/.test(amountWei) || BigInt(amountWei) >= 2n ** 96n) {
    throw BAD_AMOUNT;
  }
  return BigInt(amountWei);
}
