import { toQuantity } from 'ethers';
import { failed, notTried, passed, shown } from '../world/outcome.mjs';
import { DATA } from '../world/session.mjs';

/** Signatures that live at the same time. */
const MANY = 64;
/** So few that the service has no other reason to refuse some. */
const AT_ONCE = 4;

export const limits = [
  {
    id: 'limit.many-nonces',
    title: `one account does not get ${MANY} signatures that can all land`,
    source: 'docs/threats.md, "What one client can hold, and several"',
    why: 'A client that holds signatures and lands them together passes every limit that is counted on chain only.',
    needs: ['call'],
    versions: true,
    sent: `${DATA} ${MANY} times, ${AT_ONCE} at once: one sender, ${MANY} nonce keys`,
    async attempt(session, version) {
      await session.good(version);
      const landed = session.landed.get(version);
      const account = landed ? { ...landed, factory: undefined } : await session.newAccount(version);
      const changesOf = (index) => ({ account, nonce: toQuantity(BigInt(index + 1) << 64n) });
      const limits = await session.limitsOf(version, changesOf(0));
      const answers = [];
      while (answers.length < MANY) {
        const four = Array.from({ length: AT_ONCE }, async (_, index) => {
          const changes = { ...limits, ...changesOf(answers.length + index) };
          const { operation } = await session.dataRequest(version, changes);
          return session.ask(DATA, version, operation);
        });
        answers.push(...(await Promise.all(four)));
      }
      return mustGrantLess(answers, MANY);
    },
  },
  {
    id: 'limit.race',
    title: 'a limit of operations holds when many are asked for at once',
    source: 'docs/threats.md',
    why: 'A limit that is read and then written is passed by whoever asks in parallel.',
    needs: ['call', 'limited'],
    sent: `${DATA} four times as often as the limit allows, at once, each of another account`,
    async attempt(session) {
      const [version] = session.versions;
      const { limited } = session;
      await session.good(version);
      const count = 4 * limited.count;
      const requests = await Promise.all(Array.from({ length: count }, () => session.dataRequest(version)));
      const answers = await Promise.all(
        requests.map(({ operation }) => limited.paymaster.call(DATA, session.params(version, operation))),
      );
      return mustGrantLess(answers, limited.count + 1);
    },
  },
];

/** Some have to be signed, or nothing is said of the limit; and fewer than these. */
function mustGrantLess(answers, tooMany) {
  const granted = answers.filter(({ kind }) => kind === 'result').length;
  const refused = answers.find(({ kind, limited }) => kind === 'error' && !limited);
  const came = `${granted} of ${answers.length} signed${refused ? `; a refusal: ${shown(refused)}` : ''}`;
  if (granted >= tooMany) return failed(came, 'too many signed');
  if (granted === 0 || !refused) return notTried(`${came}; nothing is said of the limit`, 'nothing said');
  return passed(came, 'some refused');
}
