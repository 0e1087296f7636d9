import { Wallet } from 'ethers';
import { failed, kindOf, mustFailOnChain, mustRefuse, passed, shown } from '../world/outcome.mjs';
import { DATA, withData } from '../world/session.mjs';

const OVERSIZED_DATA = 3_000;
const TRIES = 8;

export const webhooksAndTokens = [
  {
    id: 'webhook.oversized',
    title: "data for the owner's webhook that is too large does not close the paymaster for others",
    source: 'docs/threats.md',
    why: "The refusal happens before anything is sent. If it counts as a failure of the owner's server, six requests stop everybody.",
    needs: ['call', 'webhook'],
    versions: true,
    sent: `${DATA} with ${OVERSIZED_DATA} bytes of webhookData, ${TRIES} times; then the good request, ${TRIES} times`,
    async attempt(session, version) {
      await session.good(version);
      const webhookData = { text: 'x'.repeat(OVERSIZED_DATA) };
      const context = {
        mode: 'SPONSORED',
        webhookData,
        sponsorshipInfo: { webhookData, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } },
      };
      const large = [];
      for (let index = 0; index < TRIES; index++) large.push((await session.attack(version, {}, { context })).answer);
      const wrong = large.find(({ kind, http }) => http >= 500 || kind === 'other');
      if (wrong) return failed(shown(wrong), kindOf(wrong));
      const small = [];
      for (let index = 0; index < TRIES; index++) small.push((await session.attack(version)).answer);
      const refused = small.find(({ kind }) => kind !== 'result');
      if (refused) return failed(`afterwards the good request: ${shown(refused)}`, `then ${kindOf(refused)}`);
      return passed(`${shown(large[0])}; afterwards ${TRIES} of ${TRIES} good requests signed`, kindOf(large[0]));
    },
  },
  {
    id: 'token.unknown',
    title: 'a payment in a token that nobody has is refused',
    source: 'ERC-7677: context',
    why: 'A token that the client made himself pays for nothing.',
    needs: ['call', 'token'],
    versions: true,
    sent: `${DATA} with context { token } of a random address`,
    async attempt(session, version) {
      const token = Wallet.createRandom().address;
      return mustRefuse((await session.attack(version, {}, { context: { ...session.context, token } })).answer);
    },
  },
  {
    id: 'token.penniless',
    title: 'an account that has none of the token is refused, or its operation is void',
    source: 'docs/threats.md',
    why: 'The paymaster would pay the gas and get nothing for it.',
    needs: ['call', 'token'],
    versions: true,
    sent: `${DATA} with context { token }, an account without tokens and without allowance`,
    async attempt(session, version) {
      const context = { ...session.context, token: session.token };
      const { account, operation, answer } = await session.attack(version, {}, { context });
      if (answer.kind !== 'result') return mustRefuse(answer);
      return mustFailOnChain(await session.tried(version, account, withData(operation, answer.result)));
    },
  },
];
