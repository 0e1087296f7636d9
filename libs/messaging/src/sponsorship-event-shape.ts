import {
  isAddress,
  integer,
  isCount,
  isFlag,
  isSelector,
  isText,
  isWei,
  listOf,
  matching,
  oneOf,
  orAbsent,
  orNull,
  record,
  type Check,
} from './checks';
import { SPONSORSHIP_EVENT_KINDS, type SponsorshipEvent, type SponsorshipEventKind } from './sponsorship-events';

/** A message of the stream that is not an event of this version. */
export class MalformedEventError extends Error {
  constructor(field: string) {
    super(`the sponsorship event has a wrong ${field}`);
    this.name = 'MalformedEventError';
  }
}

type Shape = Readonly<Record<string, Check>>;

const isHash = matching(/^0x[0-9a-f]{64}$/);
const isDigits = matching(/^\d{1,78}$/);
const isPrice = matching(/^\d{1,40}(\.\d{1,36})?$/);
const areTexts: Check = (value) => record({})(value) && Object.values(value as object).every(isText);

const BASE: Shape = {
  eventId: matching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  atMs: isCount,
  chainId: isCount,
  paymasterId: orNull(isText),
};

const OPERATION: Shape = {
  ...BASE,
  reservationId: orNull(isDigits),
  mode: oneOf(['sponsored', 'token']),
  sender: isAddress,
  nonce: isDigits,
  entryPointVersion: isText,
};

const TARGETS = listOf(record({ to: isAddress, selector: orNull(isSelector), valueWei: isWei }));
const TRACE = listOf(record({ rule: isText, input: isText, outcome: oneOf(['pass', 'refuse', 'skip']) }));

const LANDED: Shape = {
  ...OPERATION,
  userOpHash: isHash,
  transactionHash: isHash,
  blockNumber: isDigits,
  fundingWallet: isAddress,
  chargedWei: isWei,
  actualGasCostWei: isWei,
  actualGasUsed: orAbsent(isDigits),
  success: isFlag,
  tokenPayment: orAbsent(orNull(record({ token: isAddress, amount: isWei }))),
};

const OF_BUNDLER: Shape = { ...OPERATION, userOpHash: isHash, bundler: isText, message: orNull(isText) };

const SHAPES: Readonly<Record<SponsorshipEventKind, Shape>> = {
  granted: {
    ...OPERATION,
    requestId: isText,
    fundingWallet: isAddress,
    prechargeWei: isWei,
    validUntilSeconds: isCount,
    policyId: orNull(isText),
    policyVersion: isCount,
    targets: TARGETS,
    trace: TRACE,
    keyId: orAbsent(orNull(isText)),
    nativeUsd: orAbsent(orNull(isPrice)),
    token: orAbsent(isAddress),
    tokenPrice: orAbsent(orNull(record({ token: isAddress, decimals: integer(0, 255), usd: isPrice }))),
  },
  refused: {
    ...OPERATION,
    requestId: isText,
    reason: isText,
    message: isText,
    policyVersion: isCount,
    prechargeWei: orNull(isWei),
    targets: TARGETS,
    trace: TRACE,
    details: areTexts,
    token: orAbsent(isAddress),
  },
  landed: LANDED,
  unlanded: LANDED,
  settled: LANDED,
  voided: { ...OPERATION, because: oneOf(['expired', 'nonceUsed']), releasedWei: isWei },
  walletChanged: { ...BASE, contract: isAddress, fundingWallet: isAddress, spendableWei: isWei, heldWei: isWei },
  walletBraked: {
    ...BASE,
    ...{ paymasterId: isText, contract: isAddress, fundingWallet: isAddress },
    ...{ lostWei: isWei, leftWei: isWei, releasedAtMs: isCount },
  },
  networkNearRoom: {
    ...BASE,
    ...{ paymasterId: isText, contract: isAddress, fundingWallet: isAddress },
    ...{ network: isText, usedWei: isWei, roomWei: isWei },
  },
  sent: OF_BUNDLER,
  waiting: OF_BUNDLER,
  bundlerRefused: OF_BUNDLER,
  dropped: OF_BUNDLER,
};

/**
 * A checked message of stream `SPONSORSHIP`. Unknown fields pass, because publishers are rolled out first.
 *
 * @throws {MalformedEventError} naming the first field that is wrong
 */
export function parseSponsorshipEvent(data: Uint8Array): SponsorshipEvent {
  const value = parseJson(data);
  const { kind } = value;
  if (!oneOf(SPONSORSHIP_EVENT_KINDS)(kind)) throw new MalformedEventError('kind');
  for (const [field, check] of Object.entries(SHAPES[kind as SponsorshipEventKind])) {
    if (!check(value[field])) throw new MalformedEventError(field);
  }
  return value as unknown as SponsorshipEvent;
}

function parseJson(data: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(data));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // A message that is not JSON is refused in the same way.
  }
  throw new MalformedEventError('form');
}
