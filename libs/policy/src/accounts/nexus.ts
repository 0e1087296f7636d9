import { ENTRY_POINTS } from '@paymaster/domain';
import { CanonicalReader } from '../decode/canonical-reader';
import { DecodeFailure } from '../decode/decode-result';
import { ECDSA_STUB, SOLADY_ERC1967, type AccountFamily, type AccountFunction } from './account-family';
import { ERC7579_EXECUTE } from './erc7579';

const SELECTOR_DIGITS = 8;
/** The validate mode; 1 installs a module of the caller's choice before it validates, 2 sets the account up. */
const VALIDATE = '00';

/**
 * The `executeUserOp` prefix of ERC-4337 `IAccountExecute`: EntryPoint v0.7 and later hands the whole operation to
 * the account, which then runs `callData[4:]`.
 *
 * Nexus passes `callData[4:]` to itself by delegatecall, so it is an ERC-7579 `execute` again and nothing else is
 * accepted. Accounts that decode it in another way, such as the `(address, bytes)` of account-abstraction's
 * TestExecAccount, revert on these bytes: the selector would have to be the upper, zero part of an address. On v0.6,
 * and for accounts that lack it, the prefix means nothing.
 *
 * @see bcnmy/nexus Nexus.sol, `executeUserOp`
 */
const EXECUTE_USER_OP: AccountFunction = {
  name: 'executeUserOp(erc7579Execute)',
  signature: 'executeUserOp((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes),bytes32)',
  selector: '0x8dd7712f',
  isErc7579: true,
  read: ({ digits }, operation) => {
    const { callsExecuteUserOp } = ENTRY_POINTS[operation.entryPointVersion];
    if (!callsExecuteUserOp || operation.account?.lacksExecuteUserOp) {
      throw new DecodeFailure('UNKNOWN_SHAPE', 'an executeUserOp prefix that this account kind does not have');
    }
    if (!digits.startsWith(ERC7579_EXECUTE.selector.slice(2), SELECTOR_DIGITS)) {
      throw new DecodeFailure(
        'UNKNOWN_SHAPE',
        'an executeUserOp prefix in front of something else than ERC-7579 execute',
      );
    }
    return ERC7579_EXECUTE.read(new CanonicalReader(digits, 2 * SELECTOR_DIGITS), operation);
  },
};

/**
 * Biconomy Nexus, which clients name BICONOMY like the accounts before it. `NexusAccountFactory` is left out: its
 * initData is a delegatecall to anything.
 */
export const NEXUS: AccountFamily = {
  name: 'Nexus',
  canHavePasskeys: true,
  stubSignature: ECDSA_STUB,
  functions: [ERC7579_EXECUTE, EXECUTE_USER_OP],
  factories: [
    {
      // permissionless 0.3.7 accounts/nexus/toNexusSmartAccount.ts
      name: 'Biconomy Nexus K1 validator factory',
      address: '0x00000bb19a3579f4d779215def97afbd0e30db55',
    },
  ],
  implementations: [
    {
      // bcnmy/sdk constants (MAINNET_ADDRESS_NEXUS_IMPLEMENTATION_ADDRESS)
      name: 'Biconomy Nexus 1.0.0',
      address: '0x000000039dfcad030719b07296710f045f0558f7',
      proxies: [SOLADY_ERC1967],
    },
  ],
  nonceLayout: {
    name: 'nexus',
    /** `[3 free][1 mode][20 validator]`: bcnmy/nexus v1.0.1 to v1.2.0 `contracts/lib/NonceLib.sol`. */
    validatorOf: (digits) => (digits.slice(6, 8) === VALIDATE ? digits.slice(8, 48) : undefined),
  },
  validators: [
    // Nexus 1.0.0: permissionless 0.3.7 accounts/nexus/toNexusSmartAccount.ts (K1_VALIDATOR_ADDRESS)
    '0x00000004171351c442b202678c48d8ab5b321e8f',
    // bcnmy/abstract-docs docs/pages/contracts-and-audits.md: K1 Validator of Nexus v1.0.1 and v1.0.2, and the MEE K1
    // Validators v1.0.1, v1.0.3 (evm Paris), v1.0.3
    '0x0000002d6db27c52e3c11c1cf24072004ac75cba',
    '0x00000000d12897ddadc2044614a9677b191a2d95',
    '0x00000000e894100becfc7c934ab7ac8fba08a44c',
    '0x0000000031ef4155c978d48a8a7d4edba03b04fe',
  ],
};
