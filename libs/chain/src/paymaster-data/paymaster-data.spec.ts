import { byteLength, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { keccak256, toUtf8Bytes } from 'ethers';
import fc from 'fast-check';
import { ecdsaRecover } from 'secp256k1';
import { sponsorFieldsBuilder } from '../testing';
import { decodePaymasterAndData } from './decode-paymaster-and-data';
import { encodePaymasterAndData } from './encode-paymaster-and-data';
import { encodeSponsorData } from './encode-sponsor-data';
import { toWirePaymasterData } from './paymaster-signature';
import { encodeStubSponsorData, STUB_SIGNATURE } from './stub';

const seed = Number(process.env['TEST_SEED']);
const sign = randomHex(65);
const versions: EntryPointVersion[] = ['0.6', '0.7', '0.8', '0.9'];
const paymasterGasLimits = { paymasterVerificationGasLimit: 60_000n, paymasterPostOpGasLimit: 40_000n };

const zeroBytes = (hex: Hex) => Buffer.from(hex.slice(2), 'hex').filter((byte) => byte === 0).length;

describe('encodeSponsorData', () => {
  it('puts every field where docs/architecture/paymaster-data.md says', () => {
    const data = encodeSponsorData(
      {
        validUntilSeconds: 0x010203040506,
        validAfterSeconds: 0x000708090a0b,
        fundingWallet: `0x${'cd'.repeat(20)}`,
        feeMarkupMillionths: 1_000_000n,
        unaccountedGas: 0x0c0d0e0fn,
      },
      `0x${'ef'.repeat(65)}`,
    );
    expect(data).toBe(`0x01010203040506000708090a0b${'cd'.repeat(20)}000f42400c0d0e0f${'ef'.repeat(65)}`);
  });

  it('refuses a signature of another length', () => {
    const fields = sponsorFieldsBuilder().build();
    expect(() => encodeSponsorData(fields, new Uint8Array(64))).toThrow('signature has 64 bytes instead of 65');
  });

  it('refuses fields the contract would revert on', () => {
    const fields = sponsorFieldsBuilder().with('validUntilSeconds', 0).build();
    expect(() => encodeSponsorData(fields, STUB_SIGNATURE)).toThrow('validUntil');
  });
});

describe('encodePaymasterAndData', () => {
  it.each([
    ['0.6', 126],
    ['0.7', 158],
    ['0.8', 158],
    ['0.9', 168],
  ] as const)('makes v%s %d bytes long', (version, bytes) => {
    const paymasterData = encodeSponsorData(sponsorFieldsBuilder().build(), randomHex(65));
    const encoded = encodePaymasterAndData({ version, paymaster: randomAddress(), paymasterGasLimits, paymasterData });
    expect(byteLength(encoded)).toBe(bytes);
  });

  it.each(versions)('is taken apart again on v%s', (version) => {
    const paymaster = randomAddress();
    const sponsorFields = sponsorFieldsBuilder().build();
    const signature = randomHex(65);
    const paymasterData = encodeSponsorData(sponsorFields, signature);
    const encoded = encodePaymasterAndData({ version, paymaster, paymasterGasLimits, paymasterData });
    expect(decodePaymasterAndData(version, encoded)).toEqual({
      paymaster,
      sponsorFields,
      signature,
      paymasterVerificationGasLimit: version === '0.6' ? 0n : 60_000n,
      paymasterPostOpGasLimit: version === '0.6' ? 0n : 40_000n,
    });
  });

  it('says on v0.9 which bytes at the end are the signature, as its EntryPoint wants it', () => {
    const fields = sponsorFieldsBuilder().build();
    const input = { paymaster: randomAddress(), paymasterGasLimits, paymasterData: encodeSponsorData(fields, sign) };
    const whole = encodePaymasterAndData({ version: '0.9', ...input });
    const magic = keccak256(toUtf8Bytes('PaymasterSignature')).slice(2, 18);
    expect(whole).toBe(`${encodePaymasterAndData({ version: '0.8', ...input })}0041${magic}`);
    const { paymasterData, paymasterSignature } = toWirePaymasterData('0.9', input.paymasterData);
    expect(paymasterSignature).toBe(sign);
    expect(whole).toContain(`${paymasterData.slice(2)}${sign.slice(2)}`);
    expect(byteLength(paymasterData)).toBe(41);
  });

  it.each(['0.6', '0.7', '0.8'] as const)('leaves the signature at the end of the data on v%s', (version) => {
    const paymasterData = encodeSponsorData(sponsorFieldsBuilder().build(), sign);
    expect(toWirePaymasterData(version, paymasterData)).toEqual({ paymasterData });
  });

  it('is taken apart on v0.9 without the suffix too, and with it on no other version', () => {
    const fields = sponsorFieldsBuilder().build();
    const input = { paymaster: randomAddress(), paymasterGasLimits, paymasterData: encodeSponsorData(fields, sign) };
    const [plain, suffixed] = [encodePaymasterAndData({ version: '0.8', ...input }), encodePaymasterAndData({ version: '0.9', ...input })]; // prettier-ignore
    expect(decodePaymasterAndData('0.9', plain)).toEqual(decodePaymasterAndData('0.9', suffixed));
    expect(() => decodePaymasterAndData('0.8', suffixed)).toThrow('bytes');
    expect(() => decodePaymasterAndData('0.9', `${suffixed}004122e325a297439656`)).toThrow('bytes');
  });

  it('refuses a limit that does not fit 128 bits', () => {
    const limits = { ...paymasterGasLimits, paymasterPostOpGasLimit: 2n ** 128n };
    const input = { version: '0.7' as const, paymaster: randomAddress(), paymasterData: '0x' as const };
    expect(() => encodePaymasterAndData({ ...input, paymasterGasLimits: limits })).toThrow('128 bits');
  });
});

describe('decodePaymasterAndData', () => {
  const encoded = (): Hex =>
    encodePaymasterAndData({
      version: '0.6',
      paymaster: randomAddress(),
      paymasterGasLimits,
      paymasterData: encodeSponsorData(sponsorFieldsBuilder().build(), randomHex(65)),
    });

  it('refuses one byte more or less', () => {
    const bytes = encoded();
    expect(() => decodePaymasterAndData('0.6', `${bytes}00`)).toThrow('not 126 bytes');
    expect(() => decodePaymasterAndData('0.6', bytes.slice(0, -4) as Hex)).toThrow('not 126 bytes');
    // A sender may fold the signature, and the contract takes it.
    expect(decodePaymasterAndData('0.6', bytes.slice(0, -2) as Hex).signature).toHaveLength(2 + 2 * 64);
  });

  it.each(['00', '03', '81', 'ff'])('refuses mode byte 0x%s', (mode) => {
    const bytes = encoded();
    expect(() => decodePaymasterAndData('0.6', `${bytes.slice(0, 42)}${mode}${bytes.slice(44)}` as Hex)).toThrow(
      'mode',
    );
  });
});

describe('the stub', () => {
  it('has the length of the final data and no more zero bytes than any final of the next 80 years', () => {
    const property = fc.property(
      fc.integer({ min: 1_795_000_000, max: 4_294_880_000 }),
      fc.integer({ min: 120, max: 86_400 }),
      fc.uint8Array({ minLength: 65, maxLength: 65 }),
      (now, lifetime, signature) => {
        const fields = sponsorFieldsBuilder()
          .with('validAfterSeconds', now - 60)
          .with('validUntilSeconds', now + lifetime)
          .build();
        const final = encodeSponsorData(fields, signature);
        const stub = encodeStubSponsorData(fields);
        expect(byteLength(stub)).toBe(byteLength(final));
        expect(zeroBytes(stub)).toBeLessThanOrEqual(zeroBytes(final));
      },
    );
    fc.assert(property, { numRuns: 1_000, ...(Number.isFinite(seed) && { seed }) });
  });

  it('carries a signature that recovers to an address: v 28, low s, no zero byte', () => {
    const bytes = Buffer.from(STUB_SIGNATURE.slice(2), 'hex');
    expect(bytes[64]).toBe(28);
    expect(bytes.subarray(32, 64).readUInt8(0)).toBeLessThan(0x7f);
    expect(zeroBytes(STUB_SIGNATURE)).toBe(0);
    expect(() => ecdsaRecover(bytes.subarray(0, 64), 1, Buffer.alloc(32, 7))).not.toThrow();
  });
});
