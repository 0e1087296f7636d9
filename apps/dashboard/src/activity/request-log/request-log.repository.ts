import { Inject, Injectable } from '@nestjs/common';
import type { LoggedRequest, RequestLogBatch } from '@paymaster/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { isUuid } from '../../platform/database/uuid';
import type { PagePlace } from '../../platform/http/page-cursor';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { groupOf, hourOf, toWritable, withRoom, type KeptInHour, type WritableRequest } from './kept-requests';
import type { RequestLogEntry, RequestLogFacts, RequestLogFilter, WholeRequestLogEntry } from './request-log-entry';

/** Stands for all paymasters together. */
const ALL = '00000000-0000-0000-0000-000000000000';
/** Rows that one statement deletes: short locks. */
const ERASED_AT_ONCE = 5_000;

const COLUMNS = `
  id, paymaster_id AS "paymasterId", chain_id::text AS "chainId", at, request_id AS "requestId", method, mode, key,
  key_name AS "keyName", entry_point AS "entryPoint", sender, outcome, code, reason, message, details,
  duration_ms AS "durationMs", (extract(epoch FROM at) * 1000000)::bigint::text AS "atUs"`;

/** The column of each fact; its index begins with the paymaster's id and ends with the order of the list. */
const COLUMN_OF: Readonly<Record<keyof RequestLogFacts, string>> = {
  outcome: 'outcome',
  reason: 'reason',
  method: 'method',
  sender: 'sender',
  key: 'key',
  requestId: 'request_id',
};

/** A shorter time holds at once, and what was erased is gone at once; the retention job deletes the rows. */
const IS_SHOWN = `
  paymaster_id = $1 AND at >= now() - $2::int * interval '1 day'
  AND at >= coalesce((SELECT before FROM dashboard.request_log_cuts WHERE paymaster_id = $1), '-infinity')`;

type EntryRow = Omit<WholeRequestLogEntry, 'chainId'> & { readonly chainId: string; readonly atUs: string };
interface HourRow {
  readonly paymasterId: string;
  readonly areGrants: boolean;
  readonly hour: Date;
  readonly kept: string;
  readonly keptBytes: string;
}

/** How many requests of a batch were kept, and how many there was no room for. */
export interface WrittenBatch {
  readonly kept: number;
  readonly leftOut: number;
}

/** A page of the log, and where the next one starts. */
export interface RequestLogPage {
  readonly entries: readonly RequestLogEntry[];
  readonly next: PagePlace | null;
}

/** The request log in the database. */
@Injectable()
export class RequestLogRepository {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'requestLogMaxMbPerHour'>,
  ) {}

  /** Keeps what there is room for. A batch that is written twice is kept once. */
  async write({ entries, leftOut }: RequestLogBatch): Promise<WrittenBatch> {
    const nowMs = Date.now();
    const requests = entries.map((entry) => toWritable(entry, nowMs));
    const asked = askedOf(requests, leftOut, nowMs);
    const kept = await this.dataSource.transaction(async (manager) => {
      const room = await this.takeRoom(manager, asked);
      const all = room.get(groupOf(ALL, false, hourOf(nowMs))) ?? { entries: 0, bytes: 0 };
      const before = new Map([...room].map(([group, each]) => [group, { ...each }]));
      const mostBytes = this.config.requestLogMaxMbPerHour * 1_000_000;
      const fitting = withRoom(requests, { groups: room, all, mostBytes });
      if (fitting.length > 0) {
        await this.insert(manager, fitting);
        await this.noteKept(manager, { asked, room, before });
      }
      return fitting.length;
    });
    return { kept, leftOut: requests.length - kept };
  }

  /** The newest that match, after `cursor`. */
  async page(
    { id, settings }: Paymaster,
    { from, to, ...facts }: RequestLogFilter,
    { limit, cursor }: { limit: number; cursor?: PagePlace },
  ): Promise<RequestLogPage> {
    const values: unknown[] = [id, settings.requestLogDays];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const conditions = [
      IS_SHOWN,
      ...Object.entries(COLUMN_OF).flatMap(([fact, column]) => {
        const value = facts[fact as keyof RequestLogFacts];
        return value ? [`${column} = ${bind(value)}`] : [];
      }),
      from && `at >= ${bind(from)}`,
      to && `at < ${bind(to)}`,
      cursor &&
        `(at, id) < ('epoch'::timestamptz + ${bind(cursor.atUs)}::bigint * interval '1 microsecond',
                     ${bind(cursor.id)}::uuid)`,
    ].filter(Boolean);
    const rows = (await this.dataSource.query(
      `SELECT ${COLUMNS} FROM dashboard.request_log WHERE ${conditions.join(' AND ')}
        ORDER BY at DESC, id DESC LIMIT ${bind(limit + 1)}`,
      values,
    )) as EntryRow[];
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      entries: shown.map(toEntry),
      next: rows.length > shown.length && last ? { atUs: last.atUs, id: last.id } : null,
    };
  }

  /** The paymaster's entry, or null: another paymaster's looks like one that does not exist. */
  async find({ id: paymasterId, settings }: Paymaster, id: string): Promise<WholeRequestLogEntry | null> {
    if (!isUuid(id)) return null;
    const rows = (await this.dataSource.query(
      `SELECT ${COLUMNS}, user_operation AS "userOperation" FROM dashboard.request_log WHERE id = $3 AND ${IS_SHOWN}`,
      [paymasterId, settings.requestLogDays, id],
    )) as EntryRow[];
    return rows[0] ? toEntry(rows[0]) : null;
  }

  /** How many requests of the last 24 hours were not kept, because there were too many. */
  async leftOutOf(paymasterId: string): Promise<number> {
    const [row] = (await this.dataSource.query(
      `SELECT coalesce(sum(asked - kept), 0)::text AS sum FROM dashboard.request_log_hours
        WHERE paymaster_id = $1 AND hour >= now() - interval '1 day'`,
      [paymasterId],
    )) as { sum: string }[];
    return Number(row?.sum ?? 0);
  }

  /** From now on no entry of before is shown, or written any more. */
  async cut(manager: EntityManager, paymasterId: string): Promise<void> {
    await manager.query(
      `INSERT INTO dashboard.request_log_cuts AS c VALUES ($1, clock_timestamp())
       ON CONFLICT (paymaster_id) DO UPDATE SET before = excluded.before`,
      [paymasterId],
    );
  }

  /** Deletes all entries that {@link cut} hides. @returns how many */
  async deleteCut(paymasterId: string): Promise<number> {
    let [deleted, all] = [ERASED_AT_ONCE, 0];
    while (deleted === ERASED_AT_ONCE) {
      [, deleted] = (await this.dataSource.query(
        `DELETE FROM dashboard.request_log WHERE ctid IN (
           SELECT r.ctid FROM dashboard.request_log_cuts c
             JOIN dashboard.request_log r ON r.paymaster_id = c.paymaster_id AND r.at < c.before
            WHERE c.paymaster_id = $1 LIMIT ${ERASED_AT_ONCE})`,
        [paymasterId],
      )) as [unknown[], number];
      all += deleted;
    }
    return all;
  }

  /** Counts requests in their hours, and locks these until the transaction ends. @returns what is kept of each */
  private async takeRoom(
    manager: EntityManager,
    asked: ReadonlyMap<string, AskedInHour>,
  ): Promise<ReadonlyMap<string, KeptInHour>> {
    const rows = (await manager.query(
      `INSERT INTO dashboard.request_log_hours AS h
       SELECT *, 0, 0 FROM unnest($1::uuid[], $2::boolean[], $3::timestamptz[], $4::bigint[]) ORDER BY 1, 2, 3
       ON CONFLICT (paymaster_id, are_grants, hour) DO UPDATE SET asked = h.asked + excluded.asked
       RETURNING paymaster_id AS "paymasterId", are_grants AS "areGrants", hour, kept, kept_bytes AS "keptBytes"`,
      columnsOf([...asked.values()]),
    )) as HourRow[];
    return new Map(
      rows.map(({ paymasterId, areGrants, hour, kept, keptBytes }) => [
        groupOf(paymasterId, areGrants, hour),
        { entries: Number(kept), bytes: Number(keptBytes) },
      ]),
    );
  }

  private async noteKept(
    manager: EntityManager,
    {
      asked,
      room,
      before,
    }: {
      asked: ReadonlyMap<string, AskedInHour>;
      room: ReadonlyMap<string, KeptInHour>;
      before: ReadonlyMap<string, KeptInHour>;
    },
  ): Promise<void> {
    const grown = [...asked].filter(([group]) => room.get(group)?.entries !== before.get(group)?.entries);
    const [paymasterIds, areGrants, hours] = columnsOf(grown.map(([, each]) => each));
    const now = grown.map(([group]) => room.get(group));
    await manager.query(
      `UPDATE dashboard.request_log_hours h SET kept = e.kept, kept_bytes = e.bytes
         FROM unnest($1::uuid[], $2::boolean[], $3::timestamptz[], $4::bigint[], $5::bigint[])
              AS e(paymaster_id, are_grants, hour, kept, bytes)
        WHERE h.paymaster_id = e.paymaster_id AND h.are_grants = e.are_grants AND h.hour = e.hour`,
      [paymasterIds, areGrants, hours, now.map((each) => each?.entries), now.map((each) => each?.bytes)],
    );
  }

  private async insert(manager: EntityManager, requests: readonly WritableRequest[]): Promise<void> {
    await manager.query(
      `INSERT INTO dashboard.request_log (id, paymaster_id, at, expires_at, request_id, chain_id, method, mode, key,
                                          key_name, entry_point, sender, outcome, code, reason, message, details,
                                          duration_ms, user_operation)
       SELECT e.id, p.id, e.at, e.at + p.settings_request_log_days * interval '1 day', e."requestId", e."chainId",
              e.method, e.mode, coalesce(e."keyId"::text, 'main'), k.name, lower(e."entryPoint"), lower(e.sender),
              e.outcome, e.code, e.reason, e.message, e.details, e."durationMs", e."userOperation"
         FROM json_to_recordset($1::json) AS e(
                id uuid, "paymasterId" uuid, at timestamptz, "requestId" text, "chainId" bigint, method text, mode text,
                "keyId" uuid, "entryPoint" text, sender text, outcome text, code integer, reason text, message text,
                details json, "durationMs" real, "userOperation" json)
         JOIN dashboard.paymasters p ON p.id = e."paymasterId"
         LEFT JOIN dashboard.named_keys k ON k.id = e."keyId" AND k.paymaster_id = p.id
         LEFT JOIN dashboard.request_log_cuts c ON c.paymaster_id = p.id
        WHERE c.before IS NULL OR e.at >= c.before
       ON CONFLICT (id) DO NOTHING`,
      [storable(requests.map(({ entry: { atMs, ...entry } }) => ({ ...entry, at: new Date(atMs) })))],
    );
  }
}

/** What Postgres takes in no text: NUL, and halves of surrogate pairs, which JSON writes as escapes. */
const UNSTORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g;

/** JSON of which Postgres takes every text, also where one gateway sent one that it does not take. */
const storable = (values: unknown): string => JSON.stringify(values).replace(UNSTORABLE, '$1\\ufffd');

interface AskedInHour {
  readonly paymasterId: string;
  readonly areGrants: boolean;
  readonly hour: Date;
  readonly asked: number;
}

/** How many requests of each paymaster and hour the batch tells of; none of all paymasters together, whose row is locked too. */
function askedOf(
  requests: readonly WritableRequest[],
  leftOut: RequestLogBatch['leftOut'],
  nowMs: number,
): ReadonlyMap<string, AskedInHour> {
  const asked = new Map<string, AskedInHour>();
  const add = (paymasterId: string, areGrants: boolean, hour: Date, count: number): void => {
    const group = groupOf(paymasterId, areGrants, hour);
    asked.set(group, { paymasterId, areGrants, hour, asked: (asked.get(group)?.asked ?? 0) + count });
  };
  add(ALL, false, hourOf(nowMs), 0);
  for (const { entry, hour } of requests) add(entry.paymasterId, isGrant(entry), hour, 1);
  for (const each of leftOut) add(each.paymasterId, each.areGrants, hourOf(nowMs), each.requests);
  return asked;
}

const isGrant = ({ outcome }: LoggedRequest): boolean => outcome === 'granted';

function columnsOf(asked: readonly AskedInHour[]): [string[], boolean[], Date[], number[]] {
  return [
    asked.map(({ paymasterId }) => paymasterId),
    asked.map(({ areGrants }) => areGrants),
    asked.map(({ hour }) => hour),
    asked.map((each) => each.asked),
  ];
}

function toEntry({ chainId, atUs: _atUs, ...row }: EntryRow): WholeRequestLogEntry {
  return { ...row, chainId: Number(chainId) };
}
