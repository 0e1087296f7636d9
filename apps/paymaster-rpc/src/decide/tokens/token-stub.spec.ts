import { decodePaymasterAndData, tokenGasTerms, type TokenPermit } from '@paymaster/chain';
import { ENTRY_POINT_VERSIONS, type ChargingWay, type EntryPointVersion, type Hex } from '@paymaster/domain';
import { randomAddress, randomHex, tokenListingBuilder } from '@paymaster/domain/testing';
import { tokenStub } from './token-stub';
import type { TokenTerms } from './token-terms';

const rate = { exchangeRate: 3_000_123_456n, tokenUsdE36: 1n, nativeUsdE36: 1n };
const permit: TokenPermit = { valueBaseUnits: 5_000_000n, deadlineSeconds: 2n ** 40n, signature: `${randomHex(64)}1b` };

function terms(version: EntryPointVersion, way: ChargingWay): TokenTerms {
  const token = tokenListingBuilder().with('premiumMillionths', 75_000).build();
  return {
    ...{ version, way, token, feeMarkupMillionths: 1_000_000n },
    ...{ entryPoint: randomAddress(), paymaster: randomAddress(), fundingWallet: randomAddress() },
    feeReceiver: randomAddress(),
    constants: tokenGasTerms({ version, way, transferGas: token.transferGas, gasPercent: 225 }),
  };
}
const bytes = (data: Hex): number => (data.length - 2) / 2;

describe.each(ENTRY_POINT_VERSIONS)('tokenStub of v%s', (version) => {
  it('has the way batchApproval without a permit, 199 bytes, with the fields of the final data', () => {
    const of = terms(version, 'allowance');
    const stub = tokenStub(of, { rate });
    expect(bytes(stub.paymasterData)).toBe(199);
    expect(decodePaymasterAndData(version, stub.paymasterAndData).sponsorFields).toMatchObject({
      ...{ way: 'batchApproval', gasPercent: 225, token: of.token.address, feeReceiver: of.feeReceiver },
      ...{ exchangeRate: rate.exchangeRate, premiumMillionths: 1_075_000n },
      maxTokenChargeBaseUnits: 2n ** 192n - 1n,
    });
  });

  it('has the way allowance if there is one, 199 bytes, and pulls no more than the account has', () => {
    const stub = tokenStub(terms(version, 'allowance'), { rate, pullable: 70_000n });
    expect(bytes(stub.paymasterData)).toBe(199);
    expect(decodePaymasterAndData(version, stub.paymasterAndData).sponsorFields).toMatchObject({
      ...{ way: 'allowance', gasPercent: 225, maxTokenChargeBaseUnits: 0xffffn },
    });
  });

  it("carries the client's permit, 328 bytes, and pulls no more than the account has", () => {
    const stub = tokenStub(terms(version, 'permit'), { rate, permit, pullable: 70_000n });
    expect(bytes(stub.paymasterData)).toBe(328);
    expect(decodePaymasterAndData(version, stub.paymasterAndData).sponsorFields).toMatchObject({
      ...{ way: 'permit', gasPercent: 225, permit },
      // The longest run of ff bytes that is not above 70,000 = 0x11170 has two bytes.
      maxTokenChargeBaseUnits: 0xffffn,
    });
  });

  it.each([
    [0n, 0xffn],
    [255n, 0xffn],
    [0xfffen, 0xffn],
    [0xffffn, 0xffffn],
    [2n ** 255n, 0xff_ffffn],
  ])('with %d to pull it says %d, and never more than the permit', (pullable, expected) => {
    const wide = { ...permit, valueBaseUnits: 0x1_00_0000n };
    const stub = tokenStub(terms(version, 'permit'), { rate, permit: wide, pullable });
    const { sponsorFields } = decodePaymasterAndData(version, stub.paymasterAndData);
    expect(sponsorFields).toMatchObject({ maxTokenChargeBaseUnits: expected });
  });
});
