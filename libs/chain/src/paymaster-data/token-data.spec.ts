import { byteLength, CHARGING_WAYS, ZERO_ADDRESS, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import fc from 'fast-check';
import { sponsorFieldsBuilder, tokenFieldsBuilder, tokenPermitBuilder } from '../testing';
import { decodePaymasterAndData } from './decode-paymaster-and-data';
import { encodePaymasterAndData } from './encode-paymaster-and-data';
import { encodeSponsorData } from './encode-sponsor-data';
import { encodeTokenData } from './encode-token-data';
import { encodeStubTokenData, STUB_SIGNATURE, STUB_VALID_UNTIL_SECONDS } from './stub';
import { isTokenFields, type TokenFields } from './token-fields';

const seed = Number(process.env['TEST_SEED']);
const versions: EntryPointVersion[] = ['0.6', '0.7', '0.8', '0.9'];
const paymasterGasLimits = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 40_000n };

const zeroBytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex').filter((byte) => byte === 0).length;

const packed = (version: EntryPointVersion, fields: TokenFields, signature: Hex = randomHex(65)): Hex =>
  encodePaymasterAndData({
    version,
    paymaster: randomAddress(),
    paymasterGasLimits,
    paymasterData: encodeTokenData(fields, signature),
  });

/** `bytes` with the byte at `offset` replaced. */
const withByte = (bytes: Hex, offset: number, byte: string): Hex =>
  `${bytes.slice(0, 2 + offset * 2)}${byte}${bytes.slice(4 + offset * 2)}` as Hex;

describe('encodeTokenData', () => {
  const fields: TokenFields = {
    validUntilSeconds: 0x010203040506,
    validAfterSeconds: 0x000708090a0b,
    fundingWallet: `0x${'cd'.repeat(20)}`,
    feeMarkupMillionths: 1_000_000n,
    unaccountedGas: 0x0c0d0e0fn,
    way: 'allowance',
    token: `0x${'12'.repeat(20)}`,
    exchangeRate: 0x1234n,
    premiumMillionths: 2_000_000n,
    feeReceiver: `0x${'34'.repeat(20)}`,
    maxTokenChargeBaseUnits: 0x5678n,
  };
  const head = `0x02010203040506000708090a0b${'cd'.repeat(20)}000f42400c0d0e0f`;
  const payment = `${'12'.repeat(20)}${'1234'.padStart(48, '0')}001e8480${'34'.repeat(20)}${'5678'.padStart(48, '0')}`;

  it.each([
    ['allowance', '01'],
    ['batchApproval', '03'],
  ] as const)('lays every field of way %s where the page says', (way, byte) => {
    const data = encodeTokenData({ ...fields, way }, `0x${'ef'.repeat(65)}`);
    expect(data).toBe(`${head}${byte}${payment}${'ef'.repeat(65)}`);
  });

  it.each([
    [100, '01'],
    [125, '11'],
    [200, '41'],
    [475, 'f1'],
  ] as const)('says in the high half of the way that gas is at %d %%', (gasPercent, byte) => {
    const data = encodeTokenData({ ...fields, gasPercent }, `0x${'ef'.repeat(65)}`);
    expect(data).toBe(`${head}${byte}${payment}${'ef'.repeat(65)}`);
  });

  it('puts the permit between the fields and the signature', () => {
    const permit = { valueBaseUnits: 1n, deadlineSeconds: 2n ** 256n - 1n, signature: `0x${'9a'.repeat(65)}` as const };
    const data = encodeTokenData({ ...fields, way: 'permit', permit }, new Uint8Array(65).fill(0xef));
    const permitBytes = `${'01'.padStart(64, '0')}${'ff'.repeat(32)}${'9a'.repeat(65)}`;
    expect(data).toBe(`${head}02${payment}${permitBytes}${'ef'.repeat(65)}`);
  });

  it.each<[string, Partial<TokenFields>]>([
    ['validUntil', { validUntilSeconds: 0 }],
    ['way', { way: 'credit' as never }],
    ['gasPercent', { gasPercent: 75 }],
    ['gasPercent', { gasPercent: 110 }],
    ['gasPercent', { gasPercent: 500 }],
    ['token', { token: ZERO_ADDRESS }],
    ['token', { token: '0x12' }],
    ['exchangeRate', { exchangeRate: 0n }],
    ['exchangeRate', { exchangeRate: 2n ** 192n }],
    ['premium', { premiumMillionths: 999_999n }],
    ['premium', { premiumMillionths: 2_000_001n }],
    ['feeReceiver', { feeReceiver: ZERO_ADDRESS }],
    ['maxTokenCharge', { maxTokenChargeBaseUnits: 0n }],
    ['maxTokenCharge', { maxTokenChargeBaseUnits: 2n ** 192n }],
    ['permit', { permit: tokenPermitBuilder().build() }],
    ['permit is missing', { way: 'permit' }],
    [
      'permit.value',
      {
        way: 'permit',
        permit: tokenPermitBuilder()
          .with('valueBaseUnits', 2n ** 256n)
          .build(),
      },
    ],
    ['permit.deadline', { way: 'permit', permit: tokenPermitBuilder().with('deadlineSeconds', -1n).build() }],
    ['permit.signature', { way: 'permit', permit: tokenPermitBuilder().with('signature', randomHex(64)).build() }],
  ])('never encodes what the contract would refuse: %s', (name, change) => {
    expect(() => encodeTokenData({ ...fields, ...change }, STUB_SIGNATURE)).toThrow(new RegExp(`^${name}`));
  });

  it('refuses a signature of another length', () => {
    expect(() => encodeTokenData(fields, new Uint8Array(64))).toThrow('signature has 64 bytes instead of 65');
  });
});

describe('encodeSponsorData', () => {
  it('refuses fields of token mode, because their digest differs', () => {
    expect(() => encodeSponsorData(tokenFieldsBuilder().build(), STUB_SIGNATURE)).toThrow('token mode');
  });
});

describe('paymasterAndData of token mode', () => {
  it.each([
    ['0.6', 'allowance', 219],
    ['0.6', 'permit', 348],
    ['0.7', 'batchApproval', 251],
    ['0.8', 'permit', 380],
    ['0.9', 'permit', 390],
  ] as const)('v%s, way %s: is %d bytes long', (version, way, bytes) => {
    expect(byteLength(packed(version, tokenFieldsBuilder(way).build()))).toBe(bytes);
  });

  it.each(versions.flatMap((version) => CHARGING_WAYS.map((way) => [version, way] as const)))(
    'v%s, way %s: is taken apart again',
    (version, way) => {
      const fields = tokenFieldsBuilder(way).build();
      const signature = randomHex(65);
      const decoded = decodePaymasterAndData(version, packed(version, fields, signature));
      expect(decoded).toMatchObject({ signature });
      expect(decoded.sponsorFields).toEqual(fields);
      const raised = { ...fields, gasPercent: 475 };
      expect(decodePaymasterAndData(version, packed(version, raised)).sponsorFields).toEqual(raised);
      expect(isTokenFields(decoded.sponsorFields)).toBe(true);
    },
  );

  it.each(CHARGING_WAYS)('way %s: one byte more or less is refused', (way) => {
    const bytes = packed('0.6', tokenFieldsBuilder(way).build());
    expect(() => decodePaymasterAndData('0.6', `${bytes}00`)).toThrow('bytes');
    expect(() => decodePaymasterAndData('0.6', bytes.slice(0, -4) as Hex)).toThrow('bytes');
  });

  it.each(['00', '04', '10', '14', 'ff'])('way byte 0x%s is refused', (way) => {
    const bytes = packed('0.7', tokenFieldsBuilder('allowance').build());
    expect(() => decodePaymasterAndData('0.7', withByte(bytes, 52 + 41, way))).toThrow(/^way/);
  });

  it('is not read as sponsorship, nor sponsorship as token mode', () => {
    const token = packed('0.6', tokenFieldsBuilder('allowance').build());
    expect(() => decodePaymasterAndData('0.6', withByte(token, 20, '01'))).toThrow('not 126 bytes');
    const paymasterData = encodeSponsorData(sponsorFieldsBuilder().build(), randomHex(65));
    const sponsored = encodePaymasterAndData({
      version: '0.6',
      paymaster: randomAddress(),
      paymasterGasLimits,
      paymasterData,
    });
    expect(() => decodePaymasterAndData('0.6', withByte(sponsored, 20, '02'))).toThrow(RangeError);
  });

  it.each([0, 20, 52, 61])('is refused when it ends after %d bytes', (bytes) => {
    const cut = packed('0.6', tokenFieldsBuilder().build()).slice(0, 2 + bytes * 2) as Hex;
    expect(() => decodePaymasterAndData('0.6', cut)).toThrow('ends before');
  });
});

describe('the token stub', () => {
  it('has the length of a final without permit and no more zero bytes than any', () => {
    const property = fc.property(
      fc.integer({ min: 1_795_000_000, max: 4_294_880_000 }),
      fc.integer({ min: 120, max: 600 }),
      fc.bigInt({ min: 1n, max: 2n ** 192n - 1n }),
      fc.constantFrom('allowance' as const, 'batchApproval' as const),
      (now, lifetime, maxTokenChargeBaseUnits, way) => {
        const fields: TokenFields = {
          ...tokenFieldsBuilder(way).build(),
          validAfterSeconds: now - 60,
          validUntilSeconds: now + lifetime,
          maxTokenChargeBaseUnits,
        };
        const final = encodeTokenData(fields, randomHex(65));
        const stub = encodeStubTokenData(fields);
        expect(byteLength(stub)).toBe(byteLength(final));
        expect(zeroBytes(stub)).toBeLessThanOrEqual(zeroBytes(final));
      },
    );
    fc.assert(property, { numRuns: 1_000, ...(Number.isFinite(seed) && { seed }) });
  });

  it('has the way batchApproval, the price of the final data, a charge of 24 bytes ff, and times of the stub', () => {
    const fields = tokenFieldsBuilder('permit').build();
    const stub = encodePaymasterAndData({
      version: '0.6',
      paymaster: randomAddress(),
      paymasterGasLimits,
      paymasterData: encodeStubTokenData(fields),
    });
    const decoded = decodePaymasterAndData('0.6', stub);
    const { token, exchangeRate, premiumMillionths, feeReceiver, fundingWallet, unaccountedGas, gasPercent } = fields;
    expect(decoded.signature).toBe(STUB_SIGNATURE);
    expect(decoded.sponsorFields).toMatchObject({
      ...{ token, exchangeRate, premiumMillionths, feeReceiver, fundingWallet, unaccountedGas },
      ...(gasPercent !== undefined && { gasPercent }),
      way: 'batchApproval',
      validUntilSeconds: STUB_VALID_UNTIL_SECONDS,
      maxTokenChargeBaseUnits: 2n ** 192n - 1n,
    });
    expect(decoded.sponsorFields).not.toHaveProperty('permit');
  });
});
