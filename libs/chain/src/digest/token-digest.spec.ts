import { ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder } from '@paymaster/domain/testing';
import { hexlify } from 'ethers';
import type { TokenFields } from '../paymaster-data/token-fields';
import { tokenFieldsBuilder } from '../testing';
import { digestContext, randomOperation, referenceDigest, ROUNDS } from '../testing/reference-digest';
import { createDigestHasher, type DigestHasher } from './digest-hasher';

/** One change per field that token mode adds. */
const TOKEN_FIELD_CHANGES: Record<string, (fields: TokenFields) => Partial<TokenFields>> = {
  'way and permit': () => ({ way: 'allowance', permit: undefined }),
  gasPercent: ({ gasPercent = 100 }) => ({ gasPercent: gasPercent === 300 ? 325 : 300 }),
  token: () => ({ token: randomAddress() }),
  exchangeRate: (f) => ({ exchangeRate: f.exchangeRate + 1n }),
  premium: (f) => ({ premiumMillionths: f.premiumMillionths === 1_000_000n ? 1_000_001n : 1_000_000n }),
  feeReceiver: () => ({ feeReceiver: randomAddress() }),
  maxTokenCharge: (f) => ({ maxTokenChargeBaseUnits: f.maxTokenChargeBaseUnits ^ 3n }),
  'permit value': (f) => ({ permit: { ...f.permit!, valueBaseUnits: f.permit!.valueBaseUnits ^ 1n } }),
  'permit deadline': (f) => ({ permit: { ...f.permit!, deadlineSeconds: f.permit!.deadlineSeconds ^ 1n } }),
  'permit signature': (f) => ({ permit: { ...f.permit!, signature: randomHex(65) } }),
};

describe('DigestHasher in token mode', () => {
  let hasher: DigestHasher;
  beforeAll(async () => {
    hasher = await createDigestHasher();
  });

  it.each(ENTRY_POINT_VERSIONS)(`equals ethers on ${ROUNDS} random v%s operations paid in tokens`, (version) => {
    for (let round = 0; round < ROUNDS; round++) {
      const operation = randomOperation(version);
      const ctx = digestContext(tokenFieldsBuilder().build());
      expect(hexlify(hasher.digest(operation, ctx))).toBe(referenceDigest(operation, ctx));
    }
  });

  it('leaves nothing of one operation in the digest of the next, whatever their modes', () => {
    const operation = randomOperation('0.7');
    const contexts = [
      digestContext(tokenFieldsBuilder('permit').build()),
      digestContext(),
      digestContext(tokenFieldsBuilder().build()),
    ];
    for (const ctx of [...contexts, ...contexts.reverse()])
      expect(hexlify(hasher.digest(operation, ctx))).toBe(referenceDigest(operation, ctx));
  });

  describe('every field that token mode adds', () => {
    it.each(Object.keys(TOKEN_FIELD_CHANGES))('changes the digest: %s', (field) => {
      const operation = userOperationV06Builder().build();
      const fields = tokenFieldsBuilder('permit').build();
      const ctx = digestContext(fields);
      const changed = { ...ctx, sponsorFields: { ...fields, ...TOKEN_FIELD_CHANGES[field]!(fields) } };
      expect(hexlify(hasher.digest(operation, changed))).not.toBe(hexlify(hasher.digest(operation, ctx)));
    });
  });

  it.each([
    ['exchangeRate', { exchangeRate: 2n ** 192n }],
    ['maxTokenCharge', { maxTokenChargeBaseUnits: 0n }],
    ['permit', { permit: undefined }],
  ])('never signs token fields that the contract would refuse: %s', (field, change) => {
    const broken = digestContext({ ...tokenFieldsBuilder('permit').build(), ...change } as TokenFields);
    expect(() => hasher.digest(userOperationV06Builder().build(), broken)).toThrow(new RegExp(`^${field}`));
  });
});
