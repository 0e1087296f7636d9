import { ApiProperty } from '@nestjs/swagger';
import type { WalletAccountReport } from './wallet-report';

export class WalletAccountView {
  @ApiProperty() readonly entryPointVersion!: string;
  @ApiProperty() readonly contract!: string;
  @ApiProperty({ description: 'Gas deposit; wei.' }) readonly balanceWei!: string;
  @ApiProperty({ description: 'What of it the wallet asked to withdraw; wei.' }) readonly requestedWei!: string;
  @ApiProperty({ description: 'Wei.' }) readonly spendableWei!: string;
  @ApiProperty({ description: "What the paymaster's operations cost in the last 24 hours; wei." })
  readonly spentPerDayWei!: string;
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'How long it lasts at that rate; null: nothing was spent.',
  })
  readonly runwayHours!: number | null;
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'Since when the spending brake stops the paymaster here, until you release it; null: it does not.',
  })
  readonly stoppedAt!: string | null;
}

export class WalletReportView {
  @ApiProperty() readonly chainId!: number;
  @ApiProperty({ type: String, nullable: true, description: 'Null before the funding flow was done.' })
  readonly fundingWallet!: string | null;
  @ApiProperty({ type: [WalletAccountView] }) readonly accounts!: readonly WalletAccountView[];
}

export function presentAccount(report: WalletAccountReport): WalletAccountView {
  return {
    entryPointVersion: report.entryPointVersion,
    contract: report.contract,
    balanceWei: report.balanceWei.toString(),
    requestedWei: report.requestedWei.toString(),
    spendableWei: report.spendableWei.toString(),
    spentPerDayWei: report.spentPerDayWei.toString(),
    runwayHours: report.runwayHours,
    stoppedAt: report.stoppedAt?.toISOString() ?? null,
  };
}
