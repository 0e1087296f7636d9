import { randomUUID } from 'node:crypto';
import type { Address } from '@paymaster/domain';
import { exposureClaims } from '../../src/gateway/exposure-claims';
import type { BudgetClaim, ClientAsk, ReserveRequest } from '../../src/gateway/ledger';
import type { Random } from '../../src/settlement/testing/random';
import type { ChainHead } from './chain-node';
import {
  CHAIN_ID,
  ENTRY_POINT,
  EXACT,
  EXACT_VALIDITY_SECONDS,
  EXPOSURE_CAPS,
  PAYMASTERS,
  RaceLimits,
  SENDERS,
  tokenAt,
} from './race-world';

const REMEMBERED = 40;
const BLOCKS_PER_NONCE = 10;
const BLOCKS_PER_POLICY = 25;
/**
 * A nonce space of its own, so that no operation of another paymaster voids its grants. All 256 bits of a nonce count.
 */
const EXACT_NONCES = 2n ** 255n;

/** A request, and the token in which it would pay, if its operation may fail to pay. */
export interface RaceRequest extends ReserveRequest {
  readonly token?: Address;
}

/** The requests to one gateway: new operations, and often earlier operations at another price. */
export class RaceRequests {
  private readonly limits: RaceLimits;
  private readonly earlier: ReserveRequest[] = [];

  constructor(
    seed: number,
    private readonly random: Random,
  ) {
    this.limits = new RaceLimits(seed);
  }

  next(head: ChainHead): RaceRequest {
    const again = this.earlier.length > 0 && this.random.chance(0.2) ? this.random.pick(this.earlier) : undefined;
    const paymaster = this.random.chance(0.1) ? EXACT : this.random.pick(PAYMASTERS);
    const nonce = this.nonceAt(head) + (paymaster === EXACT ? EXACT_NONCES : 0n);
    const { sender, paymasterId, contract, wallet, ...operation } = again ?? {
      ...{ sender: this.random.pick(SENDERS), nonce, paymasterId: paymaster.id },
      ...paymaster.account,
    };
    const made = this.request({ sender, paymasterId, contract, wallet, nonce: operation.nonce }, head);
    this.earlier.push(made);
    if (this.earlier.length > REMEMBERED) this.earlier.shift();
    return made;
  }

  private request(
    operation: Pick<ReserveRequest, 'sender' | 'nonce' | 'paymasterId' | 'contract' | 'wallet'>,
    { number, timeSeconds: nowSeconds }: ChainHead,
  ): RaceRequest {
    const { paymasterId, sender } = operation;
    // Each gateway gets a new policy at a random time.
    const newest = 1 + Math.floor(number / BLOCKS_PER_POLICY);
    const policyVersion = Math.max(1, newest - this.random.pick([0, 0, 0, 1, 2]));
    const prechargeWei = BigInt(this.random.int(1, 2_000));
    const { wallet } = operation;
    const isExposed = paymasterId !== EXACT.id && this.random.chance(0.25);
    const token = isExposed ? tokenAt(number, this.random) : undefined;
    const claims: BudgetClaim[] = [
      ...this.limits.claims({ paymasterId, sender, prechargeWei, policyVersion, nowSeconds }, this.random),
      ...(token ? exposureClaims({ chainId: CHAIN_ID, wallet, sender, token, prechargeWei, ...EXPOSURE_CAPS }) : []),
    ];
    const validity = paymasterId === EXACT.id ? EXACT_VALIDITY_SECONDS : this.random.int(30, 400);
    const isCounted = paymasterId !== EXACT.id && this.random.chance(0.7);
    const client = isCounted ? this.client() : undefined;
    const request = {
      ...{ expectedWei: prechargeWei - BigInt(this.random.int(0, Number(prechargeWei))), ...(client && { client }) },
      ...{
        chainId: CHAIN_ID,
        entryPoint: ENTRY_POINT,
        entryPointVersion: '0.7' as const,
        mode: isExposed ? ('token' as const) : ('sponsored' as const),
        ...operation,
      },
      ...{ policyVersion, prechargeWei, claims, nowSeconds, validUntilSeconds: nowSeconds + validity },
    } as const;
    return { ...request, event: eventOf(request), ...(token && { token }) };
  }

  /** One of twelve networks: two have all bounds, which they reach, and eight hold as much as they like. */
  private client(): ClientAsk {
    const network = this.random.int(1, 12);
    return {
      ...{ network: `network ${network}`, isTestnet: network > 2, holdsFreely: network > 4 },
      ...{ excessWei: BigInt(this.random.int(0, 40)), isOwnAnswer: this.random.chance(0.3) },
      ...{ roomMillionths: 200_000n, leastRoomWei: 20_000n, ordinaryWei: 2_000n },
    };
  }

  /** Nonces grow with the chain's height, so that the same nonce is requested repeatedly while it can be used. */
  private nonceAt({ number }: ChainHead): bigint {
    return BigInt(Math.floor(number / BLOCKS_PER_NONCE) + this.random.int(0, 3));
  }
}

function eventOf(request: Omit<ReserveRequest, 'event'>): ReserveRequest['event'] {
  const { chainId, paymasterId, mode, sender, entryPointVersion, validUntilSeconds, policyVersion } = request;
  return {
    ...{ kind: 'granted', chainId, paymasterId, mode, sender, entryPointVersion, validUntilSeconds, policyVersion },
    ...{ requestId: randomUUID(), fundingWallet: request.wallet, policyId: null, targets: [] },
    nonce: String(request.nonce),
    prechargeWei: String(request.prechargeWei),
    trace: recordOf(request.claims),
  };
}

/** The event contains the claims, so that they stay known when the process is killed. */
function recordOf(claims: ReserveRequest['claims']): ReserveRequest['event']['trace'] {
  return claims.map(({ key, live, unit, amount, limit, microUsdPerNative = 0n }) => ({
    rule: key,
    input: [live ? 'live' : unit, amount, limit, microUsdPerNative].join(' '),
    outcome: 'pass',
  }));
}
