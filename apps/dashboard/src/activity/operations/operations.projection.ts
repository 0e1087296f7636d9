import { Injectable } from '@nestjs/common';
import type {
  BundlerEvent,
  GrantedEvent,
  LandedEvent,
  NetworkNearRoomEvent,
  RefusedEvent,
  SponsorshipEvent,
  VoidedEvent,
  WalletBrakedEvent,
} from '@paymaster/messaging';
import { DataSource, type EntityManager } from 'typeorm';
import {
  AccountEventsRepository,
  type OperationHappened,
} from '../../platform/account-events/account-events.repository';

/** Counters of {@link usage}. */
type UsageColumn = 'granted' | 'refused' | 'settled' | 'reverted' | 'voided';

/**
 * Turns the event stream into the tables that owners read. Every event counts once, however often it comes, and a
 * late one never takes an operation back to a state that it has left.
 */
@Injectable()
export class OperationsProjection {
  constructor(
    private readonly dataSource: DataSource,
    private readonly accountEvents: AccountEventsRepository,
  ) {}

  /** Applies one event and remembers that it did, in one transaction. */
  async apply(event: SponsorshipEvent): Promise<void> {
    await this.dataSource.transaction(async (manager) => {
      const fresh = (await manager.query(
        `INSERT INTO dashboard.consumed_events (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING 1`,
        [event.eventId],
      )) as unknown[];
      if (fresh.length === 0 || event.paymasterId === null) return;
      await APPLY[event.kind](manager, event as never);
      const happened = happenedIn(event);
      if (happened) await this.accountEvents.appendOperation(manager, happened);
    });
  }
}

/** One function for each kind of event. */
const APPLY = {
  granted,
  refused,
  landed,
  settled,
  unlanded,
  voided,
  sent: atBundler,
  waiting: atBundler,
  bundlerRefused: atBundler,
  dropped: atBundler,
  walletChanged: () => Promise.resolve(),
  walletBraked,
  networkNearRoom,
} satisfies Record<SponsorshipEvent['kind'], (manager: EntityManager, event: never) => Promise<void>>;

async function granted(manager: EntityManager, event: GrantedEvent): Promise<void> {
  const rows = (await manager.query(
    `INSERT INTO dashboard.operations AS o
       (id, paymaster_id, chain_id, reservation_id, state, mode, sender, nonce, entry_point_version, request_id, grants,
        policy_id, policy_version, targets, trace, funding_wallet, expected_cost_wei, valid_until, created_at, updated_at,
        key_id, native_usd, token_prices, token)
     VALUES ($1, $2, $3, $4, 'granted', $5, $6, $7, $8, $9, 1, $10, $11, $12, $13, $14, $15, $16,
             to_timestamp($17 / 1000.0), to_timestamp($17 / 1000.0), $18, $19, $20, $21)
     ON CONFLICT (reservation_id) DO UPDATE SET
       key_id = excluded.key_id, native_usd = greatest(o.native_usd, excluded.native_usd),
       token_prices = (
         SELECT jsonb_object_agg(token, usd) FROM (
           SELECT key AS token, max(value::numeric)::text AS usd
             FROM (SELECT * FROM jsonb_each_text(o.token_prices)
                   UNION ALL SELECT * FROM jsonb_each_text(excluded.token_prices)) known GROUP BY key) highest),
       grants = o.grants + 1, request_id = excluded.request_id, policy_id = excluded.policy_id,
       policy_version = excluded.policy_version, targets = excluded.targets, trace = excluded.trace,
       funding_wallet = excluded.funding_wallet, token = excluded.token,
       expected_cost_wei = greatest(o.expected_cost_wei, excluded.expected_cost_wei),
       valid_until = greatest(o.valid_until, excluded.valid_until),
       created_at = least(o.created_at, excluded.created_at),
       updated_at = greatest(o.updated_at, excluded.updated_at)
     RETURNING grants`,
    [
      ...operationValues(event),
      event.requestId,
      event.policyId,
      event.policyVersion,
      JSON.stringify(event.targets),
      JSON.stringify(event.trace),
      event.fundingWallet,
      event.prechargeWei,
      event.validUntilSeconds,
      event.atMs,
      event.keyId ?? null,
      event.nativeUsd ?? null,
      pricesOf(event),
      event.token,
    ],
  )) as { grants: number }[];
  // Asking again for the same nonce is no further operation.
  if (rows[0]?.grants === 1) await count(manager, event, ['granted']);
}

/** USD per base unit, by token. */
function pricesOf({ tokenPrice }: GrantedEvent): string | null {
  if (!tokenPrice) return null;
  const { token, usd, decimals } = tokenPrice;
  return JSON.stringify({ [token]: `${usd}e-${decimals}` });
}

async function refused(manager: EntityManager, event: RefusedEvent): Promise<void> {
  await manager.query(
    `INSERT INTO dashboard.operations
       (id, paymaster_id, chain_id, reservation_id, state, mode, sender, nonce, entry_point_version, request_id,
        policy_version, reason, message, details, targets, trace, expected_cost_wei, created_at, updated_at, token)
     VALUES ($1, $2, $3, $4, 'refused', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
             to_timestamp($17 / 1000.0), to_timestamp($17 / 1000.0), $18)`,
    [
      ...operationValues({ ...event, reservationId: null }),
      event.requestId,
      event.policyVersion,
      event.reason,
      event.message,
      JSON.stringify(event.details),
      JSON.stringify(event.targets),
      JSON.stringify(event.trace),
      event.prechargeWei,
      event.atMs,
      event.token,
    ],
  );
  await count(manager, event, ['refused']);
}

async function landed(manager: EntityManager, event: LandedEvent): Promise<void> {
  await writeLanded(manager, event, 'landed');
}

async function settled(manager: EntityManager, event: LandedEvent): Promise<void> {
  await writeLanded(manager, event, 'settled');
  await count(manager, event, event.success ? ['settled'] : ['settled', 'reverted'], event.chargedWei);
}

/** An operation that we never saw granted is shown as well: the chain is right. */
async function writeLanded(manager: EntityManager, event: LandedEvent, state: 'landed' | 'settled'): Promise<void> {
  await manager.query(
    `INSERT INTO dashboard.operations AS o
       (id, paymaster_id, chain_id, reservation_id, mode, sender, nonce, entry_point_version, state, funding_wallet,
        actual_cost_wei, gas_cost_wei, success, user_op_hash, transaction_hash, block_number, created_at, updated_at,
        paid_token, paid_amount, gas_used, settled_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
             to_timestamp($17 / 1000.0), to_timestamp($17 / 1000.0), $18, $19, $20,
             CASE WHEN $9 = 'settled' THEN to_timestamp($17 / 1000.0) END)
     ON CONFLICT (reservation_id) DO UPDATE SET
       state = excluded.state, funding_wallet = excluded.funding_wallet, actual_cost_wei = excluded.actual_cost_wei,
       gas_cost_wei = excluded.gas_cost_wei, success = excluded.success, user_op_hash = excluded.user_op_hash,
       transaction_hash = excluded.transaction_hash, block_number = excluded.block_number,
       paid_token = excluded.paid_token, paid_amount = excluded.paid_amount, gas_used = excluded.gas_used,
       settled_at = excluded.settled_at,
       updated_at = excluded.updated_at
     WHERE o.state IN ('granted', 'landed')`,
    [
      ...operationValues(event),
      state,
      event.fundingWallet,
      event.chargedWei,
      event.actualGasCostWei,
      event.success,
      event.userOpHash,
      event.transactionHash,
      event.blockNumber,
      event.atMs,
      ...paidIn(event),
      event.actualGasUsed ?? null,
    ],
  );
}

/** Token and amount; no amount where the event does not tell it. */
function paidIn({ tokenPayment: paid }: LandedEvent): readonly [string | null, string | null] {
  if (paid === undefined) return [null, null];
  return paid ? [paid.token, paid.amount] : [null, '0'];
}

async function unlanded(manager: EntityManager, event: LandedEvent): Promise<void> {
  await manager.query(
    `UPDATE dashboard.operations SET
       state = 'granted', actual_cost_wei = NULL, gas_cost_wei = NULL, success = NULL,
       user_op_hash = bundler->>'userOpHash',
       transaction_hash = NULL, block_number = NULL, paid_token = NULL, paid_amount = NULL, gas_used = NULL,
       updated_at = to_timestamp($3 / 1000.0)
     WHERE reservation_id = $1 AND state = 'landed' AND transaction_hash = $2`,
    [event.reservationId, event.transactionHash, event.atMs],
  );
}

/** Also before it was granted: processes that share the stream finish its events in any order. */
async function voided(manager: EntityManager, event: VoidedEvent): Promise<void> {
  const ended = (await manager.query(
    `INSERT INTO dashboard.operations AS o
       (id, paymaster_id, chain_id, reservation_id, state, mode, sender, nonce, entry_point_version, void_reason,
        created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'voided', $5, $6, $7, $8, $9, to_timestamp($10 / 1000.0), to_timestamp($10 / 1000.0))
     ON CONFLICT (reservation_id) DO UPDATE SET
       state = 'voided', void_reason = excluded.void_reason, updated_at = excluded.updated_at
     WHERE o.state IN ('granted', 'landed')
     RETURNING 1`,
    [...operationValues(event), event.because, event.atMs],
  )) as unknown[];
  if (ended.length > 0) await count(manager, event, ['voided']);
}

/**
 * The newest word about an operation at the bundlers. One nonce may have been signed several times: what is told of a
 * former operation does not take the place of one that a bundler has. Its hash finds an operation that is in no block.
 */
async function atBundler(manager: EntityManager, event: BundlerEvent): Promise<void> {
  const { kind, bundler: name, message, userOpHash, atMs } = event;
  const bundler = { state: kind === 'bundlerRefused' ? 'refused' : kind, name, message, userOpHash, atMs };
  await manager.query(
    `INSERT INTO dashboard.operations AS o
       (id, paymaster_id, chain_id, reservation_id, state, mode, sender, nonce, entry_point_version, user_op_hash, bundler,
        created_at, updated_at)
     VALUES ($1, $2, $3, $4, 'granted', $5, $6, $7, $8, $9, $10, to_timestamp($11 / 1000.0), to_timestamp($11 / 1000.0))
     ON CONFLICT (reservation_id) DO UPDATE SET
       bundler = excluded.bundler, updated_at = greatest(o.updated_at, excluded.updated_at),
       user_op_hash = CASE WHEN o.state = 'granted' THEN excluded.user_op_hash ELSE o.user_op_hash END
     WHERE o.bundler IS NULL
        OR ((o.bundler->>'atMs')::bigint <= $11
            AND ($12 OR o.bundler->>'userOpHash' = $9 OR o.bundler->>'state' IN ('refused', 'dropped')))`,
    [...operationValues(event), userOpHash, JSON.stringify(bundler), atMs, kind === 'sent'],
  );
}

/** The newest stop of a wallet; a late event of an earlier one changes nothing. */
async function walletBraked(manager: EntityManager, event: WalletBrakedEvent): Promise<void> {
  const { paymasterId, contract, fundingWallet, releasedAtMs, atMs } = event;
  await manager.query(
    `INSERT INTO dashboard.wallet_stops AS s (paymaster_id, contract, funding_wallet, released_ms, stopped_at)
     VALUES ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
     ON CONFLICT (paymaster_id, contract, funding_wallet) DO UPDATE
       SET released_ms = excluded.released_ms, stopped_at = excluded.stopped_at
       WHERE s.stopped_at < excluded.stopped_at`,
    [paymasterId, contract, fundingWallet, releasedAtMs, atMs],
  );
}

/** The newest time of a network; a late event of an earlier hour changes nothing. */
async function networkNearRoom(manager: EntityManager, event: NetworkNearRoomEvent): Promise<void> {
  const { paymasterId, contract, network, usedWei, roomWei, atMs } = event;
  await manager.query(
    `INSERT INTO dashboard.near_networks AS n (paymaster_id, contract, network, used_wei, room_wei, at)
     VALUES ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))
     ON CONFLICT (paymaster_id, contract, network) DO UPDATE
       SET used_wei = excluded.used_wei, room_wei = excluded.room_wei, at = excluded.at WHERE n.at < excluded.at`,
    [paymasterId, contract, network, usedWei, roomWei, atMs],
  );
}

/** What pages that follow the account hear of an event; undefined for events about wallets. */
function happenedIn(event: SponsorshipEvent): OperationHappened | undefined {
  if (!('sender' in event) || event.paymasterId === null) return undefined;
  const { kind, eventId, paymasterId, reservationId, chainId, mode, sender, nonce } = event;
  const reason = event.kind === 'refused' ? { reason: event.reason } : {};
  return {
    ...{ type: `operation.${kind}`, paymasterId, reservationId, eventId },
    data: { chainId, mode, sender, nonce, ...reason },
  };
}

/** The first eight values of every insert. */
function operationValues(event: GrantedEvent | RefusedEvent | LandedEvent | VoidedEvent | BundlerEvent): unknown[] {
  const { eventId, paymasterId, chainId, reservationId, mode, sender, nonce, entryPointVersion } = event;
  return [eventId, paymasterId, chainId, reservationId, mode, sender, nonce, entryPointVersion];
}

async function count(
  manager: EntityManager,
  { paymasterId, atMs }: SponsorshipEvent,
  columns: readonly UsageColumn[],
  spentWei = '0',
): Promise<void> {
  const ones = columns.map(() => '1').join(', ');
  const sums = columns.map((column) => `${column} = u.${column} + 1`).join(', ');
  await manager.query(
    `INSERT INTO dashboard.usage_hours AS u (paymaster_id, hour, spent_wei, ${columns.join(', ')})
     VALUES ($1, date_trunc('hour', to_timestamp($2 / 1000.0), 'UTC'), $3, ${ones})
     ON CONFLICT (paymaster_id, hour) DO UPDATE SET spent_wei = u.spent_wei + excluded.spent_wei, ${sums}`,
    [paymasterId, atMs, spentWei],
  );
}
