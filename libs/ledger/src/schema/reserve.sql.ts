/**
 * `ledger.reserve(...)`: decides a batch of reservations and writes the granted ones, in one transaction
 * (docs/architecture/ledger.md, "Reserving"). The number of statements does not depend on the size of the batch:
 * a first part locks and reads, a walk over arrays decides, a last part writes.
 *
 * The batch is passed by columns, as ../gateway/batch-values.ts makes them: an array for each field, which costs a
 * fraction of what objects cost in the gateway and in Postgres. Wallets (`w_`) and budgets (`b_`; as rows that may be
 * created, `n_`) are lists of distinct items. Requests (`r_`) and claims (`c_`) refer to them by position, from 1. The
 * claims of a request are a range of all claims. A claim with a share belongs to one client. Its limit is a percentage
 * of the sum of what is left and what the client itself holds, of an earlier claim of the request (`c_of`) or of the
 * wallet (0). A client that holds nothing else may take all that is left. `events` has, for each request, a line with a
 * JSON object: the granted event. For a quiet request it is written only if the reservation is new.
 *
 * Requests with `r_brake` are checked by the spending brake of their pair of paymaster and wallet (`k_`). `r_released`
 * is the time at which the owner last released that brake, in unix milliseconds.
 *
 * For claims in `exposureWei`, each request brings its cap, and its own cap is in force whatever its policy version:
 * the requests come from several paymasters, whose versions cannot be compared. A sender that has taken tokens away
 * before is refused such claims (`blocked`). A limit that several paymasters share has a version of its own
 * (`c_version`), which counts in place of the request's.
 *
 * The settings of the function make every plan use indexes, whatever the statistics of a young table say.
 */
export const CREATE_RESERVE = `
CREATE OR REPLACE FUNCTION ledger.reserve(
  max_lag bigint,
  w_chain bigint[], w_contract text[], w_wallet text[],
  b_key text[],
  n_paymaster uuid[], n_live boolean[], n_ends_at bigint[], n_total numeric[], n_limit numeric[], n_version bigint[],
  r_wallet integer[], r_entry_point text[], r_entry_point_version text[], r_paymaster uuid[], r_version bigint[],
  r_mode text[], r_sender text[], r_nonce numeric[], r_amount numeric[], r_valid_until bigint[], r_now bigint[],
  r_head bigint[], r_first integer[], r_last integer[], r_quiet boolean[],
  c_request integer[], c_budget integer[], c_unit text[], c_amount numeric[], c_limit numeric[], c_price numeric[],
  c_share integer[], c_of integer[],
  events text, r_brake boolean[] DEFAULT NULL, r_released bigint[] DEFAULT NULL,
  c_version bigint[] DEFAULT NULL)
RETURNS TABLE (reservation_id bigint, refused_by text, refused_claim integer, used_amount numeric, limit_amount numeric)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  zero constant numeric := 0;
  found_row record;
  -- Wallets. Null ids are unknown wallets; null head times are chains that nothing is reserved on.
  w_id bigint[]; w_free numeric[]; w_added numeric[]; w_head_time bigint[]; w_is_checked boolean[];
  w_spendable numeric[];
  -- Pairs of a wallet and a paymaster: what is held, what of it landed, and what was lost within the hour.
  k_wallet integer[]; k_paymaster uuid[]; k_held numeric[]; k_landed numeric[]; k_lost numeric[]; k_released bigint[];
  k_is_stopped boolean[]; k_is_changed boolean[]; k_stops boolean[];
  -- Budgets.
  made_ids bigint[]; b_id bigint[]; b_live boolean[]; b_is_made boolean[]; b_reserved numeric[]; b_used numeric[]; b_added numeric[];
  b_limit numeric[]; b_version bigint[]; b_granted boolean[];
  -- Requests. The id is that of the reservation, found or new.
  r_pair integer[]; r_id bigint[]; r_is_new boolean[]; r_held numeric[]; r_added numeric[]; r_granted boolean[];
  r_refused_by text[]; r_refused_claim integer[]; r_used numeric[]; r_limit numeric[];
  -- Claims.
  c_held numeric[]; c_added numeric[]; c_left numeric[];
  -- Requests of senders that took tokens away; null where no request has an exposure.
  r_is_blocked boolean[];
  -- The walk.
  r integer; w integer; c integer; b integer; k integer := 0;
  added numeric; room numeric; used numeric; effective numeric; left_over numeric; refusal text; version bigint;
  any_changed boolean := false; any_found boolean := false; any_made boolean := false; any_granted boolean := false;
BEGIN
  -- Whatever the server's setting: what is granted is on disk before anybody signs.
  PERFORM set_config('synchronous_commit', 'on', true);

  w_id := array_fill(NULL::bigint, ARRAY[cardinality(w_chain)]);
  w_free := array_fill(zero, ARRAY[cardinality(w_chain)]);
  w_added := w_free;
  w_spendable := w_free;
  w_head_time := w_id;
  w_is_checked := array_fill(false, ARRAY[cardinality(w_chain)]);
  r_id := array_fill(NULL::bigint, ARRAY[cardinality(r_wallet)]);
  r_held := array_fill(zero, ARRAY[cardinality(r_wallet)]);
  r_added := r_held;
  r_used := array_fill(NULL::numeric, ARRAY[cardinality(r_wallet)]);
  r_limit := r_used;
  r_is_new := array_fill(false, ARRAY[cardinality(r_wallet)]);
  r_granted := r_is_new;
  r_refused_by := array_fill(NULL::text, ARRAY[cardinality(r_wallet)]);
  r_refused_claim := array_fill(NULL::integer, ARRAY[cardinality(r_wallet)]);
  c_held := array_fill(zero, ARRAY[cardinality(c_budget)]);
  c_added := c_held;
  c_left := c_held;

  -- Lock and read: wallets by id, reservations (their wallet's lock covers them), budgets by key.
  FOR found_row IN
    SELECT p.n, w.id, w.spendable_wei, w.spendable_wei - w.held_wei AS free
      FROM unnest(w_chain, w_contract, w_wallet) WITH ORDINALITY p(chain, contract, wallet, n)
      JOIN ledger.wallets w ON w.chain_id = p.chain AND w.contract = p.contract AND w.wallet = p.wallet
     ORDER BY w.id FOR NO KEY UPDATE OF w
  LOOP
    w_id[found_row.n] := found_row.id;
    w_spendable[found_row.n] := found_row.spendable_wei;
    w_free[found_row.n] := found_row.free;
  END LOOP;
  FOR found_row IN
    SELECT p.n, k.head_time, k.checked_at > clock_timestamp() - max_lag * interval '1 second' AS is_checked
      FROM unnest(w_chain) WITH ORDINALITY p(chain, n)
      JOIN ledger.cursors k ON k.chain_id = p.chain AND k.halted_reason IS NULL
  LOOP
    w_head_time[found_row.n] := found_row.head_time;
    w_is_checked[found_row.n] := found_row.is_checked;
  END LOOP;
  -- The hour is the chain's: up to its newest block, or up to now where it stands still.
  FOR found_row IN
    SELECT p.wallet, p.paymaster, p.requests, b.held_wei, b.landed_wei, b.released_ms,
           b.stopped_at IS NOT NULL AS is_stopped, l.lost_wei
      FROM (SELECT u.wallet, u.paymaster, array_agg(u.n::integer) AS requests, max(u.now) AS now
              FROM unnest(r_wallet, r_paymaster, r_now) WITH ORDINALITY u(wallet, paymaster, now, n)
             GROUP BY u.wallet, u.paymaster) p
      LEFT JOIN ledger.brakes b ON b.wallet_id = w_id[p.wallet] AND b.paymaster_id = p.paymaster
      LEFT JOIN LATERAL (
           SELECT sum(o.lost_wei) AS lost_wei FROM ledger.losses o
            WHERE o.wallet_id = b.wallet_id AND o.paymaster_id = b.paymaster_id
              AND o.minute >= CASE WHEN w_is_checked[p.wallet] THEN greatest(p.now, w_head_time[p.wallet])
                                   ELSE w_head_time[p.wallet] END / 60 - 60) l ON true
  LOOP
    k := k + 1;
    k_wallet[k] := found_row.wallet;
    k_paymaster[k] := found_row.paymaster;
    k_held[k] := coalesce(found_row.held_wei, zero);
    k_landed[k] := coalesce(found_row.landed_wei, zero);
    k_lost[k] := coalesce(found_row.lost_wei, zero);
    k_released[k] := coalesce(found_row.released_ms, 0);
    k_is_stopped[k] := found_row.is_stopped;
    k_is_changed[k] := false;
    k_stops[k] := false;
    FOREACH r IN ARRAY found_row.requests LOOP
      r_pair[r] := k;
    END LOOP;
  END LOOP;
  FOR found_row IN
    SELECT p.n, v.id, v.hold_wei
      FROM unnest(r_wallet, r_paymaster, r_sender, r_nonce) WITH ORDINALITY p(wallet, paymaster, sender, nonce, n)
     CROSS JOIN LATERAL (
           SELECT id, hold_wei FROM ledger.reservations
            WHERE wallet_id = w_id[p.wallet] AND paymaster_id = p.paymaster
              AND sender = p.sender AND nonce = p.nonce AND closed_at IS NULL
            LIMIT 1) v
  LOOP
    any_found := true;
    r_id[found_row.n] := found_row.id;
    r_held[found_row.n] := found_row.hold_wei;
  END LOOP;
  IF 'exposureWei' = ANY (c_unit) THEN
    SELECT array_agg(EXISTS (SELECT FROM ledger.unpaid_operations u
                              WHERE u.chain_id = w_chain[p.wallet] AND u.wallet = w_wallet[p.wallet]
                                AND u.sender = p.sender AND u.is_taken) ORDER BY p.n)
      INTO r_is_blocked FROM unnest(r_wallet, r_sender) WITH ORDINALITY p(wallet, sender, n);
  END IF;
  IF cardinality(c_budget) > 0 THEN
    b_id := array_fill(NULL::bigint, ARRAY[cardinality(b_key)]);
    b_version := b_id;
    b_used := array_fill(zero, ARRAY[cardinality(b_key)]);
    b_reserved := b_used;
    b_limit := b_used;
    b_added := b_used;
    b_live := array_fill(false, ARRAY[cardinality(b_key)]);
    b_is_made := b_live;
    b_granted := b_live;
    -- A conflict locks the row and changes nothing, so this one statement takes old and new budgets in key order, and
    -- returns the new. They are written as if everything will be granted, which saves writing them twice when it is.
    WITH made AS (
      INSERT INTO ledger.budgets (key, paymaster_id, live, ends_at, reserved, limit_amount, policy_version)
      SELECT key, paymaster, live, ends_at, CASE WHEN total <= maximum THEN total ELSE 0 END, maximum, version
        FROM unnest(b_key, n_paymaster, n_live, n_ends_at, n_total, n_limit, n_version)
             p(key, paymaster, live, ends_at, total, maximum, version)
       ORDER BY key COLLATE "C"
      ON CONFLICT (key) DO UPDATE SET reserved = ledger.budgets.reserved WHERE false
      RETURNING id)
    SELECT coalesce(array_agg(id), '{}') INTO made_ids FROM made;
    any_made := cardinality(made_ids) > 0;
    FOR found_row IN
      SELECT p.n, d.id, d.live, d.reserved, d.reserved + d.spent AS used, d.limit_amount, d.policy_version,
             d.id = ANY (made_ids) AS is_made
        FROM unnest(b_key) WITH ORDINALITY p(key, n) JOIN ledger.budgets d ON d.key = p.key
    LOOP
      b := found_row.n;
      b_id[b] := found_row.id;
      b_live[b] := found_row.live;
      IF found_row.is_made THEN
        b_is_made[b] := true;
        b_version[b] := 0;
      ELSE
        b_reserved[b] := found_row.reserved;
        b_used[b] := found_row.used;
        b_limit[b] := found_row.limit_amount;
        b_version[b] := found_row.policy_version;
      END IF;
    END LOOP;
    IF any_found THEN
      FOR found_row IN
        SELECT p.n, h.amount
          FROM unnest(c_request, c_budget) WITH ORDINALITY p(request, budget, n)
          JOIN ledger.holds h ON h.reservation_id = r_id[p.request] AND h.budget_id = b_id[p.budget]
      LOOP
        c_held[found_row.n] := found_row.amount;
      END LOOP;
    END IF;
  END IF;

  -- Decide, in order of arrival. Also without a raise there must be room: a lowered limit grants nothing.
  FOR r IN 1 .. cardinality(r_wallet) LOOP
    w := r_wallet[r];
    k := r_pair[r];
    added := greatest(r_amount[r] - r_held[r], zero);
    room := w_free[w];
    refusal := NULL;
    -- The owner saw what was lost and lets it go on: from here on it is counted anew.
    IF r_released[r] > k_released[k] AND w_id[w] IS NOT NULL THEN
      k_released[k] := r_released[r];
      k_lost[k] := zero;
      k_is_stopped[k] := false;
      k_is_changed[k] := true;
      any_changed := true;
    END IF;
    -- Where settlement saw lately that there is nothing newer, a chain may stand still; then only a block that this
    -- gateway knows and settlement does not says that it is behind.
    IF w_head_time[w] IS NULL
       OR w_head_time[w] + max_lag < (CASE WHEN w_is_checked[w] THEN r_head[r] ELSE r_now[r] END) THEN
      refusal := 'behind';
    ELSIF w_id[w] IS NULL OR added > w_free[w] THEN
      refusal := 'wallet';
      r_used[r] := greatest(w_free[w] + r_held[r], zero);
    ELSIF r_brake[r] AND k_is_stopped[k] THEN
      refusal := 'stopped';
    ELSIF r_brake[r] AND (k_lost[k] > 0 OR k_held[k] > r_held[r]) THEN
      -- What stays free has to be as much as what is held and lost, so that at most half is lost. Who holds and lost
      -- nothing may hold one operation of any size.
      used := k_held[k] - k_landed[k] + k_lost[k];
      room := greatest(div(w_free[w] - used, 2), zero);
      IF w_free[w] - used < 2 * added THEN
        refusal := 'brake';
        r_used[r] := room + r_held[r];
        r_limit[r] := k_lost[k];
        -- By losses alone, never by what is held: half of what may be lost is.
        IF k_lost[k] > 0 AND 4 * k_lost[k] >= w_spendable[w] - k_landed[k] + k_lost[k] THEN
          refusal := 'stops';
          k_is_stopped[k] := true;
          k_stops[k] := true;
          k_is_changed[k] := true;
          any_changed := true;
        END IF;
      END IF;
    END IF;
    IF refusal IS NULL THEN
      FOR c IN r_first[r] .. r_last[r] LOOP
        b := c_budget[c];
        effective := CASE WHEN coalesce(c_version[c], r_version[r]) >= b_version[b] OR c_unit[c] = 'exposureWei' THEN c_limit[c]
                          ELSE b_limit[b] END;
        c_added[c] := greatest(c_amount[c] - c_held[c], zero);
        IF c_share[c] IS NOT NULL THEN
          -- Who holds nothing else may hold all that is left: no operation is refused for its size. Else upwards, so that
          -- a client may hold the last one of a count; what is held is no reason to refuse.
          left_over := greatest(CASE WHEN c_of[c] = 0 THEN room ELSE c_left[c_of[c]] END, zero);
          effective := CASE WHEN b_used[b] <= c_held[c] THEN left_over + b_used[b]
                            ELSE greatest(div((left_over + b_used[b]) * c_share[c] + 99, 100), b_used[b]) END;
        END IF;
        c_left[c] := effective - b_used[b];
        IF c_unit[c] = 'exposureWei' AND r_is_blocked[r] THEN
          refusal := 'blocked';
          EXIT;
        END IF;
        IF b_used[b] + c_added[c] > effective THEN
          refusal := 'claim';
          r_refused_claim[r] := c - r_first[r];
          r_used[r] := b_used[b];
          r_limit[r] := effective;
          EXIT;
        END IF;
      END LOOP;
    END IF;
    IF refusal IS NOT NULL THEN
      r_refused_by[r] := refusal;
      CONTINUE;
    END IF;
    any_granted := true;
    r_granted[r] := true;
    r_added[r] := added;
    IF r_id[r] IS NULL THEN
      r_id[r] := nextval('ledger.reservations_id_seq');
      r_is_new[r] := true;
    END IF;
    w_free[w] := w_free[w] - added;
    w_added[w] := w_added[w] + added;
    k_held[k] := k_held[k] + added;
    FOR c IN r_first[r] .. r_last[r] LOOP
      b := c_budget[c];
      b_used[b] := b_used[b] + c_added[c];
      b_added[b] := b_added[b] + c_added[c];
      b_granted[b] := true;
      version := coalesce(c_version[c], r_version[r]);
      IF version >= b_version[b] OR c_unit[c] = 'exposureWei' THEN
        b_limit[b] := c_limit[c];
        b_version[b] := greatest(b_version[b], version);
      END IF;
    END LOOP;
  END LOOP;

  -- What happens to a brake is kept, and a stop is told, also where nothing is granted.
  IF any_changed THEN
    INSERT INTO ledger.brakes AS b (wallet_id, paymaster_id, released_ms, stopped_at)
    SELECT w_id[p.wallet], p.paymaster, p.released, CASE WHEN p.is_stopped THEN clock_timestamp() END
      FROM unnest(k_wallet, k_paymaster, k_released, k_is_stopped, k_is_changed)
           p(wallet, paymaster, released, is_stopped, is_changed)
     WHERE p.is_changed
     ORDER BY 1, 2
    ON CONFLICT (wallet_id, paymaster_id) DO UPDATE
       SET released_ms = excluded.released_ms, stopped_at = excluded.stopped_at;
    UPDATE ledger.losses o SET lost_wei = 0
      FROM unnest(k_wallet, k_paymaster, k_is_changed, k_lost) p(wallet, paymaster, is_changed, lost)
     WHERE p.is_changed AND p.lost = 0 AND o.wallet_id = w_id[p.wallet] AND o.paymaster_id = p.paymaster
       AND o.lost_wei > 0;
    INSERT INTO ledger.outbox (kind, chain_id, paymaster_id, payload)
    SELECT 'walletBraked', w_chain[p.wallet], p.paymaster, json_build_object(
             'kind', 'walletBraked', 'chainId', w_chain[p.wallet], 'paymasterId', p.paymaster,
             'contract', w_contract[p.wallet], 'fundingWallet', w_wallet[p.wallet], 'lostWei', p.lost::text,
             'leftWei', (w_spendable[p.wallet] - p.landed)::text, 'releasedAtMs', p.released)
      FROM unnest(k_wallet, k_paymaster, k_stops, k_lost, k_landed, k_released)
           p(wallet, paymaster, stops, lost, landed, released)
     WHERE p.stops;
  END IF;

  -- Write. What was refused leaves nothing, so that a stranger cannot fill the table.
  IF any_made AND NOT (true = ALL (b_granted)) THEN
    DELETE FROM ledger.budgets d USING unnest(b_id, b_is_made, b_granted) p(id, is_made, granted)
     WHERE d.id = p.id AND p.is_made AND NOT p.granted;
  END IF;
  IF any_granted THEN
    UPDATE ledger.wallets w SET held_wei = w.held_wei + p.added
      FROM unnest(w_id, w_added) p(id, added) WHERE w.id = p.id AND p.added > 0;
    UPDATE ledger.budgets d SET reserved = p.reserved + p.added, limit_amount = p.maximum, policy_version = p.version
      FROM unnest(b_id, b_granted, b_reserved, b_added, b_limit, b_version)
           p(id, granted, reserved, added, maximum, version)
     WHERE d.id = p.id AND p.granted
       AND (d.reserved <> p.reserved + p.added OR d.limit_amount <> p.maximum OR d.policy_version <> p.version);
    IF any_found THEN
      UPDATE ledger.reservations v
         SET hold_wei = v.hold_wei + p.added, valid_until = greatest(v.valid_until, p.valid_until)
        FROM unnest(r_id, r_granted, r_is_new, r_added, r_valid_until) p(id, granted, is_new, added, valid_until)
       WHERE v.id = p.id AND p.granted AND NOT p.is_new;
    END IF;
    INSERT INTO ledger.reservations
           (id, wallet_id, chain_id, entry_point, entry_point_version, paymaster_id, mode, sender, nonce, hold_wei,
            valid_until, state)
    OVERRIDING SYSTEM VALUE
    SELECT p.id, w_id[p.wallet], w_chain[p.wallet], p.entry_point, p.entry_point_version, p.paymaster, p.mode, p.sender,
           p.nonce, p.amount, p.valid_until, 'open'
      FROM unnest(r_is_new, r_id, r_wallet, r_entry_point, r_entry_point_version, r_paymaster, r_mode, r_sender,
                  r_nonce, r_amount, r_valid_until)
           p(is_new, id, wallet, entry_point, entry_point_version, paymaster, mode, sender, nonce, amount, valid_until)
     WHERE p.is_new;
    -- A new reservation has no holds yet, and to look for them would cost as much again.
    INSERT INTO ledger.holds (reservation_id, budget_id, unit, amount, micro_usd_per_native)
    SELECT r_id[p.request], b_id[p.budget], p.unit, p.amount, p.price
      FROM unnest(c_request, c_budget, c_unit, c_amount, c_price) p(request, budget, unit, amount, price)
     WHERE r_is_new[p.request] AND p.amount > 0;
    IF any_found THEN
      INSERT INTO ledger.holds AS h (reservation_id, budget_id, unit, amount, micro_usd_per_native)
      SELECT r_id[p.request], b_id[p.budget], p.unit, p.amount, p.price
        FROM unnest(c_request, c_budget, c_unit, c_amount, c_price) p(request, budget, unit, amount, price)
       WHERE r_granted[p.request] AND NOT r_is_new[p.request] AND p.amount > 0
      ON CONFLICT (reservation_id, budget_id) DO UPDATE
         SET amount = greatest(h.amount, excluded.amount),
             micro_usd_per_native = greatest(h.micro_usd_per_native, excluded.micro_usd_per_native);
    END IF;
    INSERT INTO ledger.entries (kind, wallet_id, budget_id, reservation_id, debit, credit, amount)
    SELECT 'reserved', w_id[p.wallet], NULL, p.id, 'available', 'reserved', p.added
      FROM unnest(r_wallet, r_id, r_added) p(wallet, id, added) WHERE p.added > 0
    UNION ALL
    SELECT 'reserved', NULL, b_id[p.budget], r_id[p.request], 'available', 'reserved', p.added
      FROM unnest(c_request, c_budget, c_added) p(request, budget, added)
     WHERE r_granted[p.request] AND NOT b_live[p.budget] AND p.added > 0;
    -- The event is an object as text, and stays text: the id is put in front of its first field.
    INSERT INTO ledger.outbox (kind, chain_id, paymaster_id, payload)
    SELECT 'granted', w_chain[p.wallet], p.paymaster, ('{"reservationId":"' || p.id || '",' || substr(p.event, 2))::json
      FROM unnest(r_granted, r_is_new, r_quiet, r_wallet, r_paymaster, r_id, string_to_array(events, E'\\n'))
           p(granted, is_new, quiet, wallet, paymaster, id, event)
     WHERE p.granted AND (p.is_new OR p.quiet IS NOT TRUE);
  END IF;
  RETURN QUERY SELECT CASE WHEN p.granted THEN p.id END, p.refused_by, p.refused_claim, p.used, p.maximum
    FROM unnest(r_granted, r_id, r_refused_by, r_refused_claim, r_used, r_limit)
         p(granted, id, refused_by, refused_claim, used, maximum);
END $$`;
