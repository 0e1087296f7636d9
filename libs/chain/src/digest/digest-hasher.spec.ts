import {
  EIP7702_MARKER,
  ENTRY_POINT_VERSIONS,
  initCodeOf,
  type Address,
  type Hex,
  type UserOperation,
  ZERO_ADDRESS,
} from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { hexlify, keccak256 } from 'ethers';
import { digestContext, randomOperation, referenceDigest, ROUNDS } from '../testing/reference-digest';
import { createDigestHasher, type DigestContext, type DigestHasher } from './digest-hasher';

describe('DigestHasher', () => {
  let hasher: DigestHasher;
  beforeAll(async () => {
    hasher = await createDigestHasher();
  });

  it.each(ENTRY_POINT_VERSIONS)(`equals ethers on ${ROUNDS} random v%s operations`, (version) => {
    for (let round = 0; round < ROUNDS; round++) {
      const operation = randomOperation(version);
      const ctx = digestContext();
      expect(hexlify(hasher.digest(operation, ctx))).toBe(referenceDigest(operation, ctx));
    }
  });

  it.each(ENTRY_POINT_VERSIONS)('signs no delegate as the zero address on v%s', (version) => {
    const operation = randomOperation(version);
    const { eip7702Delegate: _, ...ctx } = digestContext();
    const digest = hexlify(hasher.digest(operation, ctx));
    expect(hexlify(hasher.digest(operation, { ...ctx, eip7702Delegate: ZERO_ADDRESS }))).toBe(digest);
    expect(hexlify(hasher.digest(operation, { ...ctx, eip7702Delegate: randomAddress() }))).not.toBe(digest);
  });

  it.each(['0.7', '0.8', '0.9'] as const)('takes the EIP-7702 marker as an ordinary factory on v%s', (version) => {
    const operation = userOperationV07Builder(version)
      .with('factory', EIP7702_MARKER)
      .with('factoryData', '0xbeef')
      .build();
    const ctx = digestContext();
    expect(hexlify(hasher.digest(operation, ctx))).toBe(referenceDigest(operation, ctx));
  });

  describe.each(['0.6', '0.7', '0.8', '0.9'])('every signed field of v%s', (version) => {
    const variants = signedFieldChanges(version);

    it.each(Object.keys(variants))('changes the digest: %s', (field) => {
      const operation = userOperationFor(version);
      const ctx = digestContext();
      const changed = variants[field]!(operation, ctx);
      expect(hexlify(hasher.digest(...changed))).not.toBe(hexlify(hasher.digest(operation, ctx)));
    });
  });

  it('does not cover the account signature', () => {
    const operation = userOperationV06Builder().build();
    const ctx = digestContext();
    expect(hasher.digest({ ...operation, signature: '0x00' }, ctx)).toEqual(hasher.digest(operation, ctx));
  });

  const TOO_MUCH = 2n ** 256n;

  it.each([
    'nonce',
    'callGasLimit',
    'verificationGasLimit',
    'preVerificationGas',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
  ] as const)('names %s of v0.6 when it does not fit 256 bits', (field) => {
    const operation = userOperationV06Builder().with(field, TOO_MUCH).build();
    expect(() => hasher.digest(operation, digestContext())).toThrow(
      refusal(field, `${field} does not fit an unsigned integer of 256 bits`),
    );
  });

  it.each(['nonce', 'preVerificationGas'] as const)('names %s of v0.7 when it does not fit 256 bits', (field) => {
    const operation = userOperationV07Builder().with(field, TOO_MUCH).build();
    expect(() => hasher.digest(operation, digestContext())).toThrow(
      refusal(field, `${field} does not fit an unsigned integer of 256 bits`),
    );
  });

  it.each(['paymasterVerificationGasLimit', 'paymasterPostOpGasLimit'])('names %s when it does not fit', (field) => {
    const ctx = digestContext();
    const broken = { ...ctx, paymasterGasLimits: { ...ctx.paymasterGasLimits, [field]: 2n ** 128n } };
    expect(() => hasher.digest(userOperationV07Builder().build(), broken)).toThrow(
      refusal(field, `${field} does not fit an unsigned integer of 128 bits`),
    );
  });

  it.each(['entryPoint', 'paymaster', 'eip7702Delegate'] as const)(
    'names %s of ours when it is no address',
    (field) => {
      const broken = { ...digestContext(), [field]: '0x12' as Address };
      const name = field === 'eip7702Delegate' ? 'delegate' : field;
      expect(() => hasher.digest(userOperationV06Builder().build(), broken)).toThrow(
        new RangeError(`${name} is not an address`),
      );
    },
  );

  it('names a sender that is no address, and a chain id that is no number of a chain', () => {
    const operation = userOperationV06Builder().build();
    expect(() => hasher.digest({ ...operation, sender: '0x12' }, digestContext())).toThrow('sender is not an address');
    expect(() => hasher.digest(operation, { ...digestContext(), chainId: -1 })).toThrow(/^chainId does not fit/);
  });

  it('gives what is hashed last to signers that hash for themselves', () => {
    const digest = hasher.digest(randomOperation('0.7'), digestContext());
    expect(hasher.preimage).toHaveLength(66);
    expect(keccak256(hasher.preimage)).toBe(hexlify(digest));
  });

  it.each(['callGasLimit', 'verificationGasLimit', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const)(
    'names %s when it does not fit the 128 bits of the packed operation',
    (field) => {
      const operation = userOperationV07Builder()
        .with(field, 2n ** 128n)
        .build();
      expect(() => hasher.digest(operation, digestContext())).toThrow(
        refusal(field, `${field} does not fit an unsigned integer of 128 bits`),
      );
    },
  );

  it('names call data that is not hexadecimal instead of hashing a part of it', () => {
    const operation = userOperationV07Builder().with('callData', '0x12zz34').build();
    expect(() => hasher.digest(operation, digestContext())).toThrow(refusal('callData', 'callData is not hex bytes'));
    const deployment = userOperationV06Builder().with('initCode', '0x12zz34').build();
    expect(() => hasher.digest(deployment, digestContext())).toThrow(refusal('initCode', 'initCode is not hex bytes'));
  });

  it.each([
    ['validUntil', { validUntilSeconds: 0 }],
    ['validUntil', { validUntilSeconds: 2 ** 47 }],
    ['validAfter', { validAfterSeconds: 2 ** 46, validUntilSeconds: 2 ** 46 }],
    ['fundingWallet', { fundingWallet: `0x${'0'.repeat(40)}` as Address }],
    ['feeMarkup', { feeMarkupMillionths: 999_999n }],
    ['feeMarkup', { feeMarkupMillionths: 2_000_001n }],
    ['unaccountedGas', { unaccountedGas: 2n ** 32n }],
  ])('never signs what the contract would refuse: %s', (field, change) => {
    const ctx = digestContext();
    const broken = { ...ctx, sponsorFields: { ...ctx.sponsorFields, ...change } };
    expect(() => hasher.digest(userOperationV06Builder().build(), broken)).toThrow(new RegExp(`^${field}`));
  });
});

/** As toThrow compares it: the message alone would not tell the field. */
const refusal = (field: string, message: string) =>
  expect.objectContaining({ field: `params[0].${field}`, message, reason: 'INVALID_PARAMS' });

type Change = (operation: UserOperation, ctx: DigestContext) => [UserOperation, DigestContext];

function userOperationFor(version: string): UserOperation {
  return version === '0.6'
    ? userOperationV06Builder().with('initCode', randomHex(40)).build()
    : userOperationV07Builder(version as '0.7')
        .with('factory', randomAddress())
        .with('factoryData', randomHex(20))
        .build();
}

/** One change for each field that the contract reads. Each changes the last byte, which every type uses fully. */
function signedFieldChanges(version: string): Record<string, Change> {
  const flip = (value: bigint) => value ^ 0xffn;
  const flipHex = (value: Hex): Hex =>
    `${value.slice(0, -2)}${(Number(`0x${value.slice(-2)}`) ^ 0xff).toString(16).padStart(2, '0')}` as Hex;
  const inOperation =
    (change: (o: UserOperation) => object): Change =>
    (o, c) => [{ ...o, ...change(o) } as UserOperation, c];
  const inContext =
    (change: (c: DigestContext) => object): Change =>
    (o, c) => [o, { ...c, ...change(c) }];
  const inSponsor =
    (change: (c: DigestContext['sponsorFields']) => object): Change =>
    (o, c) => [o, { ...c, sponsorFields: { ...c.sponsorFields, ...change(c.sponsorFields) } }];
  const inLimits =
    (name: keyof DigestContext['paymasterGasLimits']): Change =>
    (o, c) => [o, { ...c, paymasterGasLimits: { ...c.paymasterGasLimits, [name]: flip(c.paymasterGasLimits[name]) } }];
  const changes: Record<string, Change> = {
    sender: inOperation((o) => ({ sender: flipHex(o.sender) })),
    nonce: inOperation((o) => ({ nonce: flip(o.nonce) })),
    'nonce key': inOperation((o) => ({ nonce: o.nonce ^ (1n << 255n) })),
    callData: inOperation((o) => ({ callData: flipHex(o.callData) })),
    callGasLimit: inOperation((o) => ({ callGasLimit: flip(o.callGasLimit) })),
    verificationGasLimit: inOperation((o) => ({ verificationGasLimit: flip(o.verificationGasLimit) })),
    preVerificationGas: inOperation((o) => ({ preVerificationGas: flip(o.preVerificationGas) })),
    maxFeePerGas: inOperation((o) => ({ maxFeePerGas: flip(o.maxFeePerGas) })),
    maxPriorityFeePerGas: inOperation((o) => ({ maxPriorityFeePerGas: flip(o.maxPriorityFeePerGas) })),
    delegate: inContext((c) => ({ eip7702Delegate: flipHex(c.eip7702Delegate ?? ZERO_ADDRESS) })),
    chainId: inContext((c) => ({ chainId: c.chainId + 1 })),
    paymaster: inContext((c) => ({ paymaster: flipHex(c.paymaster) })),
    entryPoint: inContext((c) => ({ entryPoint: flipHex(c.entryPoint) })),
    validUntil: inSponsor((f) => ({ validUntilSeconds: f.validUntilSeconds + 1 })),
    validAfter: inSponsor((f) => ({ validAfterSeconds: f.validAfterSeconds - 1 })),
    fundingWallet: inSponsor((f) => ({ fundingWallet: flipHex(f.fundingWallet) })),
    feeMarkup: inSponsor((f) => ({
      feeMarkupMillionths: f.feeMarkupMillionths === 1_000_000n ? 1_000_001n : 1_000_000n,
    })),
    unaccountedGas: inSponsor((f) => ({ unaccountedGas: flip(f.unaccountedGas) })),
  };
  if (version === '0.6') {
    return { ...changes, initCode: inOperation((o) => ({ initCode: flipHex(initCodeOf(o)) })) };
  }
  return {
    ...changes,
    factory: inOperation((o) => ({ factory: flipHex((o as { factory: Hex }).factory) })),
    factoryData: inOperation((o) => ({ factoryData: flipHex((o as { factoryData: Hex }).factoryData) })),
    paymasterVerificationGasLimit: inLimits('paymasterVerificationGasLimit'),
    paymasterPostOpGasLimit: inLimits('paymasterPostOpGasLimit'),
  };
}
