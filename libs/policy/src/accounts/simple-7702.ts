import type { AccountFamily } from './account-family';
import { EXECUTE, EXECUTE_BATCH_OF_TUPLES } from './simple-account';

/** Simple7702Account of @account-abstraction/contracts 0.8 and 0.9, for plain key accounts that delegate by EIP-7702. */
export const SIMPLE_7702: AccountFamily = {
  name: 'Simple7702Account',
  // Its fallback takes every other selector and does nothing.
  functions: [EXECUTE, EXECUTE_BATCH_OF_TUPLES],
  delegates: [
    {
      // viem 2.57 accounts/implementations/toSimple7702SmartAccount.ts, permissionless 0.3.7 to7702SimpleSmartAccount.ts:
      // where its published code lands, which the test proves.
      name: 'Simple7702Account for EntryPoint v0.8',
      address: '0xe6cae83bde06e4c305530e199d7217f42808555b',
    },
    {
      // viem 2.57 accounts/implementations/toSimple7702SmartAccount.ts and abstractionkit 0.2.41
      // account/simple/Simple7702AccountV09.ts. npm has no code of the release, whose deployment is by CREATE2.
      name: 'Simple7702Account for EntryPoint v0.9',
      address: '0xa46cc63ebf4bd77888aa327837d20b23a63a56b5',
    },
  ],
};
