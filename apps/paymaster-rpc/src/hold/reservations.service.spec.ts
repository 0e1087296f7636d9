import { DependencyUnavailableError, FundingWalletError, RequestTimedOutError } from '@paymaster/domain';
import { keyGrantBuilder, policySnapshotBuilder, randomAddress } from '@paymaster/domain/testing';
import { BudgetRefusedError, type Ledger, type ReserveRequest } from '@paymaster/ledger';
import { NO_SPAN } from '@paymaster/tracing';
import type { Caller } from '../callers/caller';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { Reservations, type PromisedOperation } from './reservations.service';

const NOW = 1_800_000_000;
/** A deadline far in the future; milliseconds of the monotonic clock. */
const DEADLINE_MS = 1e12;
const config = {
  maxLiveSignaturesPerSender: 9,
  maxLiveSignaturesPerClient: 9,
  maxLiveSignaturesPerPaymaster: 9,
  apiKeyIndexKey: 'ab'.repeat(32),
} as PaymasterRpcConfig;

/** A gateway on a chain whose time and deposit the test sets, and a ledger that answers as the test says. */
function world(reserve: (request: ReserveRequest) => Promise<string> = async () => '1') {
  const state = { nowSeconds: NOW, halted: false, depositWei: 1_000n, landed: async () => [] as bigint[] };
  const requests: ReserveRequest[] = [];
  const chain = {
    config: { chainId: 7, testnet: false },
    head: {
      nowSeconds: () => state.nowSeconds,
      latest: () => ({ timestampSeconds: state.nowSeconds }),
      assertNotHalted: () => {
        if (state.halted) throw new DependencyUnavailableError('chain', 'halted');
      },
    },
    funding: {
      assertDepositCovers: async ({ neededWei }: { neededWei: bigint }) => {
        if (neededWei > state.depositWei) throw new FundingWalletError('FUNDING_WALLET_BALANCE_TOO_LOW', 'low');
      },
      assertLeavesHalf: async () => undefined,
    },
    accounts: { landedNonces: () => state.landed() },
  };
  const ledger: Pick<Ledger, 'reserve' | 'openNonces'> = {
    openNonces: async () => [7n, 8n],
    reserve: (request) => {
      requests.push(request);
      return reserve(request);
    },
  };
  const snapshot = policySnapshotBuilder().with('version', 12).build();
  const who = { requestId: 'r', clientAddress: '203.0.113.7', strangerNetwork: 'n', span: NO_SPAN };
  const caller = { ...who, chain, paymaster: { snapshot }, deadlineMs: DEADLINE_MS } as unknown as Caller;
  const terms = {
    version: '0.7' as const,
    ...{ entryPoint: randomAddress(), paymaster: randomAddress(), fundingWallet: randomAddress() },
  };
  const promised: PromisedOperation = {
    ...{ caller, mode: 'sponsored', terms, prechargeWei: 50n, validUntilSeconds: NOW + 300 },
    asked: {
      ...{ expectedWei: 20n, excessWei: 0n, isOwnAnswer: true, roomMillionths: 30_000n },
      ...{ leastRoomWei: 1_000n, ordinaryWei: 100n },
    },
    operation: { sender: randomAddress(), nonce: 2n ** 255n, maxFeePerGas: 1n, entryPointVersion: '0.7' },
    decoded: {
      ...{ understood: true, shape: 'execute' },
      calls: [{ to: randomAddress(), valueWei: 3n, data: '0x12345678', selector: '0x12345678' }],
    },
    trace: [{ rule: 'policiesSet', input: '1', outcome: 'pass' }],
  };
  return { state, requests, snapshot, promised, reservations: new Reservations(ledger as Ledger, config) };
}

describe('Reservations', () => {
  it('asks the ledger for everything the signature may take, and tells what was decided', async () => {
    const { reservations, promised, requests, snapshot } = world();
    await reservations.hold(promised);
    const { terms, operation } = promised;
    expect(requests).toMatchObject([
      {
        ...{ chainId: 7, contract: terms.paymaster, wallet: terms.fundingWallet, entryPoint: terms.entryPoint },
        ...{ paymasterId: snapshot.paymasterId, policyVersion: 12, mode: 'sponsored', sender: operation.sender },
        ...{ nonce: 2n ** 255n, prechargeWei: 50n, validUntilSeconds: NOW + 300, nowSeconds: NOW },
        expectedWei: 20n,
        client: {
          ...{ network: 'n', excessWei: 0n, isOwnAnswer: true, roomMillionths: 30_000n, leastRoomWei: 1_000n },
          ...{ ordinaryWei: 100n, isTestnet: false, holdsFreely: false },
        },
      },
    ]);
    expect(requests[0]?.claims.map(({ limit }) => limit)).toEqual([4n, 9n, 9n, 3n]);
    expect(requests[0]?.event).toEqual({
      ...{ kind: 'granted', chainId: 7, paymasterId: snapshot.paymasterId, mode: 'sponsored', requestId: 'r' },
      ...{ sender: operation.sender, nonce: (2n ** 255n).toString(), entryPointVersion: '0.7' },
      ...{ fundingWallet: terms.fundingWallet, prechargeWei: '50', validUntilSeconds: NOW + 300 },
      ...{ policyId: null, policyVersion: 12, trace: promised.trace },
      targets: [{ to: expect.any(String), selector: '0x12345678', valueWei: '3' }],
      ...{ keyId: null, nativeUsd: null, tokenPrice: null },
    });
  });

  it('tells the key that asked, and what coin and token are worth at the moment', async () => {
    const { reservations, promised, requests, snapshot } = world();
    const prices = { nativeUsdE36: () => 3_000_500n * 10n ** 33n };
    const caller = {
      ...promised.caller,
      chain: { ...promised.caller.chain, tokens: { prices } },
      paymaster: {
        snapshot: { ...snapshot, key: keyGrantBuilder().with('keyId', 'k1').build() },
        policy: { policies: { keyLimits: [], keyLimitsNeedPrice: false } },
      },
    } as unknown as Caller;
    const token = { address: randomAddress(), decimals: 6 };
    const rate = { exchangeRate: 1n, tokenUsdE36: 10n ** 36n - 10n ** 32n, nativeUsdE36: 3_001n * 10n ** 36n };
    await reservations.hold({ ...promised, caller });
    await reservations.hold({ ...promised, caller, paidIn: { token, rate } });
    expect(requests.map(({ event }) => event)).toMatchObject([
      { keyId: 'k1', nativeUsd: '3000.5', tokenPrice: null },
      {
        keyId: 'k1',
        nativeUsd: '3001',
        token: token.address,
        tokenPrice: { token: token.address, decimals: 6, usd: '0.9999' },
      },
    ]);
  });

  it('claims the limits of the policy that allowed the operation, and names it', async () => {
    const { reservations, promised, requests } = world();
    const refusal = { rule: 'limits', reason: 'SPENDING_LIMIT_REACHED', message: 'used up' };
    const limit = { key: 'k', live: false, unit: 'count' as const, amount: 1n, limit: 5n, refusal };
    await reservations.hold({ ...promised, policy: { policyId: 'p1', claims: [limit] } });
    expect(requests[0]?.claims[4]).toMatchObject({ key: 'k', limit: 5n });
    expect(requests[0]?.event.policyId).toBe('p1');
  });

  it('writes at most four events of an operation per minute, however often it is requested', async () => {
    const { reservations, promised, requests } = world();
    for (let times = 0; times < 6; times++) await reservations.hold(promised);
    await reservations.hold({ ...promised, operation: { ...promised.operation, nonce: 1n } });
    expect(requests.map(({ isQuiet }) => isQuiet)).toEqual([false, false, false, false, true, true, false]);
  });

  it('does not ask the ledger if the EntryPoint deposit cannot pay', async () => {
    const { reservations, promised, requests, state } = world();
    state.depositWei = 49n;
    await expect(reservations.hold(promised)).rejects.toThrow(FundingWalletError);
    expect(requests).toHaveLength(0);
  });

  it("puts the trace so far in front of the ledger's refusal", async () => {
    const { reservations, promised } = world(async ({ claims: [claim] }) => {
      throw new BudgetRefusedError({ claim: claim!, used: 4n, limit: 4n });
    });
    await expect(reservations.hold(promised)).rejects.toMatchObject({
      ...{ reason: 'TOO_MANY_LIVE_SIGNATURES', details: { limit: '4', used: '4' } },
      ...{ trace: promised.trace, budget: { limit: 4n } },
    });
  });

  it.each<[string, number, () => Promise<bigint[]>, boolean]>([
    ['again without nonces of the sender that the chain has used', 0, async () => [8n], true],
    ['once where the chain has used none', 0, async () => [], false],
    ['once where the chain does not say it', 0, () => Promise.reject(new Error('down')), false],
    ['once where the places of a client are taken', 1, async () => [8n], false],
  ])('asks the ledger %s', async (_title, refused, landed, isGranted) => {
    const { reservations, promised, requests, state } = world(async ({ claims, landedNonces }) => {
      if (landedNonces) return '1';
      throw new BudgetRefusedError({ claim: claims[refused]!, used: 4n, limit: 4n });
    });
    state.landed = landed;
    const reason = await reservations.hold(promised).then(
      () => undefined,
      (error: BudgetRefusedError) => error.reason,
    );
    expect(reason).toBe(isGranted ? undefined : 'TOO_MANY_LIVE_SIGNATURES');
    expect(requests.map(({ landedNonces }) => landedNonces)).toEqual(isGranted ? [undefined, [8n]] : [undefined]);
  });

  it("lets nothing be signed after the request's deadline, which the ledger knows too", async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(DEADLINE_MS - 1);
    try {
      const { reservations, promised, requests } = world(async () => {
        clock.mockReturnValue(DEADLINE_MS);
        return '1';
      });
      await expect(reservations.hold(promised)).rejects.toThrow(RequestTimedOutError);
      expect(requests[0]?.deadlineMs).toBe(DEADLINE_MS);
    } finally {
      clock.mockRestore();
    }
  });

  it.each([
    ['has passed the end of the signature', { nowSeconds: NOW + 300 }],
    ['was not read meanwhile', { halted: true }],
  ])('lets nothing be signed when the process was paused and the time on chain %s', async (_title, change) => {
    const { reservations, promised, state } = world(async () => {
      Object.assign(state, change);
      return '1';
    });
    await expect(reservations.hold(promised)).rejects.toThrow(DependencyUnavailableError);
  });
});
