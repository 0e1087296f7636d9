import type { Span } from '@paymaster/tracing';
import type { ServedChain } from '../chains/served-chain';
import type { Session } from './session-tokens';
import type { LoadedPolicy } from '../snapshots/loaded-policy';
import type { ResolveRequest } from '../snapshots/policy-snapshots.service';

/** Who asks, and where: the paymaster whose key was presented, on its chain. */
export interface Caller {
  readonly requestId: string;
  readonly chain: ServedChain;
  readonly paymaster: LoadedPolicy;
  /** How the paymaster is asked for again, where it may have changed meanwhile. */
  readonly policyQuestion: ResolveRequest;
  /**
   * Where the request comes from, as far as the operator's proxies are trusted; undefined when it is gone already. Of the
   * owner's servers, who they say their user is.
   */
  readonly clientAddress: string | undefined;
  /**
   * The name under which the bounds on clients count the request: that of the client's IPv4 address, /48 or user
   * ({@link ClientNames}). Undefined: they do not count it, because a server of the owner's asks and names no user.
   */
  readonly strangerNetwork: string | undefined;
  /**
   * The app's server, where it names its user. Reads that all paymasters share are counted for it: an owner can name
   * any number of users.
   */
  readonly proxyAddress?: string | undefined;
  /** Whether the request's address has the form that Biconomy's SDK demands. */
  readonly isBiconomysAddress: boolean;
  /** The app's user, where a session token names one. */
  readonly session: Session | undefined;
  /**
   * When the request is answered, whatever is known by then: what is asked of others for it takes no longer, and nothing
   * is signed, held or asked after it. Milliseconds of the monotonic clock (`performance.now()`).
   */
  readonly deadlineMs: number;
  /** The request's; what is done for it is a part of it. */
  readonly span: Span;
}
