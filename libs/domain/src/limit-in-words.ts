const PER = {
  USER: 'each account',
  SMART_ACCOUNT: 'each account',
  PAYMASTER: 'all accounts together',
  KEY: 'this key',
};
const IN = { HOUR: 'hour', DAY: 'day', WEEK: 'week', MONTH: 'month' };

/** Caps on what is signed and has not landed, by whose they are. */
const LIVE: Readonly<Record<string, string>> = {
  sender: 'operations of this account that are signed and have not landed',
  paymaster: 'operations of the paymaster that are signed and have not landed',
  'client address': 'operations asked for from this internet address that are signed and have not landed',
  'client network': 'operations asked for from this network that are signed and have not landed',
  'sender and client address':
    'operations of this account asked for from this internet address that are signed and have not landed',
  share: 'what this internet address holds of a limit',
  strangers: 'what accounts that are new to the paymaster hold of a limit',
};

/**
 * The name of a limit, as gateways say it, in words: `Two a day: limit per USER and DAY` is `Two a day, for each account
 * in each day`, and without a policy's name `limit for each account in each day`. What is no such name stays as it is.
 */
export function limitInWords(rule: string): string {
  const live = /^liveSignatures:(\S.*)$/.exec(rule)?.[1];
  if (live !== undefined) return LIVE[live] ?? 'operations that are signed and have not landed';
  const found = /^(?:(.*): )?(shared )?limit per (USER|SMART_ACCOUNT|PAYMASTER|KEY)(?: and ([A-Z]+))?$/s.exec(rule);
  if (!found) return rule;
  const [, name, shared, who, cycle] = found;
  const when = cycle === 'LIFETIME' ? ' for ever' : cycle && ` in each ${IN[cycle as keyof typeof IN] ?? cycle}`;
  const start = name === undefined ? `${shared ?? ''}limit` : `${name},`;
  const over = shared && name !== undefined ? ', over all paymasters that share it' : '';
  return `${start} for ${PER[who as keyof typeof PER]}${when ?? ''}${over}`;
}
