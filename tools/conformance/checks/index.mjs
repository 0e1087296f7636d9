import { accounts } from './accounts.mjs';
import { bundler } from './bundler.mjs';
import { calls } from './calls.mjs';
import { frame, members } from './frame.mjs';
import { gas } from './gas.mjs';
import { limits } from './limits.mjs';
import { onChain } from './on-chain.mjs';
import { shapes } from './shapes.mjs';
import { summary } from './summary.mjs';
import { webhooksAndTokens } from './webhooks-and-tokens.mjs';

/**
 * @typedef {object} Check
 * @property {string} id stable: reports are compared by it
 * @property {string} title what has to hold
 * @property {string} source who says so
 * @property {string} why why it matters
 * @property {string} sent what the kit sends
 * @property {string[]} needs names in NEEDS, without which it cannot be tried
 * @property {true | string[]} [versions] EntryPoint versions that it is tried on; once for all when absent
 * @property {(session: import('../world/session.mjs').Session, version?: string) => Promise<import('../world/outcome.mjs').Outcome>} attempt
 */

/** All checks, in the order in which they are tried: what lands an account comes before what uses it. */
export const CHECKS = [
  ['ERC-7677', shapes],
  ['JSON-RPC and HTTP', frame],
  ['Members of an operation', members],
  ['On chain', onChain],
  ["The bundler's methods", bundler],
  ['Calls that are not allowed', calls],
  ['Gas and fees', gas],
  ['Accounts', accounts],
  ['Limits', limits],
  ['Webhooks and tokens', webhooksAndTokens],
  ['All answers', summary],
];
