import type { Address, Hex } from '@paymaster/domain';
import { keccak256 } from 'ethers';
import { CanonicalReader } from '../decode/canonical-reader';
import { readCallInTuple } from '../decode/plain-calls';
import { ECDSA_STUB, type AccountFamily, type AccountProxy, type DearestSignature } from './account-family';
import { ERC7579_EXECUTE } from './erc7579';
import { expectKnown, readerOf, UnknownSetup } from './setup-reader';

// @metamask/delegation-deployments 2.0.0 (DEPLOYMENTS_1_3_0), which smart-accounts-kit 2.0 takes by default.
const HYBRID: Address = '0x48dbe696a4d990079e039489ba2053b36e8ffec4';
const MULTI_SIG: Address = '0x56a9edb16a0105eb5a4c54f4c062e2868844f3a7';
const DELEGATION_MANAGER: Address = '0xdb9b1e94b5b69df7e401ddbede43491141047db3';
const IMPLEMENTATIONS: ReadonlySet<Address> = new Set([HYBRID, MULTI_SIG]);

/** Runtime code in the `ERC1967Proxy` of @metamask/delegation-abis 1.0.0 and 2.0.0 (OpenZeppelin 5). */
const PROXY: AccountProxy = {
  codeHash: '0x8678a7d794f76a790255c0db52d6276dc7259cc7a211426bca106e5ebb4b1ddf',
  implementationSlot: 'erc1967',
};

/** MetaMask's DeleGator 1.3.0 (MetaMask/delegation-framework v1.3.0 `src/DeleGatorCore.sol`, `src/EIP7702`). */
export const METAMASK: AccountFamily = {
  dearestSignature: dearestMultiSig,
  name: 'MetaMask',
  canHavePasskeys: true,
  functions: [
    {
      name: 'executeTuple',
      signature: 'execute((address,uint256,bytes))',
      selector: '0x5c1c6dcd',
      read: readCallInTuple,
    },
    ERC7579_EXECUTE,
  ],
  forwards: [
    { signature: 'redeemDelegations(bytes[],bytes32[],bytes[])', selector: '0xcef6d209' },
    { signature: 'executeFromExecutor(bytes32,bytes)', selector: '0xd691c964' },
  ],
  // Without a delegation it makes its caller execute anything (src/DelegationManager.sol, `redeemDelegations`).
  adapters: [DELEGATION_MANAGER],
  factories: [
    {
      name: 'MetaMask SimpleFactory 1.3.0',
      address: '0x69aa2f9fe1572f1b640e1bbc512f5c3a734fc77c',
      checkSetup: checkMetaMaskSetup,
    },
  ],
  implementations: [
    { name: 'MetaMask hybrid DeleGator 1.3.0', address: HYBRID, proxies: [PROXY] },
    { name: 'MetaMask multi-signature DeleGator 1.3.0', address: MULTI_SIG, proxies: [PROXY] },
  ],
  delegates: [
    // Its owner is the account's own key, and it keeps nothing in storage.
    { name: 'MetaMask EIP7702StatelessDeleGator 1.3.0', address: '0x63c0c19a282a1b52b07dd5a65b58948a07dae32b' },
  ],
};

/** `deploy(bytes bytecode, bytes32 salt)`: the factory deploys any code. */
const DEPLOY_SELECTOR = '4af63f02';
/** Creation code of the same `ERC1967Proxy`, without its arguments. */
const CREATION_CODE_HASH: Hex = '0xc8fb9314d27cddb08b374dd2bf47cd06c6fb879756ddfbedf522a8c58756a8e0';
const CREATION_CODE_DIGITS = 2 * 1_008;

/** `initialize(address owner, string[] keyIds, uint256[] x, uint256[] y)` of the hybrid implementation. */
const INITIALIZE_HYBRID_SELECTOR = '8ebf9533';
/** `initialize(address[] signers, uint256 threshold)` of the multi-signature one. */
const INITIALIZE_MULTI_SIG_SELECTOR = '60b5bb3f';
const MAX_SIGNERS = 64;

/**
 * Asserts that the code which the factory deploys is the known proxy with a known implementation, and that the proxy's
 * constructor, which runs its second argument as the account, sets signers and does nothing else.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkMetaMaskSetup(digits: string): void {
  const reader = readerOf(digits, DEPLOY_SELECTOR, 'the factory function');
  const codeOffset = reader.smallNumber('offset of code');
  reader.word('salt');
  reader.expectTail(codeOffset, 'code');
  const code = reader.bytes('code');
  reader.finish();
  const creation = code.slice(0, CREATION_CODE_DIGITS);
  if (creation.length !== CREATION_CODE_DIGITS || keccak256(`0x${creation}`) !== CREATION_CODE_HASH) {
    throw new UnknownSetup('the code of the account');
  }

  const constructor = new CanonicalReader(code, CREATION_CODE_DIGITS);
  const implementation = constructor.address('implementation');
  expectKnown(IMPLEMENTATIONS, implementation, 'implementation');
  constructor.expectTail(constructor.smallNumber('offset of initialization'), 'initialization');
  const initialization = constructor.bytes('initialization');
  constructor.finish();
  if (implementation === HYBRID) checkHybrid(initialization);
  else checkMultiSig(initialization);
}

function checkHybrid(digits: string): void {
  const reader = readerOf(digits, INITIALIZE_HYBRID_SELECTOR, 'the initialization');
  reader.address('owner');
  const [idsOffset, xOffset, yOffset] = ['key ids', 'x', 'y'].map((what) => reader.smallNumber(`offset of ${what}`));
  reader.expectTail(idsOffset!, 'key ids');
  reader.dynamicItems('key ids', MAX_SIGNERS, () => reader.bytes('key id'));
  reader.expectTail(xOffset!, 'x');
  reader.uints('x', MAX_SIGNERS);
  reader.expectTail(yOffset!, 'y');
  reader.uints('y', MAX_SIGNERS);
  reader.finish();
}

function checkMultiSig(digits: string): void {
  const reader = readerOf(digits, INITIALIZE_MULTI_SIG_SELECTOR, 'the initialization');
  const signersOffset = reader.smallNumber('offset of signers');
  reader.uint256('threshold');
  reader.expectTail(signersOffset, 'signers');
  reader.addresses('signers', MAX_SIGNERS);
  reader.finish();
}

const SIGNATURE_DIGITS = 130;
/** The account stops at the first signature that is no signer's; `ecrecover`, the signer's slot, and the code; gas. */
const NEXT_SIGNATURE_GAS = 6_300n;

/** Of several keys: 65 bytes of each. */
function dearestMultiSig(dummy: Hex): DearestSignature | undefined {
  const count = (dummy.length - 2) / SIGNATURE_DIGITS;
  if (count < 2 || !Number.isInteger(count)) return undefined;
  const signature: Hex = `0x${ECDSA_STUB.slice(2).repeat(count)}`;
  return { signature, unseenGas: BigInt(count - 1) * NEXT_SIGNATURE_GAS };
}
