import type { QueryConfig } from 'pg';
import type { Queries } from './database';
import type { Finding } from './settlement-books';

/** The most differences that are reported; more are not needed to know that the books are wrong. */
const MAX_FINDINGS = 1_000;

interface DifferenceRow {
  readonly what: string;
  readonly expected: string;
  readonly found: string;
}

/**
 * Rebuilds every balance from entries, and every hold from open reservations, on one snapshot. Postgres computes the
 * sums, with bounded memory ({@link SORT_MEMORY}) and its disk for the rest. It returns only the differences to this
 * process.
 *
 * @returns the differences
 */
export async function verifyBooks(queries: Queries): Promise<readonly Finding[]> {
  await queries.query(`SET LOCAL work_mem = '${SORT_MEMORY}'`);
  const wallets = await queries.query<DifferenceRow>(patiently(WALLETS));
  const budgets = await queries.query<DifferenceRow>(patiently(BUDGETS));
  const brakes = await queries.query<DifferenceRow>(patiently(BRAKES));
  const networks = await queries.query<DifferenceRow>(patiently(NETWORKS));
  const reservations = await queries.query<DifferenceRow>(patiently(RESERVATIONS));
  const orphans = await queries.query<DifferenceRow>(patiently(ORPHANS));
  return [wallets, budgets, brakes, networks, reservations, orphans].flatMap(({ rows }) => rows);
}

/**
 * Memory for each step of a plan, whatever the server's setting is. With it, four million entries took 25 MB in all and
 * 30 s.
 */
const SORT_MEMORY = '4MB';

/** Reading everything takes longer than a pool lets a statement take. */
export const VERIFY_STATEMENT_MS = 300_000;

const patiently = (text: string): QueryConfig & { query_timeout: number } => ({
  text,
  query_timeout: VERIFY_STATEMENT_MS + 5_000,
});

/** What came into an account minus what went out, over the entries of a group. */
const sumOf = (account: string): string =>
  `coalesce(sum(amount) FILTER (WHERE credit = '${account}'), 0)
   - coalesce(sum(amount) FILTER (WHERE debit = '${account}'), 0)`;

const WALLETS = `
  SELECT 'wallet ' || w.wallet || ' in ' || w.contract || ' on ' || w.chain_id || ': ' || d.what AS what,
    d.expected::text, d.found::text
  FROM ledger.wallets AS w
  LEFT JOIN (SELECT wallet_id, ${sumOf('available')} AS available, ${sumOf('reserved')} AS reserved
             FROM ledger.entries WHERE wallet_id IS NOT NULL GROUP BY wallet_id) AS e ON e.wallet_id = w.id
  LEFT JOIN (SELECT wallet_id, sum(hold_wei) AS held
             FROM ledger.reservations WHERE closed_at IS NULL GROUP BY wallet_id) AS r ON r.wallet_id = w.id
  CROSS JOIN LATERAL (VALUES
    ('balance by entries', coalesce(e.available + e.reserved, 0), w.balance_wei),
    ('held by entries', coalesce(e.reserved, 0), w.held_wei),
    ('held by reservations', coalesce(r.held, 0), w.held_wei)) AS d (what, expected, found)
  WHERE d.expected <> d.found
  ORDER BY w.id LIMIT ${MAX_FINDINGS}`;

/** Budgets of live claims have no entries. */
const BUDGETS = `
  SELECT 'budget ' || b.key || ': ' || d.what AS what, d.expected::text, d.found::text
  FROM ledger.budgets AS b
  LEFT JOIN (SELECT budget_id, ${sumOf('reserved')} AS reserved, ${sumOf('spent')} AS spent
             FROM ledger.entries WHERE budget_id IS NOT NULL GROUP BY budget_id) AS e ON e.budget_id = b.id
  LEFT JOIN (SELECT h.budget_id, sum(h.amount) FILTER (WHERE r.closed_at IS NULL) AS reserved, sum(h.spent) AS spent
             FROM ledger.holds AS h JOIN ledger.reservations AS r ON r.id = h.reservation_id
             GROUP BY h.budget_id) AS h ON h.budget_id = b.id
  CROSS JOIN LATERAL (VALUES
    ('reserved by entries', CASE WHEN b.live THEN b.reserved ELSE coalesce(e.reserved, 0) END, b.reserved),
    ('reserved by holds', coalesce(h.reserved, 0), b.reserved),
    ('spent by entries', coalesce(e.spent, 0), b.spent),
    ('spent by holds', coalesce(h.spent, 0), b.spent)) AS d (what, expected, found)
  WHERE d.expected <> d.found
  ORDER BY b.key LIMIT ${MAX_FINDINGS}`;

/** The sums that the spending brake uses; triggers keep them. */
const BRAKES = `
  SELECT 'brake of paymaster ' || coalesce(b.paymaster_id, r.paymaster_id) || ' and wallet '
    || coalesce(b.wallet_id, r.wallet_id) || ': ' || d.what AS what, d.expected::text, d.found::text
  FROM ledger.brakes AS b
  FULL JOIN (SELECT wallet_id, paymaster_id, sum(hold_wei) AS held,
               sum(charged_wei) FILTER (WHERE state = 'landed') AS landed,
               sum(coalesce(expected_wei, hold_wei)) FILTER (WHERE state = 'open' AND is_counted) AS expected
             FROM ledger.reservations WHERE closed_at IS NULL AND paymaster_id IS NOT NULL
             GROUP BY wallet_id, paymaster_id) AS r ON r.wallet_id = b.wallet_id AND r.paymaster_id = b.paymaster_id
  CROSS JOIN LATERAL (VALUES
    ('held by reservations', coalesce(r.held, 0), coalesce(b.held_wei, 0)),
    ('landed by reservations', coalesce(r.landed, 0), coalesce(b.landed_wei, 0)),
    ('expected of reservations', coalesce(r.expected, 0), coalesce(b.expected_wei, 0))) AS d (what, expected, found)
  WHERE d.expected <> d.found
  ORDER BY b.wallet_id, b.paymaster_id LIMIT ${MAX_FINDINGS}`;

/** The sums of client networks, and of all of them together; triggers keep them. */
const NETWORKS = `
  SELECT 'network ' || coalesce(n.network, r.network) || ' of wallet ' || coalesce(n.wallet_id, r.wallet_id) || ': '
    || d.what AS what, d.expected::text, d.found::text
  FROM ledger.networks AS n
  FULL JOIN (
    SELECT wallet_id, network, sum(held) AS held, sum(cost) AS cost, sum(excess) AS excess
    FROM (SELECT v.wallet_id, c.*
          FROM ledger.reservations AS v
          CROSS JOIN LATERAL (VALUES
            (v.network, v.hold_wei, CASE WHEN v.is_counted THEN coalesce(v.expected_wei, v.hold_wei) ELSE 0 END,
             CASE WHEN v.is_counted THEN v.excess_wei ELSE 0 END),
            ('', CASE WHEN v.is_stranger AND v.is_counted THEN v.hold_wei ELSE 0 END,
             CASE WHEN v.is_new_network AND v.is_counted THEN coalesce(v.expected_wei, v.hold_wei) ELSE 0 END, 0))
            AS c (network, held, cost, excess)
          WHERE v.state = 'open' AND v.network IS NOT NULL) AS counted
    GROUP BY wallet_id, network) AS r ON r.wallet_id = n.wallet_id AND r.network = n.network
  CROSS JOIN LATERAL (VALUES
    ('held by reservations', coalesce(r.held, 0), coalesce(n.held_wei, 0)),
    ('expected of reservations', coalesce(r.cost, 0), coalesce(n.expected_wei, 0)),
    ('excess of reservations', coalesce(r.excess, 0), coalesce(n.excess_wei, 0))) AS d (what, expected, found)
  WHERE d.expected <> d.found
  ORDER BY n.wallet_id, n.network LIMIT ${MAX_FINDINGS}`;

/** Each reservation moved in its wallet exactly what it holds, and gave back all of it when it was closed. */
const RESERVATIONS = `
  SELECT 'reservation ' || r.id || ': ' || d.what AS what, d.expected::text, d.found::text
  FROM ledger.reservations AS r
  LEFT JOIN (SELECT reservation_id, ${sumOf('reserved')} AS reserved, ${sumOf('spent')} AS spent
             FROM ledger.entries WHERE wallet_id IS NOT NULL AND reservation_id IS NOT NULL
             GROUP BY reservation_id) AS e ON e.reservation_id = r.id
  CROSS JOIN LATERAL (VALUES
    ('held by entries', CASE WHEN r.closed_at IS NULL THEN r.hold_wei ELSE 0 END, coalesce(e.reserved, 0)),
    ('charged by entries', CASE WHEN r.state = 'settled' THEN r.charged_wei ELSE 0 END, coalesce(e.spent, 0)))
    AS d (what, expected, found)
  WHERE d.expected <> d.found
  ORDER BY r.id LIMIT ${MAX_FINDINGS}`;

/** There are no foreign keys. A closed hold may outlive its budget, because caps with nothing live are deleted. */
const ORPHANS = `
  SELECT 'hold of reservation ' || h.reservation_id AS what, 'a reservation' AS expected, 'none' AS found
  FROM ledger.holds AS h LEFT JOIN ledger.reservations AS r ON r.id = h.reservation_id WHERE r.id IS NULL
  UNION ALL
  SELECT 'open hold of reservation ' || h.reservation_id, 'budget ' || h.budget_id, 'none'
  FROM ledger.reservations AS r JOIN ledger.holds AS h ON h.reservation_id = r.id
  LEFT JOIN ledger.budgets AS b ON b.id = h.budget_id WHERE r.closed_at IS NULL AND b.id IS NULL
  UNION ALL
  SELECT 'entry ' || e.id, 'its wallet or budget', 'none'
  FROM ledger.entries AS e LEFT JOIN ledger.wallets AS w ON w.id = e.wallet_id
  LEFT JOIN ledger.budgets AS b ON b.id = e.budget_id WHERE w.id IS NULL AND b.id IS NULL
  UNION ALL
  SELECT 'entry ' || e.id, 'reservation ' || e.reservation_id, 'none'
  FROM ledger.entries AS e LEFT JOIN ledger.reservations AS r ON r.id = e.reservation_id
  WHERE e.reservation_id IS NOT NULL AND r.id IS NULL
  LIMIT ${MAX_FINDINGS}`;
