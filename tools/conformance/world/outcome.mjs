/** What a check found. `came` is for a person; `kind`, with the verdict, is what a machine compares. */

/** @typedef {{ verdict: 'passed' | 'failed' | 'not tried', sent?: string, came: string, kind: string }} Outcome */

const outcome =
  (verdict) =>
  (came, kind = verdict) => ({ verdict, came, kind });
export const passed = outcome('passed');
export const failed = outcome('failed');
export const notTried = outcome('not tried');

/** Thrown where a check cannot be tried; the message names what would let it. */
export class NotTried extends Error {}

/** Codes that common clients send again: no decision may have them. */
const RETRIED_CODES = [-1, -32005, -32603, 429];

/** Whether a client takes the answer for a fault that passes, and sends the request again. */
export const isRetried = ({ http, error }) => RETRIED_CODES.includes(error?.code) || http >= 500;

/** An answer in a few words: its error, or the members of its result. */
export function shown({ http, error, result, kind, text, problem }) {
  if (kind === 'error') return `HTTP ${http}, error ${error.code}: ${String(error.message).slice(0, 160)}`;
  if (kind === 'result') {
    const members = result && typeof result === 'object' ? Object.keys(result).join(', ') : JSON.stringify(result);
    return `HTTP ${http}, result: ${String(members).slice(0, 160)}`;
  }
  return (
    problem ??
    `HTTP ${http} with ${text?.length ? `a body that is no JSON-RPC answer: ${text.slice(0, 80)}` : 'no body'}`
  );
}

/** The same without what differs between two runs. */
export function kindOf({ kind, http, error }) {
  if (kind === 'error') return `error ${error.code}`;
  return kind === 'result' ? 'result' : `no answer, HTTP ${http ?? 'none'}`;
}

/**
 * The verdict on a request that must be refused: by an error that clients do not send again.
 *
 * @param {object} answer
 * @returns {Outcome}
 */
export function mustRefuse(answer) {
  const [came, kind] = [shown(answer), kindOf(answer)];
  if (answer.limited) return notTried(`${came}. The service asked to wait: run the kit again, more slowly`, kind);
  if (answer.kind === 'result') return failed(came, kind);
  if (answer.kind !== 'error') return failed(`${came}, which says nothing`, kind);
  if (isRetried(answer)) {
    return failed(`${came}, which common clients send again: it is no decision`, kind);
  }
  return passed(came, kind);
}

/** The verdict on a request that must get a result. */
export function mustAnswer(answer) {
  const [came, kind] = [shown(answer), kindOf(answer)];
  if (answer.limited) return notTried(`${came}. The service asked to wait: run the kit again, more slowly`, kind);
  return answer.kind === 'result' ? passed(came, kind) : failed(came, kind);
}

const FAILS_OF_PAYMASTER = /^(AA3|revert|FailedOp)/;

/** Whatever the chain says, it must not be yes. Where the account said no, the paymaster was not asked. */
export function mustFailOnChain(reason) {
  if (!reason) return failed('the EntryPoint takes it', 'taken');
  return FAILS_OF_PAYMASTER.test(reason)
    ? passed(reason, reason.slice(0, 4))
    : failed(`not asked: ${reason}`, reason.slice(0, 4));
}

/** One outcome of several: the first failure, else the first that was not tried, else all passed. */
export function allOf(outcomes) {
  const worst =
    outcomes.find(({ verdict }) => verdict === 'failed') ?? outcomes.find(({ verdict }) => verdict !== 'passed');
  if (worst) return { ...worst, came: attempted([worst]) };
  return passed(attempted(outcomes), [...new Set(outcomes.map(({ kind }) => kind))].sort().join(', '));
}

/** The same outcome with the name of the attempt, where a check makes several. */
export const named = (attempt, found) => ({ ...found, attempt });

/** What came, each once, with the names of the attempts in front. */
function attempted(outcomes) {
  const texts = new Map();
  for (const { came, attempt } of outcomes)
    texts.set(came, [...(texts.get(came) ?? []), ...(attempt ? [attempt] : [])]);
  return [...texts].map(([came, names]) => (names.length > 0 ? `${names.join(', ')}: ${came}` : came)).join('; ');
}
