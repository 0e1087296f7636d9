import { isSigner } from '../support/paymaster-contract';
import { recoverSponsorSigner } from '../support/sponsor-digest';
import type { SponsoredResult } from '../support/json-rpc';
import type { WireOperation } from '../support/wire-operation';
import type { Given } from './bad-input';

/** The result carries a signature of a real signer over exactly the good operation with these changes. */
export function signedExactly(changes: Partial<WireOperation> = {}) {
  return async (result: SponsoredResult, { stack, good }: Given): Promise<void> => {
    const operation = { ...good, ...changes };
    const { paymasterAndData } = result;
    const signer = await recoverSponsorSigner({ stack, version: '0.6', operation, paymasterAndData });
    expect(await isSigner(stack, '0.6', signer)).toBe(true);
  };
}
