import { CANONICAL_ENTRY_POINTS, DEFAULT_PAYMASTER_SETTINGS, ENTRY_POINT_VERSIONS } from '@paymaster/domain';
import { CHAIN_ID, exampleCaller, RATE, STRANGER, TOKEN } from '../../../testing/examples/example-world';
import { presentGasPrices } from '../common/suggested-fees';
import { sponsorTerms } from '../../../decide/terms/sponsor-terms';
import { tokenTerms } from '../../../decide/tokens/token-terms';
import { prechargeOf } from '../../../decide/limits/gas-limits';
import { zdPmAccounts } from '../zerodev/zd_pm_accounts';
import { pimlicoGetTokenQuotes } from './pimlico_getTokenQuotes';

const caller = exampleCaller();
const quotesOf = async (params: readonly unknown[], asker = caller) => {
  const request = pimlicoGetTokenQuotes.parse(params, asker);
  return (await pimlicoGetTokenQuotes.answer(request, {} as never)).quotes;
};

describe('pimlico_getTokenQuotes', () => {
  const percents = [undefined, 475];
  const cases = ENTRY_POINT_VERSIONS.flatMap((version) => percents.map((percent) => [version, percent] as const));
  it.each(cases)('covers the charge of every way on v%s, gas at %s percent', async (version, tokenGasPercent) => {
    const { config } = caller.chain;
    const entryPoints = { ...config.entryPoints, [version]: { ...config.entryPoints[version], tokenGasPercent } };
    const asker = { ...caller, chain: { ...caller.chain, config: { ...config, entryPoints } } } as typeof caller;
    const asked = [{ tokens: [TOKEN.address, STRANGER] }, CANONICAL_ENTRY_POINTS[version]];
    const [quote, ...others] = await quotesOf(asked, asker);
    expect(others).toEqual([]);
    expect(quote).toMatchObject({ token: TOKEN.address, exchangeRateNativeToUsd: `0x${3_000_000_000n.toString(16)}` });
    const sponsor = sponsorTerms(caller, version);
    expect(quote!.paymaster).toBe(sponsor.paymaster);
    const maxFeePerGas = 10n ** 9n;
    const sent = { callGasLimit: 90_000n, verificationGasLimit: 400_000n, preVerificationGas: 50_000n, maxFeePerGas };
    for (const way of TOKEN.chargingWays) {
      const terms = tokenTerms(sponsor, { caller: asker, token: TOKEN, way });
      expect(terms.constants.gasPercent).toBe(tokenGasPercent ?? 100);
      const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = terms.constants;
      const ofPaymaster = version === '0.6' ? 0n : paymasterVerificationGasLimit + paymasterPostOpGasLimit;
      const ofAccount = sent.callGasLimit + sent.verificationGasLimit + sent.preVerificationGas;
      const gas = ofAccount + ofPaymaster + BigInt(quote!.postOpGas);
      const approved = (gas * maxFeePerGas * BigInt(quote!.exchangeRate)) / 10n ** 18n;
      const charged = (prechargeOf(sent as never, terms) * RATE.exchangeRate) / 10n ** 18n;
      const premium = (charged * BigInt(TOKEN.premiumMillionths)) / 10n ** 6n;
      expect(approved).toBeGreaterThanOrEqual(charged + premium);
    }
  });

  it('has none where token mode is off, and refuses another chain and EntryPoint', async () => {
    const off = exampleCaller({ ...DEFAULT_PAYMASTER_SETTINGS, tokenMode: 'off' });
    const named = { tokens: [TOKEN.address] };
    expect(await quotesOf([named, CANONICAL_ENTRY_POINTS['0.7'], CHAIN_ID], off)).toEqual([]);
    await expect(quotesOf([named, CANONICAL_ENTRY_POINTS['0.7'], 1])).rejects.toThrow('params[2] names chain 1');
    await expect(quotesOf([named, STRANGER])).rejects.toThrow('params[1] is not an EntryPoint');
  });
});

it('zd_pm_accounts names the contract to approve, of the chain of the key', () => {
  const question = { chainId: CHAIN_ID, entryPointAddress: CANONICAL_ENTRY_POINTS['0.6'] };
  expect(zdPmAccounts.answer(zdPmAccounts.parse([question], caller), {} as never)).toEqual([
    sponsorTerms(caller, '0.6').paymaster,
  ]);
  const elsewhere = zdPmAccounts.parse([{ ...question, chainId: 1 }], caller);
  expect(() => zdPmAccounts.answer(elsewhere, {} as never)).toThrow('params[0].chainId names chain 1');
});

it('gas prices follow the bundler, and stay within the bound on tips', () => {
  const { slow, standard, fast } = presentGasPrices(caller);
  expect([slow, standard, fast].map((each) => BigInt(each.maxFeePerGas))).toEqual([
    ...[19_000_000_000n, 23_500_000_000n, 31_000_000_000n],
  ]);
  expect(BigInt(fast.maxPriorityFeePerGas)).toBe(1_000_000_000n);
  const { fees, ...chain } = caller.chain;
  const bounded = { ...chain, fees: { ...fees, maxPriorityFeePerGasWei: () => 5n } };
  expect(presentGasPrices({ chain: bounded } as never).fast.maxPriorityFeePerGas).toBe('0x5');
});
