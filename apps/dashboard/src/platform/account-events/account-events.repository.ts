import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { AccountEvent, AccountEventType } from './account-event';

/** The next number of an account, whose row stays locked until the transaction ends. */
const nextNumber = (accounts: string) => `
  INSERT INTO dashboard.account_event_counters AS c (account_id, last_number) ${accounts}
  ON CONFLICT (account_id) DO UPDATE SET last_number = c.last_number + 1
  RETURNING account_id, last_number`;

/** An operation's event, and how its row is found. */
export interface OperationHappened {
  readonly type: AccountEventType;
  readonly paymasterId: string;
  readonly reservationId: string | null;
  /** Of a refused operation, which has no reservation, the id. */
  readonly eventId: string;
  readonly data: object;
}

/** What happened in accounts. Append as the last step of a transaction: it waits for others of the account. */
@Injectable()
export class AccountEventsRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** In the transaction that projects the event. Without effect for a paymaster that does not exist. */
  async appendOperation(manager: EntityManager, happened: OperationHappened): Promise<void> {
    const { type, paymasterId, reservationId, eventId, data } = happened;
    await manager.query(
      `WITH n AS (${nextNumber('SELECT account_id, 1 FROM dashboard.paymasters WHERE id = $1')})
       INSERT INTO dashboard.account_events (account_id, number, type, data)
       SELECT account_id, last_number, $2, $3::jsonb || jsonb_build_object('operationId',
                coalesce((SELECT id FROM dashboard.operations WHERE reservation_id = $4), $5::uuid)) FROM n`,
      [paymasterId, type, JSON.stringify({ paymasterId, ...data }), reservationId, eventId],
    );
  }

  /** In the transaction of the change. */
  async appendPolicyChange(
    manager: EntityManager,
    { accountId, ...data }: { accountId: string; paymasterId: string; version: number },
  ): Promise<void> {
    await this.append(manager, { accountId, type: 'policy.changed', data });
  }

  /** In the transaction of what happened. */
  async append(
    manager: EntityManager,
    { accountId, type, data }: { accountId: string; type: AccountEventType; data: object },
  ): Promise<void> {
    await manager.query(
      `WITH n AS (${nextNumber('SELECT $1::uuid, 1')})
       INSERT INTO dashboard.account_events (account_id, number, type, data)
       SELECT account_id, last_number, $2, $3 FROM n`,
      [accountId, type, JSON.stringify(data)],
    );
  }

  /** The number of the last event of each account that has any. */
  async lastNumbers(accountIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = (await this.dataSource.query(
      `SELECT account_id AS "accountId", last_number AS last FROM dashboard.account_event_counters
        WHERE account_id = ANY ($1)`,
      [accountIds],
    )) as { accountId: string; last: string }[];
    return new Map(rows.map(({ accountId, last }) => [accountId, Number(last)]));
  }

  /** Events after a number, in their order. */
  async after(accountId: string, number: number, most: number): Promise<readonly AccountEvent[]> {
    const rows = (await this.dataSource.query(
      `SELECT number, type, at, data FROM dashboard.account_events
        WHERE account_id = $1 AND number > $2 ORDER BY number LIMIT $3`,
      [accountId, number, most],
    )) as (Omit<AccountEvent, 'number'> & { number: string })[];
    return rows.map((row) => ({ ...row, number: Number(row.number) }));
  }
}
