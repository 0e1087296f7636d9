import { Get, Query } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ValidateBy } from 'class-validator';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentPaymaster } from '../../access/callers/caller';
import { ChainUnavailableError, InvalidBodyError } from '../../platform/http/dashboard-errors';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { NearNetworks } from '../../outbound/near-networks/near-networks.service';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { FundingTransactionsView, presentAccount, presentTransactions, WalletReportView } from './wallet-report.view';
import { WalletReports } from './wallet-reports.service';

const BAD_AMOUNT = new InvalidBodyError('amountWei must be decimal digits of an amount above zero and below 2^96');

/** The contracts hold no more for a wallet (uint96). */
const isAmount = (value: unknown): boolean =>
  typeof value === 'string' && /^[1-9][0-9]{0,28}$/.test(value) && BigInt(value) < 2n ** 96n;

class TransactionsQuery {
  @ApiProperty({ description: 'To deposit, or to withdraw.' })
  @ValidateBy({ name: 'isAmount', validator: { validate: isAmount, defaultMessage: () => BAD_AMOUNT.message } })
  readonly amountWei!: string;
}

/** What a paymaster's funding wallet has left. */
@ApiController('operations', 'funding-wallet')
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
  async show(@CurrentPaymaster() paymaster: Paymaster): Promise<WalletReportView> {
    const { chainId, fundingWallet } = paymaster;
    const accounts = (await this.reports.of(paymaster)).map(presentAccount);
    const networks = await this.networks.of(paymaster);
    const nearNetworks = networks.map(({ at, ...near }) => ({ ...near, at: at.toISOString() }));
    return { chainId, fundingWallet, accounts, nearNetworks };
  }

  @Get('transactions')
  @Authenticated()
  @AnswersWith({
    operationId: 'getFundingTransactions',
    summary: 'Show the transactions that deposit, request, cancel and execute a withdrawal, for each EntryPoint',
    data: FundingTransactionsView,
    message: 'Transactions fetched',
    refusals: [BAD_AMOUNT],
  })
  transactions(
    @CurrentPaymaster() paymaster: Paymaster,
    @Query() { amountWei }: TransactionsQuery,
  ): FundingTransactionsView {
    const { chainId, fundingWallet } = paymaster;
    const accounts = this.reports.transactions(paymaster, BigInt(amountWei)).map(presentTransactions);
    return { chainId, fundingWallet, accounts };
  }
}
