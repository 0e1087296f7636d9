import { tokenGasTerms } from '@paymaster/chain';
import { CANONICAL_ENTRY_POINTS, type EntryPointVersion } from '@paymaster/domain';
import { sponsorTerms } from '../../../decide/terms/sponsor-terms';
import { exampleCaller, TOKEN } from '../../../testing/examples/example-world';
import { pmSupportedERC20Tokens } from './pm_supportedERC20Tokens';

/** What abstractionkit adds to its estimate of `verificationGasLimit` on EntryPoint v0.6; gas. */
const ADDED_BY_CLIENT = 40_000n;

describe('dummyPaymasterAndData', () => {
  const caller = exampleCaller();
  const dummyOf = async (version: EntryPointVersion) => {
    const request = { mode: 'none', caller, params: [CANONICAL_ENTRY_POINTS[version]] } as const;
    const { paymasterMetadata, tokens } = await pmSupportedERC20Tokens.answer(request, {} as never);
    expect(tokens.map(({ address }) => address)).toEqual([TOKEN.address]);
    return paymasterMetadata.dummyPaymasterAndData;
  };

  it('is the stub of a sponsorship though tokens are taken: a sponsored sender has none', async () => {
    expect(await dummyOf('0.6')).toBe(sponsorTerms(caller, '0.6').stub.paymasterAndData);
    const { paymaster, paymasterData, paymasterGasLimits } = sponsorTerms(caller, '0.7').stub;
    expect(await dummyOf('0.7')).toEqual({
      ...{ paymaster, paymasterData },
      paymasterVerificationGasLimit: `0x${paymasterGasLimits.paymasterVerificationGasLimit.toString(16)}`,
      paymasterPostOpGasLimit: `0x${paymasterGasLimits.paymasterPostOpGasLimit.toString(16)}`,
    });
  });

  it('has the signature of v0.9 in the data, where clients know no field for it', async () => {
    const { paymasterData } = sponsorTerms(caller, '0.9').stub;
    const dummy = await dummyOf('0.9');
    expect(dummy).toMatchObject({ paymasterData });
    expect(dummy).not.toHaveProperty('paymasterSignature');
  });

  it('leaves a token payment the gas that the client adds to its estimate on EntryPoint v0.6', () => {
    const { transferGas } = TOKEN;
    const { addedVerificationGas } = tokenGasTerms({ version: '0.6', way: 'batchApproval', transferGas });
    expect(addedVerificationGas).toBeLessThanOrEqual(ADDED_BY_CLIENT);
  });
});
