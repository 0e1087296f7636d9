import type { PoisonMessage } from '@paymaster/messaging';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An event that was given up. */
@Entity({ name: 'dead_events' })
export class DeadEvent implements PoisonMessage {
  @PrimaryGeneratedColumn('identity', { type: 'bigint', generatedIdentity: 'ALWAYS' }) readonly id!: string;
  /** When it was given up. */
  @CreateDateColumn({ type: 'timestamptz' }) readonly at!: Date;
  /** Whose it is; its durable name. */
  @Column('text') readonly consumer!: string;
  @Column('text', { name: 'event_id', nullable: true }) readonly eventId!: string | null;
  @Column('text') readonly subject!: string;
  @Column('text') readonly body!: string;
  @Column('integer') readonly deliveries!: number;
  @Column('text') readonly problem!: string;
}
