import {
  byteLength,
  InvalidParamsError,
  initCodeOf,
  isPacked,
  type Address,
  type Hex,
  type PaymasterGasLimits,
  type UserOperation,
  ZERO_ADDRESS,
} from '@paymaster/domain';
import { LRUCache } from 'lru-cache';
import { permitHex } from '../paymaster-data/encode-token-data';
import { assertSponsorFields, SPONSORSHIP_MODE, type SponsorFields } from '../paymaster-data/sponsor-fields';
import {
  assertTokenFields,
  isTokenFields,
  TOKEN_MODE,
  wayByteOf,
  type TokenFields,
} from '../paymaster-data/token-fields';
import {
  DOMAIN_NAME,
  DOMAIN_TYPE,
  DOMAIN_VERSION,
  SPONSORED_OPERATION_TYPE_V06,
  SPONSORED_OPERATION_TYPE_V07,
  TOKEN_PAID_OPERATION_TYPE_V06,
  TOKEN_PAID_OPERATION_TYPE_V07,
} from './eip712-types';
import { createKeccak256, type Keccak256 } from './keccak';
import { UintRangeError, WORD_BYTES, WordWriter } from './word-writer';

/** Type hash and 17 members, in both structs of sponsorship mode. */
const STRUCT_WORDS = 18;
/** Members that token mode has in addition. */
const TOKEN_WORDS = 7;

/** Everything the digest covers besides the operation itself. */
export interface DigestContext {
  readonly chainId: number;
  /** The `verifyingContract` of the domain. */
  readonly paymaster: Address;
  readonly entryPoint: Address;
  /** The fields of the mode that is signed; the fields of token mode have a `way`. */
  readonly sponsorFields: SponsorFields | TokenFields;
  /** Part of the struct on v0.7 and later; absent on v0.6. */
  readonly paymasterGasLimits: PaymasterGasLimits;
  /**
   * The delegate whose code the sender runs by EIP-7702 when the operation lands; left out where it does not delegate.
   */
  readonly eip7702Delegate?: Address | undefined;
}

/** The parts that are equal for every operation of one mode; each operation overwrites `bytes`. */
interface StructTemplate {
  readonly mode: bigint;
  readonly typeHashV06: Uint8Array;
  readonly typeHashV07: Uint8Array;
  readonly bytes: Buffer;
}

/** Computes the EIP-712 digest the paymaster's signer signs. Make one per process with {@link createDigestHasher}. */
export class DigestHasher {
  private readonly sponsorship: StructTemplate;
  private readonly token: StructTemplate;
  private readonly domainSeparators = new LRUCache<string, Uint8Array>({ max: 1_000 });
  /** `0x19 0x01 ++ domain separator ++ struct hash`, reused: everything here is synchronous. */
  private readonly envelope = Buffer.alloc(2 + 2 * WORD_BYTES);

  constructor(private readonly keccak: Keccak256) {
    this.envelope.set([0x19, 0x01]);
    const typeHash = (type: string) => keccak(Buffer.from(type));
    this.sponsorship = {
      mode: BigInt(SPONSORSHIP_MODE),
      typeHashV06: typeHash(SPONSORED_OPERATION_TYPE_V06),
      typeHashV07: typeHash(SPONSORED_OPERATION_TYPE_V07),
      bytes: Buffer.alloc(STRUCT_WORDS * WORD_BYTES),
    };
    this.token = {
      mode: BigInt(TOKEN_MODE),
      typeHashV06: typeHash(TOKEN_PAID_OPERATION_TYPE_V06),
      typeHashV07: typeHash(TOKEN_PAID_OPERATION_TYPE_V07),
      bytes: Buffer.alloc((STRUCT_WORDS + TOKEN_WORDS) * WORD_BYTES),
    };
  }

  /**
   * The digest of docs/architecture/paymaster-data.md for one operation; equal to the contract's `getDigest`.
   *
   * @returns 32 bytes
   * @throws {InvalidParamsError} naming the operation's field that does not fit its type on chain
   * @throws {RangeError} when one of our own fields is out of range
   */
  digest(operation: UserOperation, context: DigestContext): Uint8Array {
    if (isTokenFields(context.sponsorFields)) assertTokenFields(context.sponsorFields);
    else assertSponsorFields(context.sponsorFields);
    this.envelope.set(this.domainSeparator(context), 2);
    this.envelope.set(this.structHash(operation, context), 2 + WORD_BYTES);
    return this.keccak(this.envelope);
  }

  /**
   * The input whose Keccak-256 is the last digest: 66 bytes, `0x1901 ++ domain separator ++ struct hash`, for signers
   * that hash the data they get. The next digest overwrites it.
   */
  get preimage(): Uint8Array {
    return this.envelope;
  }

  private domainSeparator({ chainId, paymaster }: DigestContext): Uint8Array {
    const key = `${chainId}:${paymaster}`;
    const known = this.domainSeparators.get(key);
    // Stryker disable next-line ConditionalExpression: only quicker, the same words have the same hash
    if (known) return known;
    const words = new WordWriter(Buffer.alloc(5 * WORD_BYTES))
      .bytes32(this.keccak(Buffer.from(DOMAIN_TYPE)))
      .bytes32(this.keccak(Buffer.from(DOMAIN_NAME)))
      .bytes32(this.keccak(Buffer.from(DOMAIN_VERSION)))
      .uint('chainId', BigInt(chainId), 256)
      .address('paymaster', paymaster);
    const separator = this.keccak(words.bytes);
    this.domainSeparators.set(key, separator);
    return separator;
  }

  private structHash(operation: UserOperation, context: DigestContext): Uint8Array {
    const fields = context.sponsorFields;
    const template = isTokenFields(fields) ? this.token : this.sponsorship;
    const words = new WordWriter(template.bytes);
    try {
      words
        .bytes32(isPacked(operation) ? template.typeHashV07 : template.typeHashV06)
        .address('entryPoint', context.entryPoint)
        // Stryker disable next-line StringLiteral: the modes are 1 and 2, so the name is never said
        .uint('mode', template.mode, 8)
        .address('sender', operation.sender)
        .address('delegate', context.eip7702Delegate ?? ZERO_ADDRESS)
        .uint('nonce', operation.nonce, 256)
        .bytes32(this.keccakOf('initCode', initCodeOf(operation)))
        .bytes32(this.keccakOf('callData', operation.callData));
      writeGas(words, operation, context.paymasterGasLimits);
    } catch (error) {
      if (error instanceof UintRangeError) throw new InvalidParamsError(`params[0].${error.field}`, error.message);
      throw error;
    }
    writeSponsorFields(words, fields);
    if (isTokenFields(fields)) this.writeTokenFields(words, fields);
    return this.keccak(template.bytes);
  }

  private writeTokenFields(words: WordWriter, fields: TokenFields): void {
    const permit: Hex = fields.permit ? `0x${permitHex(fields.permit)}` : '0x';
    // Stryker disable StringLiteral: assertTokenFields has refused what does not fit, so the names are never said
    words
      .uint('way', BigInt(wayByteOf(fields)), 8)
      .address('token', fields.token)
      .uint('exchangeRate', fields.exchangeRate, 192)
      .uint('premium', fields.premiumMillionths, 32)
      .address('feeReceiver', fields.feeReceiver)
      .uint('maxTokenCharge', fields.maxTokenChargeBaseUnits, 192)
      .bytes32(this.keccakOf('permit', permit));
    // Stryker restore StringLiteral
  }

  private keccakOf(name: string, value: Hex): Uint8Array {
    const bytes = Buffer.from(value.slice(2), 'hex');
    // Buffer.from stops at the first character that is no digit, and would hash only the part before it.
    if (bytes.length !== byteLength(value))
      throw new InvalidParamsError(`params[0].${name}`, `${name} is not hex bytes`);
    return this.keccak(bytes);
  }
}

/** Loads the WebAssembly hasher once; what it returns works synchronously. */
export async function createDigestHasher(): Promise<DigestHasher> {
  return new DigestHasher(await createKeccak256());
}

function writeGas(words: WordWriter, operation: UserOperation, limits: PaymasterGasLimits): void {
  const { callGasLimit, verificationGasLimit, preVerificationGas, maxFeePerGas, maxPriorityFeePerGas } = operation;
  if (!isPacked(operation)) {
    words
      .uint('callGasLimit', callGasLimit, 256)
      .uint('verificationGasLimit', verificationGasLimit, 256)
      .uint('preVerificationGas', preVerificationGas, 256)
      .uint('maxFeePerGas', maxFeePerGas, 256)
      .uint('maxPriorityFeePerGas', maxPriorityFeePerGas, 256);
    return;
  }
  words
    .packedUint128(
      { name: 'verificationGasLimit', value: verificationGasLimit },
      { name: 'callGasLimit', value: callGasLimit },
    )
    .uint('preVerificationGas', preVerificationGas, 256)
    .packedUint128(
      { name: 'maxPriorityFeePerGas', value: maxPriorityFeePerGas },
      { name: 'maxFeePerGas', value: maxFeePerGas },
    )
    .uint('paymasterVerificationGasLimit', limits.paymasterVerificationGasLimit, 128)
    .uint('paymasterPostOpGasLimit', limits.paymasterPostOpGasLimit, 128);
}

function writeSponsorFields(words: WordWriter, fields: SponsorFields): void {
  // Stryker disable StringLiteral: assertSponsorFields has refused what does not fit, so the names are never said
  words
    .uint('validUntil', BigInt(fields.validUntilSeconds), 48)
    .uint('validAfter', BigInt(fields.validAfterSeconds), 48)
    .address('fundingWallet', fields.fundingWallet)
    .uint('feeMarkup', fields.feeMarkupMillionths, 32)
    .uint('unaccountedGas', fields.unaccountedGas, 32);
  // Stryker restore StringLiteral
}
