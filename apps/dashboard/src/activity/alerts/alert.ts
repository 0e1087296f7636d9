import { Column, Entity, PrimaryColumn } from 'typeorm';
import { safeIntegerColumn } from '../../platform/database/column-transformers';
import type { QuietHours } from './quiet-hours';

/** Where an alert can go. */
export const ALERT_KINDS = ['MAIL', 'SLACK', 'DISCORD', 'TELEGRAM', 'WEBHOOK'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** What an alert can be about. */
export const ALERT_SUBJECTS = [
  'walletLow',
  'limitUsed',
  'refusalsRising',
  'walletBraked',
  'paymasterSuspended',
] as const;
export type AlertSubject = (typeof ALERT_SUBJECTS)[number];

/** How much of a limit can be told of; percent. */
export const LIMIT_PERCENTS = [50, 75, 90, 100] as const;
export type LimitPercent = (typeof LIMIT_PERCENTS)[number];

/** The address of an alert, as it is encrypted. */
export interface Destination {
  readonly mail?: string;
  readonly url?: string;
  readonly botToken?: string;
  readonly chatId?: string;
}

/** Who is told what about a paymaster. */
@Entity({ name: 'alerts' })
export class AlertEntity {
  @PrimaryColumn('uuid') readonly id!: string;
  @Column('uuid', { name: 'paymaster_id' }) readonly paymasterId!: string;
  @Column('text') readonly name!: string;
  @Column('text') readonly kind!: AlertKind;
  /** {@link Destination}, encrypted for the paymaster. */
  @Column('text') readonly ciphertext!: string;
  /** What of the destination is no secret. */
  @Column('text') readonly shown!: string;
  @Column('boolean') readonly active!: boolean;
  @Column('text', { array: true }) readonly about!: readonly AlertSubject[];
  /** `walletLow` is told below that; wei. */
  @Column('numeric', { name: 'wallet_below_wei', precision: 78, scale: 0, nullable: true })
  readonly walletBelowWei!: string | null;
  @Column('integer', { name: 'limit_percents', array: true }) readonly limitPercents!: readonly LimitPercent[];
  @Column('jsonb', { name: 'quiet_hours', nullable: true }) readonly quietHours!: QuietHours | null;
  /** Grows with each change. */
  @Column('bigint', { transformer: safeIntegerColumn }) readonly version!: number;
  /** The database's own count. */
  @Column({ type: 'bigint', name: 'creation_order', insert: false, update: false, select: false })
  readonly creationOrder!: string;
}

export type Alert = Omit<AlertEntity, 'creationOrder'>;
