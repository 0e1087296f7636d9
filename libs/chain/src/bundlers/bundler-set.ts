import type { Address, BundlerRefusedError, EntryPointVersion, Hex } from '@paymaster/domain';
import { monotonicClock, timeoutWithin } from '@paymaster/turns';
import type { BundlerConfig, BundlerKind, ChainConfig } from '../chains/chain-config';
import { UnexpectedAnswerError } from '../json-rpc/parse';
import { BundlerEndpoint, wasNotReached } from './bundler-endpoint';
import { bundlerRefusal, bundlersDown, isAlreadyKnown, mayHaveLanded } from './bundler-refusal';
import { toWireOperation, type CompleteOperation } from './complete-operation';

/** How long a bundler may take to accept an operation before it is asked whether it has it; milliseconds. */
const SEND_MS = 2_000;
/** How long the last one may take, within the request's deadline: a busy bundler is better than an error; milliseconds. */
const LAST_SEND_MS = 10_000;
/** How long it may take to say that; milliseconds. */
const STATUS_MS = 500;
/** What is left for the answer to the client; milliseconds. */
const ANSWER_MS = 100;
/** A simulation of a whole operation takes longer than any other call; milliseconds. */
const ESTIMATE_MS = 4_000;
const READ_MS = 1_500;

/** What bundlers do not serve; those of other kinds serve every version. */
const NOT_SERVED: Readonly<Partial<Record<BundlerKind, readonly EntryPointVersion[]>>> = {
  skandha: ['0.6', '0.9'],
  voltaire: ['0.9'],
};

/** What was taken, and by whom. */
export interface Taken {
  readonly userOpHash: Hex;
  readonly bundler: BundlerEndpoint;
}

/** An operation on its way to a bundler. */
export interface Sending {
  readonly complete: CompleteOperation;
  readonly entryPoint: Address;
  readonly version: EntryPointVersion;
  /** As this platform has computed it: an answer with another is not believed. */
  readonly userOpHash: Hex;
  /** Whether it is sponsored by this platform: others are not sent to metered bundlers. */
  readonly isSponsored: boolean;
  readonly deadlineMs: number;
  /** Told of each bundler that says that the operation is at fault. */
  readonly onRefused?: ((bundler: BundlerEndpoint, refusal: BundlerRefusedError) => void) | undefined;
}

/** The bundlers of a chain, in the operator's order. */
export class BundlerSet {
  readonly endpoints: readonly BundlerEndpoint[];

  constructor({ bundlers }: Pick<ChainConfig, 'bundlers'>) {
    this.endpoints = bundlers.map((bundler) => new BundlerEndpoint(bundler));
  }

  /** Those of an EntryPoint version: the well ones first, then the others, which may have recovered. */
  of(version: EntryPointVersion): readonly BundlerEndpoint[] {
    return wellFirst(this.endpoints.filter(({ config }) => serves(config, version)));
  }

  /**
   * Sends an operation to the first bundler that takes it. The next one is asked where the one before surely has not
   * taken it: it was not reached, or says that it does not have it. If a bundler does not say at all, the next is asked
   * too: the nonce lets the operation land once, and a bundle that fails is the most that costs.
   *
   * @throws {BundlerRefusedError} when a bundler says that the operation is at fault
   * @throws {DependencyUnavailableError} `bundler`, when no bundler has taken it
   */
  async send(sending: Sending): Promise<Taken> {
    const { version, isSponsored, userOpHash } = sending;
    const allowed = this.of(version).filter(({ config }) => isSponsored || !config.metered);
    let lastFault: unknown;
    for (const [index, bundler] of allowed.entries()) {
      const boundMs = index === allowed.length - 1 ? LAST_SEND_MS : SEND_MS;
      try {
        return await this.sendTo(bundler, sending, boundMs);
      } catch (error) {
        const refusal = bundlerRefusal(error);
        if (refusal) throw refusal;
        lastFault = error;
        if (wasNotReached(error)) continue;
        if (await this.hasTaken(bundler, sending)) return { userOpHash, bundler };
      }
    }
    throw bundlersDown(lastFault);
  }

  /**
   * Sends an operation that a bundler took, and that is in no block, to a well bundler that has not had it; else to the
   * first that has it no longer. A bundler that cannot say gets it again, which does no harm.
   *
   * @param takenBy the bundlers that took it, in order
   * @returns who took it now; undefined when it was sent to nobody, or nobody took it
   * @throws {BundlerRefusedError} AA25 or AA10, when the operation, or another with its nonce, has landed
   */
  async sendAgain(sending: Sending, takenBy: readonly BundlerEndpoint[]): Promise<Taken | undefined> {
    const well = this.of(sending.version).filter(
      ({ isWell, config }) => isWell && (sending.isSponsored || !config.metered),
    );
    const others = well.filter((each) => !takenBy.includes(each));
    const lost: BundlerEndpoint[] = [];
    if (others.length === 0) {
      for (const bundler of takenBy.filter((each) => well.includes(each))) {
        if (lost.length === 0 && !(await this.hasTaken(bundler, sending))) lost.push(bundler);
      }
    }
    for (const bundler of [...others, ...lost]) {
      try {
        return await this.sendTo(bundler, sending, SEND_MS);
      } catch (error) {
        const refusal = bundlerRefusal(error);
        if (refusal && mayHaveLanded(refusal)) throw refusal;
      }
    }
    return undefined;
  }

  /**
   * `eth_estimateUserOperationGas` of the first bundler that answers.
   *
   * @param overrides state overrides, as the client sent them
   * @param isOurs whether a paymaster of this platform is named: others cost no metered bundler anything
   * @returns the bundler's answer, unread
   * @throws {BundlerRefusedError} when a bundler says that the operation is at fault
   * @throws {DependencyUnavailableError} `bundler`, when no bundler answers
   */
  async estimate(input: {
    readonly complete: CompleteOperation;
    readonly entryPoint: Address;
    readonly overrides?: unknown;
    readonly isOurs: boolean;
    readonly deadlineMs: number;
  }): Promise<Readonly<Record<string, unknown>>> {
    const { complete, entryPoint, overrides, isOurs, deadlineMs } = input;
    const allowed = this.of(complete.operation.entryPointVersion).filter(({ config }) => isOurs || !config.metered);
    let lastFault: unknown;
    for (const bundler of allowed) {
      const timeoutMs = timeoutWithin(deadlineMs, { boundMs: ESTIMATE_MS, nowMs: monotonicClock() });
      const wire = toWireOperation(complete, bundler.config.kind);
      const params = [wire, entryPoint, ...(overrides === undefined ? [] : [overrides])];
      try {
        const options = { timeoutMs, isStrangersWork: true };
        return await bundler.ask('eth_estimateUserOperationGas', params, recordOf, options);
      } catch (error) {
        const refusal = bundlerRefusal(error);
        if (refusal) throw refusal;
        lastFault = error;
      }
    }
    throw bundlersDown(lastFault);
  }

  /**
   * What a bundler says of an operation: the one that took it, where that is known; else the first that is not metered
   * and has an answer.
   *
   * @param parse throws on an answer about another operation: it is not believed
   * @returns null when none has one
   */
  async about<T>(input: {
    readonly method: 'eth_getUserOperationReceipt' | 'eth_getUserOperationByHash';
    readonly userOpHash: Hex;
    readonly takenBy: BundlerEndpoint | undefined;
    readonly parse: (value: unknown) => T | null;
    readonly deadlineMs: number;
  }): Promise<T | null> {
    const { method, userOpHash, takenBy, parse, deadlineMs } = input;
    for (const bundler of this.askable(takenBy)) {
      const timeoutMs = timeoutWithin(deadlineMs, { boundMs: READ_MS, nowMs: monotonicClock() });
      // A bundler that cannot answer is no answer: the chain is asked after all of them.
      const answer = await bundler.ask(method, [userOpHash], parse, { timeoutMs }).catch(() => null);
      if (answer !== null) return answer;
    }
    return null;
  }

  /** The bundlers that are asked about an operation: the one that took it, unless it is ill; else the well ones first. */
  askable(takenBy: BundlerEndpoint | undefined): readonly BundlerEndpoint[] {
    return takenBy?.isWell ? [takenBy] : wellFirst(this.endpoints.filter(({ config }) => !config.metered));
  }

  private async hasTaken(bundler: BundlerEndpoint, { userOpHash, deadlineMs }: Sending): Promise<boolean> {
    const timeoutMs = timeoutWithin(deadlineMs, { boundMs: STATUS_MS, nowMs: monotonicClock() });
    const { state } = (await bundler.statusOf(userOpHash, timeoutMs)) ?? {};
    return state === 'pool' || state === 'submitted';
  }

  private async sendTo(
    bundler: BundlerEndpoint,
    { complete, entryPoint, userOpHash, deadlineMs, onRefused }: Sending,
    boundMs: number,
  ): Promise<Taken> {
    // There is time left to ask what became of it.
    const timeoutMs = timeoutWithin(deadlineMs - STATUS_MS - ANSWER_MS, { boundMs, nowMs: monotonicClock() });
    const assertHash = (value: unknown): void => {
      const isSame = typeof value === 'string' && value.toLowerCase() === userOpHash;
      if (!isSame) throw new UnexpectedAnswerError('the hash of an operation', 'is of another operation');
    };
    try {
      const wire = toWireOperation(complete, bundler.config.kind);
      await bundler.ask('eth_sendUserOperation', [wire, entryPoint], assertHash, { timeoutMs });
    } catch (error) {
      if (!isAlreadyKnown(error)) {
        const refusal = bundlerRefusal(error);
        bundler.sends[refusal ? 'refused' : 'failed'] += 1;
        if (refusal) onRefused?.(bundler, refusal);
        throw error;
      }
    }
    bundler.sends.taken += 1;
    return { userOpHash, bundler };
  }
}

function wellFirst(endpoints: readonly BundlerEndpoint[]): readonly BundlerEndpoint[] {
  return [...endpoints.filter(({ isWell }) => isWell), ...endpoints.filter(({ isWell }) => !isWell)];
}

function serves({ entryPoints, kind }: BundlerConfig, version: EntryPointVersion): boolean {
  return entryPoints?.includes(version) ?? !NOT_SERVED[kind]?.includes(version);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new UnexpectedAnswerError('an estimate');
}
