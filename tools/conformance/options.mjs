import { readFileSync } from 'node:fs';
import { isAddress, Wallet } from 'ethers';
import { PaymasterClient, Rpc } from './world/clients.mjs';
import { ACCOUNT_FACTORIES, ENTRY_POINTS, VERSIONS } from './world/entry-points.mjs';
import { servedVersions } from './run-checks.mjs';
import { Session } from './world/session.mjs';
import { CommandFailed } from '../lib/run.mjs';

const text = { type: 'string' };

/** For `parseArgs`. */
export const OPTIONS = {
  ...{ url: text, header: { type: 'string', multiple: true }, name: text },
  ...{ rpc: text, bundler: text, chain: text, 'entry-points': text, factory: { type: 'string', multiple: true } },
  ...{ to: text, data: text, 'unlisted-to': text, 'unlisted-data': text, context: text, token: text },
  ...{ 'key-file': text, webhook: { type: 'boolean' }, 'limited-url': text, limit: text },
  ...{ 'delegate-url': text },
  ...{ out: text, compare: text },
};

const HEX = /^0x([0-9a-f]{2})*$/i;

/** @throws {CommandFailed} naming the argument that is wrong */
export async function openSession(values) {
  const headers = headersOf(values.header ?? []);
  const paymaster = new PaymasterClient(urlOf('url', values.url), headers);
  const [node, bundler] = ['rpc', 'bundler'].map((name) => values[name] && new Rpc(urlOf(name, values[name])));
  const chainId = await chainIdOf(values, node);
  const { http, problem } = await paymaster.post('{}');
  if (http === undefined) throw new CommandFailed(`The service at --url cannot be tried: ${problem}.`);
  const versions = versionsOf(values['entry-points']);
  const session = new Session({
    ...{ paymaster, node, bundler, chainId, rpcUrl: values.rpc },
    ...{ entryPoints: ENTRY_POINTS, factories: { ...ACCOUNT_FACTORIES, ...factoriesOf(values.factory ?? []) } },
    ...{ call: callOf('', values), unlisted: callOf('unlisted-', values), token: addressOf('token', values.token) },
    ...{
      context: contextOf(values.context),
      landWith: keyOf(values['key-file']),
      asksWebhook: values.webhook === true,
    },
    ...{
      limited: limitedOf(values, headers),
      delegating: serviceOf('delegate-url', values, headers),
      landed: new Map(),
    },
  });
  const served = versions ?? (await servedVersions(session, VERSIONS));
  // A service that answers for none of them has to fail, and not to be left out.
  session.versions = served.length > 0 ? served : VERSIONS;
  return session;
}

function urlOf(name, value) {
  if (URL.canParse(value ?? '') && /^https?:/.test(value)) return value;
  throw new CommandFailed(`--${name} must be an http or https URL.`);
}

function headersOf(lines) {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([A-Za-z0-9-]+):\s*(.+)$/.exec(line) ?? [];
      if (!name) throw new CommandFailed('--header must be written as "name: value".');
      return [name, value];
    }),
  );
}

async function chainIdOf({ chain }, node) {
  if (chain !== undefined) {
    if (!/^[1-9][0-9]*$/.test(chain)) throw new CommandFailed('--chain must be a chain id in decimal digits.');
    return Number(chain);
  }
  if (!node) throw new CommandFailed('Give --rpc, a node of the chain, or --chain, its id.');
  return Number(
    await node.call('eth_chainId').catch(() => {
      throw new CommandFailed('The node at --rpc does not answer eth_chainId.');
    }),
  );
}

function versionsOf(list) {
  const versions = list?.split(',').map((version) => version.trim().replace(/^v/, ''));
  const unknown = versions?.find((version) => !VERSIONS.includes(version));
  if (unknown !== undefined) throw new CommandFailed(`--entry-points takes ${VERSIONS.join(', ')}, not "${unknown}".`);
  return versions;
}

function factoriesOf(entries) {
  return Object.fromEntries(
    entries.map((entry) => {
      const [version, factory] = entry.split('=');
      if (!VERSIONS.includes(version)) throw new CommandFailed('--factory must be written as 0.7=0x…');
      return [version, addressOf('factory', factory)];
    }),
  );
}

function addressOf(name, value) {
  if (value === undefined || isAddress(value)) return value;
  throw new CommandFailed(`--${name} must be an address.`);
}

/** `--to` and `--data`, or the same of the call that is not allowed; that is of the same contract where none is named. */
function callOf(prefix, values) {
  const data = values[`${prefix}data`];
  if (data === undefined) return undefined;
  const to = addressOf(`${prefix}to`, values[`${prefix}to`] ?? values.to);
  if (!HEX.test(data) || data.length < 10)
    throw new CommandFailed(`--${prefix}data must be call data in hex, of 4 bytes or more.`);
  if (!to) throw new CommandFailed(`--${prefix}data needs --${prefix}to.`);
  return { to, data };
}

function contextOf(json) {
  if (json === undefined) return null;
  try {
    return JSON.parse(json);
  } catch {
    throw new CommandFailed('--context must be JSON, such as {"sponsorshipPolicyId":"…"}.');
  }
}

function keyOf(file) {
  if (file === undefined) return undefined;
  try {
    return new Wallet(readFileSync(file, 'utf8').trim());
  } catch {
    throw new CommandFailed('--key-file must be a file with one private key in hex.');
  }
}

function serviceOf(name, values, headers) {
  return values[name] === undefined ? undefined : new PaymasterClient(urlOf(name, values[name]), headers);
}

function limitedOf(values, headers) {
  const paymaster = serviceOf('limited-url', values, headers);
  if (!paymaster) return undefined;
  if (!/^[1-9][0-9]{0,2}$/.test(values.limit ?? ''))
    throw new CommandFailed('--limited-url needs --limit, a number of operations up to 999.');
  return { paymaster, count: Number(values.limit) };
}
