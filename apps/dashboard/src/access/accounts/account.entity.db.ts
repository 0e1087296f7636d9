import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { Account } from './account';

@Entity({ name: 'accounts' })
export class AccountEntity implements Account {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text')
  name!: string;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;
}
