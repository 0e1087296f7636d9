import { faker } from '@faker-js/faker';
import type { Address } from '@paymaster/domain';
import type { BudgetClaim, ReserveRequest } from '../gateway/ledger';

const address = (): Address => faker.string.hexadecimal({ length: 40, casing: 'lower' }) as Address;

/** A request of a random paymaster, without claims: 1,000 wei, valid for five minutes from now. */
export function aReserveRequest(overrides: Partial<Omit<ReserveRequest, 'event'>> = {}): ReserveRequest {
  const nowSeconds = overrides.nowSeconds ?? Math.floor(Date.now() / 1_000);
  const request = {
    chainId: 31337,
    contract: address(),
    wallet: address(),
    entryPoint: '0x0000000071727de22e5e9d8baf0edac6f37da032' as const,
    entryPointVersion: '0.7' as const,
    paymasterId: faker.string.uuid(),
    policyVersion: 1,
    mode: 'sponsored' as const,
    sender: address(),
    nonce: faker.number.bigInt({ max: 2n ** 256n - 1n }),
    prechargeWei: 1_000n,
    validUntilSeconds: nowSeconds + 300,
    nowSeconds,
    claims: [],
    ...overrides,
  };
  return { ...request, event: grantedEvent(request) };
}

/** The event of every built request. */
function grantedEvent(request: Omit<ReserveRequest, 'event'>): ReserveRequest['event'] {
  return {
    kind: 'granted',
    chainId: request.chainId,
    paymasterId: request.paymasterId,
    mode: request.mode,
    sender: request.sender,
    nonce: String(request.nonce),
    entryPointVersion: request.entryPointVersion,
    requestId: faker.string.uuid(),
    fundingWallet: request.wallet,
    prechargeWei: String(request.prechargeWei),
    validUntilSeconds: request.validUntilSeconds,
    policyId: null,
    policyVersion: request.policyVersion,
    targets: [],
    trace: [],
  };
}

/** A claim of 1 on a budget of 10 operations without a window. */
export function aBudgetClaim(overrides: Partial<BudgetClaim> = {}): BudgetClaim {
  return {
    key: `limit/${faker.string.uuid()}`,
    live: false,
    unit: 'count',
    amount: 1n,
    limit: 10n,
    refusal: { rule: 'limits', reason: 'SPENDING_LIMIT_REACHED', message: 'the limit is reached' },
    ...overrides,
  };
}
