import { ApiProperty } from '@nestjs/swagger';
import { ADDRESS, CHAIN_ID, TEXT_OR_NULL, TIME_OR_NULL, WEI } from '../../platform/fields/api-fields';
import type { WalletAccountReport } from './wallet-report';
import type { WalletTransaction, WalletTransactions } from './wallet-transactions';

export class WalletAccountView {
  @ApiProperty({ example: '0.7' }) readonly entryPointVersion!: string;
  @ApiProperty(ADDRESS) readonly contract!: string;
  @ApiProperty({ ...WEI, description: 'Gas deposit; wei.' }) readonly balanceWei!: string;
  @ApiProperty({ ...WEI, description: 'What of it the wallet asked to withdraw; wei.' }) readonly requestedWei!: string;
  @ApiProperty({
    ...TIME_OR_NULL,
    description: 'From when on the wallet can take that amount; null: it asked for nothing.',
  })
  readonly withdrawableAt!: string | null;
  @ApiProperty({ ...WEI, description: 'Wei.' }) readonly spendableWei!: string;
  @ApiProperty({ ...WEI, description: "What the paymaster's operations cost in the last 24 hours; wei." })
  readonly spentPerDayWei!: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    example: 71.5,
    description: 'How long it lasts at that rate; null: nothing was spent.',
  })
  readonly runwayHours!: number | null;
  @ApiProperty({
    ...TIME_OR_NULL,
    description: 'Since when the spending brake stops the paymaster here, until you release it; null: it does not.',
  })
  readonly stoppedAt!: string | null;
}

export class NearNetworkView {
  @ApiProperty({
    ...TEXT_OR_NULL,
    example: '203.0.113.7',
    description: 'An IPv4 address, or the /48 of an IPv6 one; null: a user whom your server names.',
  })
  readonly network!: string | null;
  @ApiProperty(ADDRESS) readonly contract!: string;
  @ApiProperty({ ...WEI, description: 'What its operations cost within an hour; wei.' }) readonly usedWei!: string;
  @ApiProperty({ ...WEI, description: 'What they may cost within an hour; wei.' }) readonly roomWei!: string;
  @ApiProperty({ format: 'date-time', description: 'When it had used half of its room, the last time.' })
  readonly at!: string;
}

export class WalletReportView {
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ ...ADDRESS, nullable: true, description: 'Null before the funding flow was done.' })
  readonly fundingWallet!: string | null;
  @ApiProperty({ type: [WalletAccountView] }) readonly accounts!: readonly WalletAccountView[];
  @ApiProperty({
    type: [NearNetworkView],
    description:
      'Networks whose operations cost, in the last 24 hours, half of what one network may take in an hour, newest first. ' +
      'Is one of them your server? Then name it in the setting `servers`, and it is not listed here any more.',
  })
  readonly nearNetworks!: readonly NearNetworkView[];
}

export function presentAccount(report: WalletAccountReport): WalletAccountView {
  return {
    entryPointVersion: report.entryPointVersion,
    contract: report.contract,
    balanceWei: report.balanceWei.toString(),
    requestedWei: report.requestedWei.toString(),
    withdrawableAt: report.withdrawableAt?.toISOString() ?? null,
    spendableWei: report.spendableWei.toString(),
    spentPerDayWei: report.spentPerDayWei.toString(),
    runwayHours: report.runwayHours,
    stoppedAt: report.stoppedAt?.toISOString() ?? null,
  };
}

export class TransactionView {
  @ApiProperty(ADDRESS) readonly to!: string;
  @ApiProperty({ type: String, pattern: '^0x[0-9a-f]*$', example: '0x84768b7a' }) readonly data!: string;
  @ApiProperty({ ...WEI, description: 'Wei to send with it.' }) readonly value!: string;
}

export class WalletTransactionsView {
  @ApiProperty({ example: '0.7' }) readonly entryPointVersion!: string;
  @ApiProperty({ type: TransactionView, description: 'Anybody may send it.' }) readonly deposit!: TransactionView;
  @ApiProperty({ type: TransactionView, description: 'The funding wallet sends it, and all that follow.' })
  readonly requestWithdrawal!: TransactionView;
  @ApiProperty({ type: TransactionView }) readonly cancelWithdrawal!: TransactionView;
  @ApiProperty({ type: TransactionView, description: 'Once the request is due; the coins go to the wallet.' })
  readonly executeWithdrawal!: TransactionView;
}

/** Transactions that an owner signs with his own wallet. */
export class FundingTransactionsView {
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ ...ADDRESS, nullable: true, description: 'Null before the funding flow was done.' })
  readonly fundingWallet!: string | null;
  @ApiProperty({ type: [WalletTransactionsView], description: 'Empty before the funding flow was done.' })
  readonly accounts!: readonly WalletTransactionsView[];
}

export function presentTransactions({
  entryPointVersion,
  ...transactions
}: WalletTransactions): WalletTransactionsView {
  const { deposit, requestWithdrawal, cancelWithdrawal, executeWithdrawal } = transactions;
  return {
    entryPointVersion,
    deposit: presentTransaction(deposit),
    requestWithdrawal: presentTransaction(requestWithdrawal),
    cancelWithdrawal: presentTransaction(cancelWithdrawal),
    executeWithdrawal: presentTransaction(executeWithdrawal),
  };
}

function presentTransaction({ to, data, valueWei }: WalletTransaction): TransactionView {
  return { to, data, value: valueWei.toString() };
}
