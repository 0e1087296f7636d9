import type { Span } from '@paymaster/tracing';
import type { ServedChain } from '../chains/served-chain';
import type { Session } from './session-tokens';
import type { LoadedPolicy } from '../snapshots/policy-copies';
import type { ResolveRequest } from '../snapshots/policy-snapshots.service';

/** The caller of a request: the paymaster whose key was presented, on its chain. */
export interface Caller {
  readonly requestId: string;
  readonly chain: ServedChain;
  readonly paymaster: LoadedPolicy;
  /** What is needed to look the paymaster up again, if it may have changed meanwhile. */
  readonly policyQuestion: ResolveRequest;
  /**
   * The client's address as the operator's trusted proxies report it; undefined when the client is gone already. In
   * requests of the owner's servers it stands for the user whom they name.
   */
  readonly clientAddress: string | undefined;
  /**
   * The name under which the bounds on clients count the request: that of the client's IPv4 address, /48 or user
   * ({@link ClientNames}). Undefined: they do not count it, because a server of the owner's asks and names no user.
   */
  readonly strangerNetwork: string | undefined;
  /**
   * The app's server, if it names its user. Reads that all paymasters share count for the server, because an owner can
   * name any number of users.
   */
  readonly proxyAddress?: string | undefined;
  /**
   * Whether the request came to `/api/v2/{chainId}/{apiKey}`, which `@biconomy/account` demands; Biconomy's newer
   * clients use other paths.
   */
  readonly isBiconomysAddress: boolean;
  /** The app's user, if a session token names him. */
  readonly session: Session | undefined;
  /**
   * When the request is answered at the latest. Calls to other services end by then, and nothing is signed, held or
   * asked afterwards. Milliseconds of the monotonic clock (`performance.now()`).
   */
  readonly deadlineMs: number;
  /** The span of the request. */
  readonly span: Span;
}
