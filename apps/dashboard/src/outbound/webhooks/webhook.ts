import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** What an event webhook can be told. */
export const WEBHOOK_EVENTS = [
  ...(['granted', 'refused', 'settled', 'voided', 'walletLow', 'walletBraked'] as const),
  ...(['networkNearRoom'] as const),
  ...(['sent', 'waiting', 'bundlerRefused', 'dropped'] as const),
  ...(['paymasterSuspended', 'paymasterResumed'] as const),
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const REQUEST_TYPES = ['GET', 'POST'] as const;
export type RequestType = (typeof REQUEST_TYPES)[number];

/** A webhook of a paymaster: one without events is asked for decisions, one with events is told about them. */
@Entity({ name: 'webhooks' })
export class WebhookEntity {
  @PrimaryColumn('uuid') readonly id!: string;
  @Column('uuid', { name: 'paymaster_id' }) readonly paymasterId!: string;
  @Column('text') readonly url!: string;
  @Column('text', { name: 'request_type' }) readonly requestType!: RequestType;
  @Column('boolean') readonly active!: boolean;
  @Column('text', { array: true }) readonly events!: readonly WebhookEvent[];
  /** `walletLow` is told below this runway; hours. */
  @Column('integer', { name: 'low_balance_hours', nullable: true }) readonly lowBalanceHours!: number | null;
  /** The database's own count: several can be made in one transaction. */
  @Column({ type: 'bigint', name: 'creation_order', insert: false, update: false, select: false })
  readonly creationOrder!: string;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', select: false }) readonly createdAt!: Date;
  /** When `walletLow` was told last; null while the runway is long enough. */
  @Column({ type: 'timestamptz', name: 'told_low_at', nullable: true, select: false, insert: false })
  readonly toldLowAt!: Date | null;
}

export type Webhook = Omit<WebhookEntity, 'creationOrder' | 'createdAt' | 'toldLowAt'>;

/** How long the secret before the newest is still used after a rotation. */
export const PREVIOUS_SECRET_HOURS = 24;

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** One event for one receiver. */
export interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly type: string;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  readonly nextAttemptAt: Date;
  readonly lastStatus: number | null;
  readonly lastAnswer: string | null;
  readonly lastProblem: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}
