/**
 * How far settlement may be behind the gateway's head before it counts as late; seconds. This is five blocks of the
 * slowest chains.
 */
export const LATE_SECONDS = 60;
/** A network that landed operations on this many of the last seven days has ten times as much room. */
export const REGULAR_DAYS = 3;

/**
 * `ledger.reserve_for_clients(...)`: decides a batch of reservations and writes the granted ones, in one transaction
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
 * the requests come from several paymasters, whose versions cannot be compared. The cap of a sender counts only
 * operations that are known not to have paid; the cap of a token also counts all that may still not pay. A sender that
 * has taken tokens away before is refused such claims (`blocked`). A limit that several paymasters share has a version of its own
 * (`c_version`), which counts in place of the request's.
 *
 * Requests with `r_network` come from an anonymous client network. For each pair of a wallet and a network (`s_`) the
 * function bounds what is asked beyond the gateway's own answer (`excess`), what its operations cost within an hour
 * (`room`), what all new networks cost together (`newcomers`), and what is held at once (`held`). A claim with
 * `c_strangers` counts only for senders that landed nothing lately.
 *
 * Landed nonces (`l_`) are those of the request's sender that the gateway has seen used on the chain. What they hold of
 * caps on live signatures is not counted, although settlement ends it only later.
 *
 * While settlement is late, what it has not seen yet is no reason to refuse: the bounds on networks do not hold then,
 * and, where the brake is on, a claim with `c_lifts` counts only what is spent or known to be unpaid.
 *
 * `ledger.reserve` is the same function as gateways of the former version call it. The next version removes it.
 *
 * The settings of the function make every plan use indexes, whatever the statistics of a young table say.
 */
export const CREATE_RESERVE = `
CREATE OR REPLACE FUNCTION ledger.reserve_for_clients(
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
  c_version bigint[] DEFAULT NULL, r_expected numeric[] DEFAULT NULL, r_network text[] DEFAULT NULL,
  r_excess numeric[] DEFAULT NULL, r_own boolean[] DEFAULT NULL, r_room bigint[] DEFAULT NULL,
  r_least_room numeric[] DEFAULT NULL, r_ordinary numeric[] DEFAULT NULL, r_testnet boolean[] DEFAULT NULL,
  r_freely boolean[] DEFAULT NULL, c_strangers boolean[] DEFAULT NULL,
  c_lifts boolean[] DEFAULT NULL, l_request integer[] DEFAULT NULL, l_nonce numeric[] DEFAULT NULL)
RETURNS TABLE (reservation_id bigint, refused_by text, refused_claim integer, used_amount numeric, limit_amount numeric,
               retry_after bigint)
LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_bitmapscan = off
SET plan_cache_mode = force_generic_plan SET jit = off
AS $$
#variable_conflict use_column
DECLARE
  zero constant numeric := 0;
  found_row record;
  -- Wallets. A null id is an unknown wallet; a null head time is a chain on which nothing is reserved.
  w_id bigint[]; w_free numeric[]; w_added numeric[]; w_head_time bigint[]; w_is_checked boolean[]; w_is_fresh boolean[];
  w_spendable numeric[];
  -- The end of the hour; the spendable amount, less landed charges and the expected cost of open operations.
  w_time bigint[]; w_left numeric[];
  -- The amount of the wallet an hour ago; the cost of new networks; the holds of strangers' senders.
  w_whole numeric[]; w_new numeric[]; w_strangers numeric[];
  -- Pairs of a wallet and a paymaster: what open operations will cost, what landed, and what was lost within the hour.
  k_wallet integer[]; k_paymaster uuid[]; k_expected numeric[]; k_landed numeric[]; k_lost numeric[]; k_released bigint[];
  k_is_stopped boolean[]; k_is_changed boolean[]; k_stops boolean[];
  -- Budgets.
  made_ids bigint[]; b_id bigint[]; b_live boolean[]; b_is_made boolean[]; b_reserved numeric[]; b_used numeric[]; b_added numeric[];
  b_limit numeric[]; b_version bigint[]; b_granted boolean[]; b_spent numeric[]; b_is_of_sender boolean[];
  -- Pairs of a wallet and a client network. What is held ends when the head is past its validity; cost and excess are
  -- those of the hour, landed and held together.
  s_wallet integer[]; s_network text[]; s_held numeric[]; s_cost numeric[]; s_excess numeric[]; s_strikes integer[];
  s_days integer[]; s_told bigint[]; s_room numeric[]; s_teller integer[];
  r_site integer[]; r_is_known boolean[];
  -- How the found reservation counts now. When the request is granted: how it will count.
  v_counts boolean[]; v_landed boolean[]; v_expected numeric[]; v_excess numeric[]; v_network text[]; v_new boolean[];
  v_stranger boolean[];
  -- Requests. The id is the reservation's, found or new.
  r_pair integer[]; r_id bigint[]; r_is_new boolean[]; r_held numeric[]; r_added numeric[]; r_granted boolean[];
  r_refused_by text[]; r_refused_claim integer[]; r_used numeric[]; r_limit numeric[]; r_retry bigint[];
  -- Claims.
  c_held numeric[]; c_added numeric[]; c_left numeric[]; c_skipped boolean[];
  -- What landed, is not final, and did not pay; and what is held for nonces that the chain has used.
  c_unpaid numeric[]; c_landed numeric[];
  -- Requests of senders that took tokens away; null where no request has an exposure.
  r_is_blocked boolean[];
  -- Variables of the loop that decides.
  r integer; w integer; c integer; b integer; k integer := 0; s integer := 0;
  added numeric; room numeric; used numeric; effective numeric; left_over numeric; refusal text; version bigint;
  hold numeric; expected numeric; excess numeric; own numeric; own_held numeric; own_cost numeric; own_excess numeric;
  own_new numeric; own_stranger numeric; is_new boolean; is_stranger boolean; is_late boolean; moves boolean;
  needed numeric;
  any_changed boolean := false; any_found boolean := false; any_made boolean := false; any_granted boolean := false;
  any_network constant boolean := cardinality(array_remove(r_network, NULL)) > 0;
  -- The budgets have room for all claims of the batch, so no claim is looked at by itself.
  has_room boolean := false;
BEGIN
  -- Not the server's setting: a granted request has to be on disk before the gateway signs.
  PERFORM set_config('synchronous_commit', 'on', true);

  w_id := array_fill(NULL::bigint, ARRAY[cardinality(w_chain)]);
  w_free := array_fill(zero, ARRAY[cardinality(w_chain)]);
  w_added := w_free;
  w_spendable := w_free;
  w_head_time := w_id;
  w_time := w_id;
  w_left := w_free;
  w_whole := w_free;
  w_new := w_free;
  w_strangers := w_free;
  w_is_checked := array_fill(false, ARRAY[cardinality(w_chain)]);
  w_is_fresh := w_is_checked;
  r_id := array_fill(NULL::bigint, ARRAY[cardinality(r_wallet)]);
  r_held := array_fill(zero, ARRAY[cardinality(r_wallet)]);
  r_added := r_held;
  r_used := array_fill(NULL::numeric, ARRAY[cardinality(r_wallet)]);
  r_limit := r_used;
  r_is_new := array_fill(false, ARRAY[cardinality(r_wallet)]);
  r_granted := r_is_new;
  r_refused_by := array_fill(NULL::text, ARRAY[cardinality(r_wallet)]);
  r_refused_claim := array_fill(NULL::integer, ARRAY[cardinality(r_wallet)]);
  r_retry := r_id;
  r_site := r_refused_claim;
  v_counts := r_is_new;
  v_landed := r_is_new;
  v_new := r_is_new;
  v_stranger := r_is_new;
  v_expected := r_held;
  v_excess := r_held;
  v_network := r_refused_by;
  c_skipped := array_fill(false, ARRAY[cardinality(c_budget)]);
  c_held := array_fill(zero, ARRAY[cardinality(c_budget)]);
  c_added := c_held;
  c_left := c_held;
  c_unpaid := c_held;
  c_landed := c_held;

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
  -- The hour is the chain's: up to its newest block, or up to now where it stands still.
  FOR found_row IN
    SELECT p.n, k.head_time, k.is_checked, k.is_fresh, s.expected_wei, s.landed_wei,
           CASE WHEN k.is_checked THEN greatest(k.head_time, t.now) ELSE k.head_time END AS time
      FROM unnest(w_chain) WITH ORDINALITY p(chain, n)
      JOIN LATERAL (
           SELECT head_time, checked_at > clock_timestamp() - max_lag * interval '1 second' AS is_checked,
                  checked_at > clock_timestamp() - ${LATE_SECONDS} * interval '1 second' AS is_fresh
             FROM ledger.cursors WHERE chain_id = p.chain AND halted_reason IS NULL) k ON true
     CROSS JOIN LATERAL (
           SELECT max(u.now) AS now FROM unnest(r_wallet, r_now) u(wallet, now) WHERE u.wallet = p.n) t
     CROSS JOIN LATERAL (
           SELECT coalesce(sum(b.expected_wei), 0) AS expected_wei, coalesce(sum(b.landed_wei), 0) AS landed_wei
             FROM ledger.brakes b WHERE b.wallet_id = w_id[p.n]) s
  LOOP
    w_head_time[found_row.n] := found_row.head_time;
    w_is_checked[found_row.n] := found_row.is_checked;
    w_is_fresh[found_row.n] := found_row.is_fresh;
    w_time[found_row.n] := found_row.time;
    w_left[found_row.n] := w_spendable[found_row.n] - found_row.expected_wei - found_row.landed_wei;
    w_whole[found_row.n] := w_spendable[found_row.n] - found_row.landed_wei;
  END LOOP;
  FOR found_row IN
    SELECT p.wallet, p.paymaster, p.requests, b.expected_wei, b.landed_wei, b.released_ms,
           b.stopped_at IS NOT NULL AS is_stopped, l.lost_wei
      FROM (SELECT u.wallet, u.paymaster, array_agg(u.n::integer) AS requests
              FROM unnest(r_wallet, r_paymaster) WITH ORDINALITY u(wallet, paymaster, n)
             GROUP BY u.wallet, u.paymaster) p
      LEFT JOIN ledger.brakes b ON b.wallet_id = w_id[p.wallet] AND b.paymaster_id = p.paymaster
      LEFT JOIN LATERAL (
           SELECT sum(o.lost_wei) AS lost_wei FROM ledger.losses o
            WHERE o.wallet_id = b.wallet_id AND o.paymaster_id = b.paymaster_id
              AND o.minute >= w_time[p.wallet] / 60 - 60) l ON true
  LOOP
    k := k + 1;
    k_wallet[k] := found_row.wallet;
    k_paymaster[k] := found_row.paymaster;
    k_expected[k] := coalesce(found_row.expected_wei, zero);
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
  IF any_network THEN
    -- All networks together. Charges of the last hour are added to the whole, so that it does not shrink in use.
    FOR found_row IN
      SELECT p.n, l.lost_wei, a.held_wei, coalesce(a.expected_wei, 0) + coalesce(u.cost_wei, 0) AS new_wei
        FROM unnest(w_id, w_time) WITH ORDINALITY p(id, time, n)
        LEFT JOIN LATERAL (
             SELECT sum(o.lost_wei) AS lost_wei FROM ledger.brakes b
               JOIN ledger.losses o ON o.wallet_id = b.wallet_id AND o.paymaster_id = b.paymaster_id
                AND o.minute >= p.time / 60 - 60
              WHERE b.wallet_id = p.id) l ON true
        LEFT JOIN ledger.networks a ON a.wallet_id = p.id AND a.network = ''
        LEFT JOIN LATERAL (
             SELECT sum(o.cost_wei) AS cost_wei FROM ledger.network_uses o
              WHERE o.wallet_id = p.id AND o.network = '' AND o.minute >= p.time / 60 - 60) u ON true
    LOOP
      w_whole[found_row.n] := w_whole[found_row.n] + coalesce(found_row.lost_wei, zero);
      w_strangers[found_row.n] := coalesce(found_row.held_wei, zero);
      w_new[found_row.n] := found_row.new_wei;
    END LOOP;
    FOR found_row IN
      SELECT p.wallet, p.network, p.requests, n.held_wei, n.strikes, n.told_hour, d.days,
             coalesce(n.expected_wei, 0) + coalesce(u.cost_wei, 0) AS cost_wei,
             coalesce(n.excess_wei, 0) + coalesce(u.excess_wei, 0) AS excess_wei
        FROM (SELECT u.wallet, u.network, array_agg(u.n::integer) AS requests
                FROM unnest(r_wallet, r_network) WITH ORDINALITY u(wallet, network, n)
               WHERE u.network IS NOT NULL GROUP BY u.wallet, u.network) p
        LEFT JOIN ledger.networks n ON n.wallet_id = w_id[p.wallet] AND n.network = p.network
        LEFT JOIN LATERAL (
             SELECT sum(o.cost_wei) AS cost_wei, sum(o.excess_wei) AS excess_wei FROM ledger.network_uses o
              WHERE o.wallet_id = n.wallet_id AND o.network = n.network
                AND o.minute >= w_time[p.wallet] / 60 - 60) u ON true
        LEFT JOIN LATERAL (
             SELECT count(*)::integer AS days FROM ledger.network_days y
              WHERE y.wallet_id = n.wallet_id AND y.network = n.network AND y.landed > 0
                AND y.day >= w_time[p.wallet] / 86400 - 7 AND y.day < w_time[p.wallet] / 86400) d ON true
    LOOP
      s := s + 1;
      s_wallet[s] := found_row.wallet;
      s_network[s] := found_row.network;
      s_held[s] := coalesce(found_row.held_wei, zero);
      s_cost[s] := found_row.cost_wei;
      s_excess[s] := found_row.excess_wei;
      s_strikes[s] := coalesce(found_row.strikes, 0);
      s_days[s] := coalesce(found_row.days, 0);
      s_told[s] := coalesce(found_row.told_hour, 0);
      s_room[s] := zero;
      s_teller[s] := NULL;
      FOREACH r IN ARRAY found_row.requests LOOP
        r_site[r] := s;
      END LOOP;
    END LOOP;
    SELECT array_agg(EXISTS (SELECT FROM ledger.senders e
                              WHERE e.wallet_id = w_id[p.wallet] AND e.sender = p.sender
                                AND e.landed_at > w_time[p.wallet] - 604800) ORDER BY p.n)
      INTO r_is_known FROM unnest(r_wallet, r_sender) WITH ORDINALITY p(wallet, sender, n);
  END IF;
  FOR found_row IN
    SELECT p.n, v.*
      FROM unnest(r_wallet, r_paymaster, r_sender, r_nonce) WITH ORDINALITY p(wallet, paymaster, sender, nonce, n)
     CROSS JOIN LATERAL (
           SELECT id, hold_wei, coalesce(expected_wei, hold_wei) AS expected_wei, excess_wei, network, is_new_network,
                  is_stranger, state = 'open' AND is_counted AS counts, state = 'landed' AS has_landed
             FROM ledger.reservations
            WHERE wallet_id = w_id[p.wallet] AND paymaster_id = p.paymaster
              AND sender = p.sender AND nonce = p.nonce AND closed_at IS NULL
            LIMIT 1) v
  LOOP
    any_found := true;
    r_id[found_row.n] := found_row.id;
    r_held[found_row.n] := found_row.hold_wei;
    v_counts[found_row.n] := found_row.counts;
    v_landed[found_row.n] := found_row.has_landed;
    v_expected[found_row.n] := found_row.expected_wei;
    v_excess[found_row.n] := found_row.excess_wei;
    v_network[found_row.n] := found_row.network;
    v_new[found_row.n] := found_row.is_new_network;
    v_stranger[found_row.n] := found_row.is_stranger;
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
    b_spent := b_used;
    b_live := array_fill(false, ARRAY[cardinality(b_key)]);
    b_is_made := b_live;
    b_granted := b_live;
    b_is_of_sender := b_live;
    -- A conflict locks the row and changes nothing. So this one statement locks old and new budgets in key order, and
    -- returns the new budgets. They are written as if all requests were granted, so that they are not written twice
    -- then.
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
    has_room := NOT any_found;
    FOR found_row IN
      SELECT p.n, d.id, d.live, d.reserved, d.spent, d.limit_amount, d.policy_version,
             d.id = ANY (made_ids) AS is_made, p.key LIKE 'exposure:%:sender:%' AS is_of_sender,
             p.total, p.maximum, p.version
        FROM unnest(b_key, n_total, n_limit, n_version) WITH ORDINALITY p(key, total, maximum, version, n)
        JOIN ledger.budgets d ON d.key = p.key
    LOOP
      b := found_row.n;
      b_id[b] := found_row.id;
      b_live[b] := found_row.live;
      b_is_of_sender[b] := found_row.is_of_sender;
      IF found_row.is_made THEN
        b_is_made[b] := true;
        b_version[b] := 0;
      ELSE
        b_reserved[b] := found_row.reserved;
        b_spent[b] := found_row.spent;
        b_used[b] := found_row.reserved + found_row.spent;
        b_limit[b] := found_row.limit_amount;
        b_version[b] := found_row.policy_version;
      END IF;
      has_room := has_room AND b_used[b] + found_row.total <= found_row.maximum
                  AND b_version[b] <= found_row.version;
    END LOOP;
    IF has_room THEN
      -- Shares and exposures have rules of their own. All claims on a budget have to know the same limit of it.
      SELECT bool_and(p.share IS NULL AND p.unit <> 'exposureWei' AND p.maximum = n_limit[p.budget]
                      AND coalesce(p.version, r_version[p.request]) = n_version[p.budget]) INTO has_room
        FROM unnest(c_request, c_budget, c_unit, c_limit, c_version, c_share)
             p(request, budget, unit, maximum, version, share);
    END IF;
    IF any_found THEN
      FOR found_row IN
        SELECT p.n, h.amount
          FROM unnest(c_request, c_budget) WITH ORDINALITY p(request, budget, n)
          JOIN ledger.holds h ON h.reservation_id = r_id[p.request] AND h.budget_id = b_id[p.budget]
      LOOP
        c_held[found_row.n] := found_row.amount;
      END LOOP;
    END IF;
    IF cardinality(l_request) > 0 THEN
      FOR found_row IN
        SELECT p.n, sum(h.amount) AS amount
          FROM unnest(c_request, c_budget) WITH ORDINALITY p(request, budget, n)
          JOIN unnest(l_request, l_nonce) l(request, nonce) ON l.request = p.request
          JOIN ledger.reservations v
            ON v.sender = r_sender[p.request] AND v.nonce = l.nonce AND v.wallet_id = w_id[r_wallet[p.request]]
           AND v.paymaster_id = r_paymaster[p.request] AND v.closed_at IS NULL
          JOIN ledger.holds h ON h.reservation_id = v.id AND h.budget_id = b_id[p.budget]
         WHERE b_live[p.budget]
         GROUP BY p.n
      LOOP
        c_landed[found_row.n] := found_row.amount;
      END LOOP;
    END IF;
    IF 'exposureWei' = ANY (c_unit) THEN
      FOR found_row IN
        SELECT p.n, sum(h.amount) AS amount
          FROM unnest(c_request, c_budget) WITH ORDINALITY p(request, budget, n)
          JOIN ledger.reservations v ON v.sender = r_sender[p.request] AND v.closed_at IS NULL
           AND v.chain_id = w_chain[r_wallet[p.request]]
          JOIN ledger.holds h ON h.reservation_id = v.id AND h.budget_id = b_id[p.budget]
         WHERE b_is_of_sender[p.budget]
           AND (SELECT true FROM ledger.unpaid_operations u WHERE u.reservation_id = v.id)
         GROUP BY p.n
      LOOP
        c_unpaid[found_row.n] := found_row.amount;
      END LOOP;
    END IF;
  END IF;

  -- Decide, in order of arrival. A request that raises no hold needs room too, because after a limit was lowered
  -- nothing is granted.
  FOR r IN 1 .. cardinality(r_wallet) LOOP
    w := r_wallet[r];
    k := r_pair[r];
    hold := greatest(r_amount[r], r_held[r]);
    added := hold - r_held[r];
    room := w_free[w];
    refusal := NULL;
    -- The amount with which the operation counts already is not counted again. If a network raises or revives an
    -- operation of another network, the whole operation moves to it. If it only repeats the operation, nothing moves. A
    -- landed operation counts as it landed.
    expected := coalesce(r_expected[r], r_amount[r]);
    excess := coalesce(r_excess[r], zero);
    moves := true;
    own := zero;
    IF r_id[r] IS NOT NULL THEN
      moves := NOT v_landed[r] AND (NOT v_counts[r] OR r_network[r] IS NOT DISTINCT FROM v_network[r] OR added > 0
                                    OR expected > v_expected[r] OR excess > v_excess[r]);
      expected := greatest(expected, v_expected[r]);
      excess := greatest(excess, v_excess[r]);
      own := CASE WHEN v_counts[r] THEN v_expected[r] WHEN v_landed[r] THEN expected ELSE zero END;
    END IF;
    -- Landings that settlement has not seen yet are no reason to refuse. Settlement is not late if there are no newer
    -- blocks.
    is_late := w_is_fresh[w] IS NOT TRUE AND w_head_time[w] + ${LATE_SECONDS} < r_head[r];
    s := CASE WHEN moves THEN r_site[r] END;
    IF s IS NOT NULL THEN
      own_held := zero;
      own_cost := zero;
      own_excess := zero;
      IF v_network[r] = r_network[r] THEN
        own_held := r_held[r];
        own_cost := CASE WHEN v_counts[r] THEN v_expected[r] ELSE zero END;
        own_excess := CASE WHEN v_counts[r] THEN v_excess[r] ELSE zero END;
      END IF;
      own_new := CASE WHEN v_counts[r] AND v_new[r] THEN v_expected[r] ELSE zero END;
      own_stranger := CASE WHEN v_counts[r] AND v_stranger[r] THEN r_held[r] ELSE zero END;
      is_new := s_days[s] = 0;
      is_stranger := NOT r_is_known[r];
      s_room[s] := least(div(w_whole[w], 4), CASE WHEN s_days[s] >= ${REGULAR_DAYS} THEN 10 ELSE 1 END
                         * greatest(div(w_whole[w] * r_room[r], 1000000), least(r_least_room[r], div(w_whole[w], 10))));
    END IF;
    -- The owner has released the brake. From now on losses are counted anew.
    IF r_released[r] > k_released[k] AND w_id[w] IS NOT NULL THEN
      k_released[k] := r_released[r];
      k_lost[k] := zero;
      k_is_stopped[k] := false;
      k_is_changed[k] := true;
      any_changed := true;
    END IF;
    -- If settlement saw lately that there is no newer block, the chain may stand still. Then settlement is behind only
    -- if this gateway knows a newer block.
    IF w_head_time[w] IS NULL
       OR w_head_time[w] + max_lag < (CASE WHEN w_is_checked[w] THEN r_head[r] ELSE r_now[r] END) THEN
      refusal := 'behind';
    ELSIF w_id[w] IS NULL OR added > w_free[w] THEN
      refusal := 'wallet';
      r_used[r] := greatest(w_free[w] + r_held[r], zero);
    ELSIF v_landed[r] AND added > 0 AND r_site[r] IS NOT NULL THEN
      -- The nonce is used. A higher hold would have no use, and would last until the block is final.
      refusal := 'held';
      r_used[r] := r_held[r];
      r_limit[r] := r_held[r];
    ELSIF s IS NOT NULL AND NOT r_testnet[r] THEN
      -- If nothing else counts, one ordinary operation passes, so that a small wallet stays usable.
      effective := greatest(div(w_whole[w], 100), div(least(r_least_room[r], div(w_whole[w], 10)), 3));
      IF NOT r_own[r] AND excess > own_excess AND s_excess[s] - own_excess + excess > effective
         AND NOT (s_excess[s] = own_excess AND expected <= r_ordinary[r]) THEN
        refusal := 'excess';
        r_used[r] := s_excess[s] - own_excess;
        r_limit[r] := effective;
      ELSIF NOT is_late AND expected > own_cost AND s_cost[s] - own_cost + expected > s_room[s]
            AND NOT (s_cost[s] = own_cost AND expected <= r_ordinary[r]) THEN
        refusal := 'room';
        r_used[r] := s_cost[s] - own_cost;
        r_limit[r] := s_room[s];
        IF s_cost[s] > 0 THEN
          s_teller[s] := coalesce(s_teller[s], r);
        END IF;
      ELSIF NOT is_late AND is_new AND expected > own_new AND w_new[w] - own_new + expected > div(w_whole[w], 4)
            AND NOT (w_new[w] = own_new AND expected <= r_ordinary[r]) THEN
        refusal := 'newcomers';
        r_used[r] := w_new[w] - own_new;
        r_limit[r] := div(w_whole[w], 4);
      END IF;
      IF refusal IN ('room', 'newcomers') THEN
        -- The seconds until enough landed operations are more than an hour old.
        r_retry[r] := (SELECT greatest((min(u.minute) + 61) * 60 - w_time[w], 1)
          FROM (SELECT o.minute, sum(o.cost_wei) OVER (ORDER BY o.minute) AS gone FROM ledger.network_uses o
                 WHERE o.wallet_id = w_id[w] AND o.minute >= w_time[w] / 60 - 60
                   AND o.network = CASE refusal WHEN 'room' THEN s_network[s] ELSE '' END) u
         WHERE u.gone >= r_used[r] + expected - r_limit[r]);
      END IF;
    END IF;
    IF refusal IS NOT NULL OR NOT r_brake[r] THEN
      NULL;
    ELSIF k_is_stopped[k] THEN
      refusal := 'stopped';
    ELSIF k_lost[k] > 0 OR k_expected[k] > own THEN
      -- At least as much has to stay free as is expected and lost, so that at most half is lost. A paymaster that lost
      -- nothing and has nothing open may hold one operation of any size.
      used := k_expected[k] + k_lost[k];
      room := greatest(div(w_left[w] - used, 2), zero);
      IF w_left[w] - used < 2 * (expected - own) THEN
        refusal := 'brake';
        r_used[r] := room + own;
        r_limit[r] := k_lost[k];
        -- Only losses stop the paymaster, never holds: it stops when half of what may be lost is lost.
        IF k_lost[k] > 0 AND 4 * k_lost[k] >= w_spendable[w] - k_landed[k] + k_lost[k] THEN
          refusal := 'stops';
          k_is_stopped[k] := true;
          k_stops[k] := true;
          k_is_changed[k] := true;
          any_changed := true;
        END IF;
      END IF;
      room := least(room, w_free[w]);
    END IF;
    IF refusal IS NULL AND s IS NOT NULL AND NOT is_late AND NOT r_freely[r] THEN
      -- A network that holds nothing else may hold one operation of any size.
      effective := div(greatest(div(w_whole[w], 100), 5 * r_ordinary[r]), (1 << s_strikes[s])::numeric);
      IF hold > own_held AND s_held[s] > own_held AND s_held[s] - own_held + hold > effective THEN
        refusal := 'held';
        r_used[r] := s_held[s] - own_held;
        r_limit[r] := effective;
      ELSIF is_stranger AND hold > own_stranger AND w_strangers[w] > own_stranger
            AND w_strangers[w] - own_stranger + hold > div(w_spendable[w], 2) THEN
        refusal := 'strangers';
        r_used[r] := w_strangers[w] - own_stranger;
        r_limit[r] := div(w_spendable[w], 2);
      END IF;
    END IF;
    IF refusal IS NULL AND NOT has_room THEN
      FOR c IN r_first[r] .. r_last[r] LOOP
        -- The part of a limit that is kept for senders that landed lately.
        IF c_strangers[c] AND r_is_known[r] THEN
          c_skipped[c] := true;
          CONTINUE;
        END IF;
        b := c_budget[c];
        effective := CASE WHEN coalesce(c_version[c], r_version[r]) >= b_version[b] OR c_unit[c] = 'exposureWei' THEN c_limit[c]
                          ELSE b_limit[b] END;
        c_added[c] := greatest(c_amount[c] - c_held[c], zero);
        IF c_share[c] IS NOT NULL THEN
          -- A client that holds nothing else may hold all that is left, so that no operation is refused for its size.
          -- Else its share is rounded up, so that it may hold the last operation of a count, and it is never less than
          -- it holds.
          left_over := greatest(CASE WHEN c_of[c] = 0 THEN room ELSE c_left[c_of[c]] END, zero);
          effective := CASE WHEN b_used[b] <= c_held[c] THEN left_over + b_used[b]
                            ELSE greatest(div((left_over + b_used[b]) * c_share[c] + 99, 100), b_used[b]) END;
        END IF;
        c_left[c] := effective - b_used[b];
        IF c_unit[c] = 'exposureWei' AND r_is_blocked[r] THEN
          refusal := 'blocked';
          EXIT;
        END IF;
        used := b_used[b] - CASE WHEN c_share[c] IS NULL THEN c_landed[c] ELSE zero END;
        needed := c_added[c];
        IF b_is_of_sender[b] OR (c_lifts[c] AND is_late AND r_brake[r]) THEN
          used := b_spent[b] + c_unpaid[c];
          needed := c_amount[c];
        END IF;
        IF used + needed > effective THEN
          refusal := 'claim';
          r_refused_claim[r] := c - r_first[r];
          r_used[r] := used;
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
    k_expected[k] := k_expected[k] + expected - own;
    w_left[w] := w_left[w] - (expected - own);
    IF moves AND any_network AND v_network[r] IS NOT NULL AND v_network[r] IS DISTINCT FROM r_network[r] THEN
      -- The operation no longer counts for the network that asked for it before.
      FOR o IN 1 .. cardinality(s_wallet) LOOP
        CONTINUE WHEN s_wallet[o] <> w OR s_network[o] IS DISTINCT FROM v_network[r];
        s_held[o] := s_held[o] - r_held[r];
        CONTINUE WHEN NOT v_counts[r];
        s_cost[o] := s_cost[o] - v_expected[r];
        s_excess[o] := s_excess[o] - v_excess[r];
      END LOOP;
      IF s IS NULL AND v_counts[r] THEN
        w_new[w] := w_new[w] - CASE WHEN v_new[r] THEN v_expected[r] ELSE zero END;
        w_strangers[w] := w_strangers[w] - CASE WHEN v_stranger[r] THEN r_held[r] ELSE zero END;
      END IF;
    END IF;
    IF moves THEN
      v_expected[r] := expected;
      v_excess[r] := excess;
      v_network[r] := r_network[r];
      v_new[r] := s IS NOT NULL AND is_new;
      v_stranger[r] := s IS NOT NULL AND is_stranger;
    END IF;
    IF s IS NOT NULL THEN
      s_held[s] := s_held[s] - own_held + hold;
      s_cost[s] := s_cost[s] - own_cost + expected;
      s_excess[s] := s_excess[s] - own_excess + excess;
      w_new[w] := w_new[w] - own_new + CASE WHEN is_new THEN expected ELSE zero END;
      w_strangers[w] := w_strangers[w] - own_stranger + CASE WHEN is_stranger THEN hold ELSE zero END;
      -- The owner is not told when it is a single operation.
      IF NOT r_testnet[r] AND 2 * s_cost[s] >= s_room[s] AND s_cost[s] > expected THEN
        s_teller[s] := coalesce(s_teller[s], r);
      END IF;
    END IF;
    CONTINUE WHEN has_room;
    FOR c IN r_first[r] .. r_last[r] LOOP
      CONTINUE WHEN c_skipped[c];
      b := c_budget[c];
      b_used[b] := b_used[b] + c_added[c];
      b_added[b] := b_added[b] + c_added[c];
      b_granted[b] := true;
      version := coalesce(c_version[c], r_version[r]);
      IF version >= b_version[b] OR c_unit[c] = 'exposureWei' THEN
        b_limit[b] := c_limit[c];
        b_version[b] := greatest(b_version[b], version);
      END IF;
      -- Caps that do not count all that is held. The table checks that no budget is above its limit.
      IF b_live[b] OR c_unit[c] = 'exposureWei' THEN
        b_limit[b] := greatest(b_limit[b], b_used[b]);
      END IF;
    END LOOP;
  END LOOP;

  IF has_room AND any_granted THEN
    c_added := c_amount;
    b_limit := n_limit;
    b_version := n_version;
    FOR found_row IN
      SELECT p.budget, sum(p.amount) AS amount FROM unnest(c_request, c_budget, c_amount) p(request, budget, amount)
       WHERE r_granted[p.request] GROUP BY p.budget
    LOOP
      b_granted[found_row.budget] := true;
      b_added[found_row.budget] := found_row.amount;
    END LOOP;
  END IF;

  -- Changes of a brake are written, and a stop is told, also when no request is granted.
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

  -- An owner is told once an hour that a network has used half of its room.
  IF any_network THEN
    FOR s IN 1 .. cardinality(s_wallet) LOOP
      w := s_wallet[s];
      r := s_teller[s];
      CONTINUE WHEN r IS NULL OR s_told[s] >= w_time[w] / 3600;
      INSERT INTO ledger.networks AS n (wallet_id, network, told_hour)
      VALUES (w_id[w], s_network[s], w_time[w] / 3600)
      ON CONFLICT (wallet_id, network) DO UPDATE SET told_hour = excluded.told_hour;
      INSERT INTO ledger.outbox (kind, chain_id, paymaster_id, payload)
      VALUES ('networkNearRoom', w_chain[w], r_paymaster[r], json_build_object(
                'kind', 'networkNearRoom', 'chainId', w_chain[w], 'paymasterId', r_paymaster[r],
                'contract', w_contract[w], 'fundingWallet', w_wallet[w], 'network', s_network[s],
                'usedWei', s_cost[s]::text, 'roomWei', s_room[s]::text));
    END LOOP;
  END IF;

  -- Write. A refused request leaves no row, so that a stranger cannot fill the table.
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
         SET hold_wei = v.hold_wei + p.added, valid_until = greatest(v.valid_until, p.valid_until),
             expected_wei = p.expected, excess_wei = p.excess, network = p.network, is_new_network = p.is_new_network,
             is_stranger = p.is_stranger, is_counted = true
        FROM unnest(r_id, r_granted, r_is_new, r_added, r_valid_until, v_expected, v_excess, v_network, v_new,
                    v_stranger)
             p(id, granted, is_new, added, valid_until, expected, excess, network, is_new_network, is_stranger)
       WHERE v.id = p.id AND p.granted AND NOT p.is_new;
    END IF;
    INSERT INTO ledger.reservations
           (id, wallet_id, chain_id, entry_point, entry_point_version, paymaster_id, mode, sender, nonce, hold_wei,
            valid_until, state, expected_wei, excess_wei, network, is_new_network, is_stranger)
    OVERRIDING SYSTEM VALUE
    SELECT p.id, w_id[p.wallet], w_chain[p.wallet], p.entry_point, p.entry_point_version, p.paymaster, p.mode, p.sender,
           p.nonce, p.amount, p.valid_until, 'open', p.expected, p.excess, p.network, p.is_new_network, p.is_stranger
      FROM unnest(r_is_new, r_id, r_wallet, r_entry_point, r_entry_point_version, r_paymaster, r_mode, r_sender,
                  r_nonce, r_amount, r_valid_until, v_expected, v_excess, v_network, v_new, v_stranger)
           p(is_new, id, wallet, entry_point, entry_point_version, paymaster, mode, sender, nonce, amount, valid_until,
             expected, excess, network, is_new_network, is_stranger)
     WHERE p.is_new;
    -- A new reservation has no holds yet, and to look for them would cost as much again.
    INSERT INTO ledger.holds (reservation_id, budget_id, unit, amount, micro_usd_per_native)
    SELECT r_id[p.request], b_id[p.budget], p.unit, p.amount, p.price
      FROM unnest(c_request, c_budget, c_unit, c_amount, c_price, c_skipped)
           p(request, budget, unit, amount, price, skipped)
     WHERE r_is_new[p.request] AND NOT p.skipped AND p.amount > 0;
    IF any_found THEN
      INSERT INTO ledger.holds AS h (reservation_id, budget_id, unit, amount, micro_usd_per_native)
      SELECT r_id[p.request], b_id[p.budget], p.unit, p.amount, p.price
        FROM unnest(c_request, c_budget, c_unit, c_amount, c_price, c_skipped)
             p(request, budget, unit, amount, price, skipped)
       WHERE r_granted[p.request] AND NOT r_is_new[p.request] AND NOT p.skipped AND p.amount > 0
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
    SELECT 'granted', w_chain[p.wallet], p.paymaster, ('{"reservationId":"' || p.id || '",' || right(p.event, -1))::json
      FROM unnest(r_granted, r_is_new, r_quiet, r_wallet, r_paymaster, r_id, string_to_array(events, E'\\n'))
           p(granted, is_new, quiet, wallet, paymaster, id, event)
     WHERE p.granted AND (p.is_new OR p.quiet IS NOT TRUE);
  END IF;
  RETURN QUERY SELECT CASE WHEN p.granted THEN p.id END, p.refused_by, p.refused_claim, p.used, p.maximum, p.retry
    FROM unnest(r_granted, r_id, r_refused_by, r_refused_claim, r_used, r_limit, r_retry)
         p(granted, id, refused_by, refused_claim, used, maximum, retry);
END $$;

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
LANGUAGE sql AS $$
  SELECT reservation_id, refused_by, refused_claim, used_amount, limit_amount FROM ledger.reserve_for_clients(
    max_lag, w_chain, w_contract, w_wallet, b_key, n_paymaster, n_live, n_ends_at, n_total, n_limit, n_version, r_wallet,
    r_entry_point, r_entry_point_version, r_paymaster, r_version, r_mode, r_sender, r_nonce, r_amount, r_valid_until,
    r_now, r_head, r_first, r_last, r_quiet, c_request, c_budget, c_unit, c_amount, c_limit, c_price, c_share, c_of,
    events, r_brake, r_released, c_version)
$$`;
