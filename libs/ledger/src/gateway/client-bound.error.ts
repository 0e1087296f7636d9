import { SponsorshipRefusedError, type TraceLine } from '@paymaster/domain';
import type { ClientBound } from './batch-values';

/** A bound on strangers that an operation would exceed. */
export interface ReachedBound {
  readonly bound: ClientBound;
  /** The amount that counts already, without the operation; wei. */
  readonly usedWei: bigint;
  readonly limitWei: bigint;
  /**
   * The seconds until enough landed operations are more than an hour old; absent while open signatures use up the
   * bound.
   */
  readonly retryAfterSeconds?: number;
}

/** The default validity of signatures: an open operation lands or ends within this time. Seconds. */
const OPEN_FOR_SECONDS = 300;

/** The network of a client asks for more than strangers may take (docs/architecture/ledger.md, "Strangers"). */
export class ClientBoundError extends SponsorshipRefusedError {
  /** @param advice what the client can do at once, for `details` */
  constructor(
    readonly reached: ReachedBound,
    trace: readonly TraceLine[] = [],
    readonly advice: Readonly<Record<string, unknown>> = {},
  ) {
    const { reason, message, isHourly } = ROWS[reached.bound];
    const details = {
      usedWei: reached.usedWei.toString(),
      limitWei: reached.limitWei.toString(),
      ...(isHourly && { retryAfterSeconds: reached.retryAfterSeconds ?? OPEN_FOR_SECONDS }),
      ...advice,
    };
    // The amounts may be shown to clients, because everybody can read the wallet's balance on the chain.
    super(reason, message, trace, details, true);
  }

  /** The same error, with the trace of the earlier checks. */
  after(earlier: readonly TraceLine[]): ClientBoundError {
    return new ClientBoundError(this.reached, [...earlier, ...this.trace], this.advice);
  }

  /** The same error, with what the client can do at once. */
  advising(advice: Readonly<Record<string, unknown>>): ClientBoundError {
    return new ClientBoundError(this.reached, this.trace, { ...this.advice, ...advice });
  }
}

const ROWS: Readonly<Record<ClientBound, { reason: string; message: string; isHourly: boolean }>> = {
  excess: {
    reason: 'ASKED_BEYOND_OWN_ANSWER',
    message:
      'Operations from this network asked for more gas or higher fees than they need, and what that may cost is used up for this hour. Send the limits and fees that this paymaster calculates: they pass at once.',
    isHourly: false,
  },
  room: {
    reason: 'CLIENT_NETWORK_HOUR_USED',
    message:
      'The operations of this network have cost as much as one network may take of this paymaster within an hour. If this is the server of the app, its owner can name its address in the settings of the paymaster, or give it a secret key.',
    isHourly: true,
  },
  newcomers: {
    reason: 'NEW_NETWORKS_HOUR_USED',
    message:
      'Operations of networks that are new to this paymaster have cost as much as they may within an hour, all together. Ask again later.',
    isHourly: true,
  },
  held: {
    reason: 'FUNDING_WALLET_SHARE_REACHED',
    message:
      'Operations of this network that are signed and have not landed hold as much of the funding wallet as one network may; they land or expire within minutes.',
    isHourly: false,
  },
  strangers: {
    reason: 'FUNDING_WALLET_SHARE_REACHED',
    message:
      'Operations of accounts that are new to this paymaster, signed and not landed, hold half of the funding wallet; they land or expire within minutes.',
    isHourly: false,
  },
};
