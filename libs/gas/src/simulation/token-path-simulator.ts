import { delegationOf, permitHex, type ChainBounds, type ChainProvider, type TokenPermit } from '@paymaster/chain';
import {
  DependencyUnavailableError,
  ENTRY_POINTS,
  initCodeOf,
  ZERO_ADDRESS,
  type Address,
  type ChargingWay,
  type UserOperation,
} from '@paymaster/domain';
import { assertInTime, ClientTurns, monotonicClock, NO_DEADLINE } from '@paymaster/turns';
import { senderCreatorOf } from './sender-of';
import { simulateTokenPayment, type TokenPathOutcome } from './token-payment';

/** Simulations at once per chain and process, and of them per funding wallet. */
const SIMULATIONS = { perPaymaster: 4, inAll: 16 };
/** How long a simulation waits for its turn. */
const LONGEST_WAIT_MS = 1_000;

/** An operation as it will be sent, and how it is to be paid. */
export interface TokenPathRequest {
  /** Its `callGasLimit` bounds the calls and its `verificationGasLimit` the deployment, as on chain. */
  readonly operation: UserOperation;
  readonly entryPoint: Address;
  readonly paymaster: Address;
  readonly token: Address;
  /** The fee receiver. */
  readonly receiver: Address;
  /** The wallet that pays for the operation; each wallet has a share of the simulations at once. */
  readonly fundingWallet: Address;
  readonly way: ChargingWay;
  /** The most the sender pays. */
  readonly amountBaseUnits: bigint;
  /** With way `permit`. */
  readonly permit?: TokenPermit;
  /** When the client is answered at the latest; milliseconds of the monotonic clock. */
  readonly deadlineMs?: number;
}

/**
 * Simulates the whole token path of an operation in one `eth_call`: deployment, permit, the paymaster's token calls and
 * the user's own (docs/architecture/token-mode.md, "The final call"). One per chain.
 *
 * Factories, accounts and tokens are strangers' code. Give it a separate provider, so that faults which that code
 * causes at a node do not count against other reads.
 */
export class TokenPathSimulator {
  private readonly senderCreators = new Map<Address, Promise<Address>>();
  private readonly turns: ClientTurns;
  private readonly maxVerificationGasLimit: bigint;

  constructor(
    private readonly provider: Pick<ChainProvider, 'ethCall' | 'chain'>,
    {
      bounds,
      longestWaitMs = LONGEST_WAIT_MS,
    }: { bounds: Pick<ChainBounds, 'maxVerificationGasLimit'>; longestWaitMs?: number },
  ) {
    this.turns = new ClientTurns(SIMULATIONS, { longestMs: longestWaitMs });
    this.maxVerificationGasLimit = bounds.maxVerificationGasLimit;
  }

  /**
   * Returns facts and no verdict: the caller decides from them whether the sender would pay, and why not.
   *
   * @throws {StateOverridesUnsupportedError} when the chain's nodes do not take state overrides
   * @throws {DependencyUnavailableError} `chain`, when it can't be simulated now, or too many simulations wait
   */
  simulate(request: TokenPathRequest): Promise<TokenPathOutcome> {
    const { fundingWallet, deadlineMs = NO_DEADLINE } = request;
    const taker = { paymasterId: fundingWallet, client: undefined };
    const work = (): Promise<TokenPathOutcome> => this.simulateNow(request, deadlineMs);
    return this.turns.run(taker, deadlineMs - monotonicClock(), { work, refusal: tooMany });
  }

  private async simulateNow(request: TokenPathRequest, deadlineMs: number): Promise<TokenPathOutcome> {
    const { operation, entryPoint, permit } = request;
    assertInTime(deadlineMs, monotonicClock());
    const { hasGuardedFactories } = ENTRY_POINTS[operation.entryPointVersion];
    return simulateTokenPayment({
      provider: this.provider,
      entryPoint,
      deadlineMs,
      overrides: delegationOf(operation),
      request: {
        senderCreator: hasGuardedFactories ? await this.senderCreator(entryPoint) : ZERO_ADDRESS,
        initCode: initCodeOf(operation),
        deploymentGas: least(operation.verificationGasLimit, this.maxVerificationGasLimit),
        sender: operation.sender,
        callData: operation.callData,
        callGasLimit: operation.callGasLimit,
        token: request.token,
        paymaster: request.paymaster,
        receiver: request.receiver,
        way: request.way,
        amount: request.amountBaseUnits,
        permit: permit ? `0x${permitHex(permit)}` : '0x',
      },
    });
  }

  /** Factories of v0.8 and v0.9 accept no other caller. It never changes, so it is read once. */
  private senderCreator(entryPoint: Address): Promise<Address> {
    const known = this.senderCreators.get(entryPoint);
    if (known) return known;
    const reading = senderCreatorOf(this.provider, entryPoint);
    this.senderCreators.set(entryPoint, reading);
    reading.catch(() => this.senderCreators.delete(entryPoint));
    return reading;
  }
}

function tooMany(): Error {
  return new DependencyUnavailableError('chain', 'too many simulations at once', { retryAfterSeconds: 1 });
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
