import { CHECKS } from './checks/index.mjs';
import { STUB } from './world/session.mjs';
import { failed, NotTried, notTried } from './world/outcome.mjs';

/** In the place of a version, where a check is tried once for all. */
const ALL = 'all';

/** What a check may need, and the argument that gives it. */
const NEEDS = {
  call: ({ node, call }) => (node ? (call ? undefined : 'give --to and --data') : 'give --rpc'),
  unlisted: ({ unlisted }) =>
    unlisted ? undefined : 'give --unlisted-data, and --unlisted-to where it is another contract',
  landing: ({ bundler, landWith }) =>
    bundler || landWith ? undefined : 'give --bundler, or --key-file of an account with coins',
  'no context': ({ context }) =>
    context === null ? undefined : 'leave --context out: the kit asks with contexts of its own',
  limited: ({ limited }) =>
    limited ? undefined : 'give --limited-url of a paymaster with a limit of operations, and --limit',
  webhook: ({ asksWebhook }) =>
    asksWebhook ? undefined : 'give --webhook, where the paymaster asks a webhook of its owner',
  token: ({ token }) => (token ? undefined : 'give --token'),
};

/**
 * Tries all checks, one after the other.
 *
 * @param {import('./world/session.mjs').Session} session
 * @param {(line: string) => void} progress
 * @returns {Promise<object[]>} what is told of each check, and its outcomes by EntryPoint version, or of `all`
 */
export async function runChecks(session, progress) {
  const found = [];
  for (const [area, checks] of CHECKS) {
    for (const check of checks) {
      const { id, title, why, source, sent } = check;
      const outcomes = {};
      for (const version of versionsOf(check, session)) {
        const outcome = await outcomeOf(check, session, version);
        outcomes[version ?? ALL] = outcome;
        const on = version ? ` on v${version}` : '';
        if (outcome.verdict === 'failed') progress(`failed: ${id}${on}: ${outcome.came}`);
      }
      if (Object.keys(outcomes).length > 0) found.push({ area, id, title, why, source, sent, outcomes });
    }
    progress(`${area}: done`);
  }
  return found;
}

/** The EntryPoint versions that the service answers for, of those that it is asked about. */
export async function servedVersions(session, versions) {
  if (!session.node || !session.call) return versions;
  const answers = await Promise.all(
    versions.map(async (version) => {
      const { operation } = await session.stubRequest(version);
      return session.ask(STUB, version, operation);
    }),
  );
  return versions.filter((_, index) => answers[index].kind === 'result');
}

function versionsOf({ versions }, session) {
  if (!versions) return [undefined];
  return session.versions.filter((version) => versions === true || versions.includes(version));
}

async function outcomeOf({ needs, attempt }, session, version) {
  const missing = needs.map((need) => NEEDS[need](session)).filter(Boolean);
  if (missing.length > 0) return notTried(missing.join('; '), 'argument');
  try {
    return await attempt(session, version);
  } catch (error) {
    if (error instanceof NotTried) return notTried(error.message, 'not possible');
    return failed(`the attempt broke off: ${error.message}`, 'broke off');
  }
}
