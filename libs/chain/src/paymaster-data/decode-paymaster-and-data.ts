import {
  byteLength,
  ENTRY_POINTS,
  isHexBytes,
  type Address,
  type EntryPointVersion,
  type Hex,
} from '@paymaster/domain';
import { withoutSuffix } from './paymaster-signature';
import { assertSponsorFields, SIGNATURE_BYTES, SPONSORSHIP_MODE, type SponsorFields } from './sponsor-fields';
import {
  assertTokenFields,
  fromWayByte,
  paymasterDataBytes,
  TOKEN_MODE,
  type TokenFields,
  type TokenPermit,
} from './token-fields';

const ADDRESS_BYTES = 20;
const LIMIT_BYTES = 16;
/** The offset of `way` in `paymasterData`. */
const WAY_OFFSET = 41;

/** `paymasterAndData` of either mode, taken apart. */
export interface DecodedPaymasterAndData {
  readonly paymaster: Address;
  /** Gas; zero on v0.6. */
  readonly paymasterVerificationGasLimit: bigint;
  /** Gas; zero on v0.6. */
  readonly paymasterPostOpGasLimit: bigint;
  /** The fields of token mode have a `way`; `isTokenFields` checks that. */
  readonly sponsorFields: SponsorFields | TokenFields;
  /** 65 bytes, or 64 where the last of a signature is folded in (EIP-2098): the contract takes both. */
  readonly signature: Hex;
}

/**
 * The reverse of `encodePaymasterAndData` and of `encodeSponsorData` or `encodeTokenData`, as strict as the contract:
 * exact length with either form of a signature, known mode and way, values in range. On v0.9 with the suffix behind the
 * signature or without it.
 *
 * @throws {RangeError} saying where the data differ from the layout
 */
export function decodePaymasterAndData(version: EntryPointVersion, wholeField: Hex): DecodedPaymasterAndData {
  const paymasterAndData = withoutSuffix(version, wholeField);
  const { packed } = ENTRY_POINTS[version];
  const prefixBytes = packed ? ADDRESS_BYTES + 2 * LIMIT_BYTES : ADDRESS_BYTES;
  if (!isHexBytes(paymasterAndData)) throw new RangeError('paymasterAndData is not bytes of hexadecimal');
  const charging = chargingOf(paymasterAndData, prefixBytes);
  const expected = prefixBytes + paymasterDataBytes(charging?.way);
  const missing = expected - byteLength(paymasterAndData);
  if (missing !== 0 && missing !== 1) throw new RangeError(`paymasterAndData is not ${expected} bytes`);

  const bytes = new HexReader(paymasterAndData);
  const paymaster = bytes.take(ADDRESS_BYTES);
  const paymasterVerificationGasLimit = packed ? bytes.uint(LIMIT_BYTES) : 0n;
  const paymasterPostOpGasLimit = packed ? bytes.uint(LIMIT_BYTES) : 0n;
  const sponsorFields = charging ? readTokenFields(bytes, charging) : readSponsorFields(bytes);
  return {
    paymaster,
    paymasterVerificationGasLimit,
    paymasterPostOpGasLimit,
    sponsorFields,
    signature: bytes.take(SIGNATURE_BYTES - missing),
  };
}

type Charging = Pick<TokenFields, 'way' | 'gasPercent'>;

/** The way of token mode; undefined for sponsorship. The length is not checked yet, so the byte may be missing. */
function chargingOf(paymasterAndData: Hex, prefixBytes: number): Charging | undefined {
  const byteAt = (offset: number): number => {
    if (byteLength(paymasterAndData) <= offset) throw new RangeError(`paymasterAndData ends before byte ${offset}`);
    return Number(`0x${paymasterAndData.slice(2 + 2 * offset, 4 + 2 * offset)}`);
  };
  const mode = byteAt(prefixBytes);
  if (mode === SPONSORSHIP_MODE) return undefined;
  if (mode !== TOKEN_MODE) throw new RangeError(`mode ${mode} is neither sponsorship nor token mode`);
  const wayByte = byteAt(prefixBytes + WAY_OFFSET);
  const charging = fromWayByte(wayByte);
  if (!charging) throw new RangeError(`way ${wayByte} is unknown`);
  return charging;
}

function readSponsorFields(bytes: HexReader): SponsorFields {
  const fields = readHead(bytes);
  assertSponsorFields(fields);
  return fields;
}

function readTokenFields(bytes: HexReader, charging: Charging): TokenFields {
  const head = readHead(bytes);
  bytes.take(1);
  const fields: TokenFields = {
    ...head,
    ...charging,
    token: bytes.take(ADDRESS_BYTES),
    exchangeRate: bytes.uint(24),
    premiumMillionths: bytes.uint(4),
    feeReceiver: bytes.take(ADDRESS_BYTES),
    maxTokenChargeBaseUnits: bytes.uint(24),
    ...(charging.way === 'permit' && { permit: readPermit(bytes) }),
  };
  assertTokenFields(fields);
  return fields;
}

/** The 41 bytes both modes begin with. */
function readHead(bytes: HexReader): SponsorFields {
  bytes.take(1);
  return {
    validUntilSeconds: Number(bytes.uint(6)),
    validAfterSeconds: Number(bytes.uint(6)),
    fundingWallet: bytes.take(ADDRESS_BYTES),
    feeMarkupMillionths: bytes.uint(4),
    unaccountedGas: bytes.uint(4),
  };
}

function readPermit(bytes: HexReader): TokenPermit {
  return { valueBaseUnits: bytes.uint(32), deadlineSeconds: bytes.uint(32), signature: bytes.take(SIGNATURE_BYTES) };
}

/** Reads a hex string from left to right; its length was checked before. */
class HexReader {
  private offset = 2;

  constructor(private readonly value: Hex) {}

  take(bytes: number): Hex {
    const start = this.offset;
    this.offset += bytes * 2;
    return `0x${this.value.slice(start, this.offset).toLowerCase()}`;
  }

  uint(bytes: number): bigint {
    return BigInt(this.take(bytes));
  }
}
