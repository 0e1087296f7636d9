import { WALLET, type ClientAsk, type ReserveRequest, type Share } from './ledger';

const MAX_UINT256 = 2n ** 256n - 1n;

/**
 * Checks that a request is valid. Only a bug in our own code makes an invalid request; found here, it fails alone and
 * not with its whole batch.
 *
 * @throws {RangeError} naming the field
 */
export function assertReservable(request: ReserveRequest): void {
  assertAmount('nonce', request.nonce);
  assertAmount('prechargeWei', request.prechargeWei);
  assertAmount('expectedWei', request.expectedWei ?? 0n);
  if (request.client) assertClient(request.client);
  assertSeconds('validUntilSeconds', request.validUntilSeconds);
  assertSeconds('nowSeconds', request.nowSeconds);
  if (request.headTimeSeconds !== undefined) assertSeconds('headTimeSeconds', request.headTimeSeconds);
  assertSeconds('brakeReleasedAtMs', request.brakeReleasedAtMs ?? 0);
  const keys = new Set<string>([WALLET]);
  for (const { key, amount, limit, share, microUsdPerNative, unit, version } of request.claims) {
    if (keys.has(key)) throw new RangeError(`the budget ${key} is claimed twice`);
    if (share) assertShare(share, { key, earlier: keys });
    keys.add(key);
    assertAmount(`amount of ${key}`, amount);
    assertAmount(`limit of ${key}`, limit);
    if (microUsdPerNative !== undefined) assertAmount(`price of ${key}`, microUsdPerNative);
    assertVersion(`version of ${key}`, version ?? 0);
    if (unit === 'microUsd' && microUsdPerNative === undefined) throw new RangeError(`${key} has no price`);
  }
}

function assertClient({ network, excessWei, roomMillionths, leastRoomWei, ordinaryWei }: ClientAsk): void {
  // The row without a name is the sum of networks.
  if (network === '') throw new RangeError('the client has no network');
  for (const [field, value] of Object.entries({ excessWei, roomMillionths, leastRoomWei, ordinaryWei })) {
    assertAmount(field, value);
  }
}

function assertShare({ percent, of }: Share, { key, earlier }: { key: string; earlier: ReadonlySet<string> }): void {
  if (!earlier.has(of)) throw new RangeError(`${key} is a share of ${of}, which is not claimed before it`);
  if (!Number.isInteger(percent) || percent < 1 || percent > 100) throw new RangeError(`share of ${key} is no percent`);
}

function assertAmount(field: string, value: bigint): void {
  if (value < 0n || value > MAX_UINT256) throw new RangeError(`${field} is no uint256`);
}

function assertVersion(field: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${field} is no version`);
}

function assertSeconds(field: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`${field} is no time in whole units`);
}
