import type { Address, Hex } from '@paymaster/domain';

/**
 * Selectors (the first four bytes of call data) of the calls that owners of wallets and the contract's owner send. They
 * are the same in all generations of the contract. The first has no `collectFees` and no `creditUnsettled`.
 */
const SELECTORS = {
  requestWithdrawal: '9ee679e8',
  executeWithdrawal: '7deb9260',
  returnStranded: '79e7c5a5',
  depositFor: 'aa67c919',
  collectFees: '58c0f729',
  withdrawFees: 'ad3b1b47',
  returnUnsettled: '0fbe8a02',
  creditUnsettled: '0c38ef86',
} as const;

/** A transaction that somebody has to send next. */
export interface Step {
  readonly who: string;
  readonly to: Address;
  readonly call: keyof typeof SELECTORS;
  readonly args: readonly (Address | bigint | readonly Address[])[];
  readonly note?: string;
}

/** Says who sends what to which contract, with the call data. */
export function sayStep({ who, to, call, args, note }: Step, say: (line: string) => void): void {
  const shown = args.map((argument) => (typeof argument === 'object' ? `[${argument.join(', ')}]` : argument));
  say(`    next: ${who} sends to ${to}: ${call}(${shown.join(', ')})${note ? `, ${note}` : ''}`);
  say(`          data ${callDataOf({ call, args })}`);
}

/** What the transaction carries. */
function callDataOf({ call, args }: Pick<Step, 'call' | 'args'>): Hex {
  return `0x${SELECTORS[call]}${args.map(encoded).join('')}`;
}

/** ABI encoding of the arguments. A list is always the only argument of its call. */
function encoded(argument: Step['args'][number]): string {
  if (typeof argument !== 'object') return word(argument);
  return [32n, BigInt(argument.length), ...argument].map(word).join('');
}

function word(argument: Address | bigint): string {
  const digits = typeof argument === 'bigint' ? argument.toString(16) : argument.slice(2);
  return digits.padStart(64, '0');
}

/** As people read it. */
export function dateOf(unixSeconds: bigint): string {
  return new Date(Number(unixSeconds) * 1_000).toISOString();
}
