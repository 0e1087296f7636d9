import type { Hex } from '@paymaster/domain';
import type { SimpleAccount } from '../operations/simple-account';
import type { Stack, StackToken } from '../stack/stack-file';
import type { Say } from './token-quote';

/** An operation that the demonstration landed, for the bill at its end. */
export interface Demonstrated {
  /** For people. */
  readonly title: string;
  /** Of the paymaster that paid. */
  readonly apiKey: string;
  readonly userOpHash: Hex;
  readonly transactionHash: Hex;
  /** What the funding wallet's deposit in the contract fell by. */
  readonly chargedWei: bigint;
  /** What the EntryPoint's event says. */
  readonly actualGasCostWei: bigint;
}

/** How a wallet gets its operation sponsored and sends it: says what it does, returns the operation's hash. */
export type SponsoredSend = (
  stack: Stack,
  work: { account: SimpleAccount; say: (topic: string, text: string) => void },
) => Promise<Hex>;

/** How a wallet has its operation paid in a token and sends it. */
export type TokenPayingSend = (
  stack: Stack,
  work: {
    account: SimpleAccount;
    token: StackToken;
    /** For how many operations like this one it approves the paymaster, in front of its calls. */
    approveFor: number;
    say: Say;
  },
) => Promise<{
  userOpHash: Hex;
  /** Base units: what the user was told before he agreed. */
  quotedMaximum: bigint;
}>;
