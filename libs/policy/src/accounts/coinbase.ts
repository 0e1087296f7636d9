import type { Hex } from '@paymaster/domain';
import { ECDSA_STUB, SOLADY_ERC1967, type AccountFamily, type DearestSignature } from './account-family';
import { readerOf, UnknownSetup } from './setup-reader';
import { EXECUTE, EXECUTE_BATCH_OF_TUPLES } from './simple-account';

/** `createAccount(bytes[] owners, uint256 nonce)`. */
const CREATE_ACCOUNT_SELECTOR = '3ffba36f';
const MAX_OWNERS = 64;
/** An owner is an address in a word, or the two numbers of a passkey. */
const ADDRESS_OWNER = /^0{24}[0-9a-f]{40}$/;
const PASSKEY_OWNER_DIGITS = 128;

/**
 * Coinbase Smart Wallet 1 and 1.1, for EntryPoint v0.6 (coinbase/smart-wallet v1.1.0 `src/CoinbaseSmartWallet.sol`). It
 * has no modules; what it replays on other chains, `executeWithoutChainIdValidation`, are calls to itself.
 */
export const COINBASE: AccountFamily = {
  name: 'Coinbase Smart Wallet',
  canHavePasskeys: true,
  functions: [EXECUTE, EXECUTE_BATCH_OF_TUPLES],
  forwards: [{ signature: 'executeWithoutChainIdValidation(bytes[])', selector: '0x2c2abd1e' }],
  dearestSignature: dearestCoinbaseSignature,
  // viem 2.57 account-abstraction/accounts/implementations/toCoinbaseSmartAccount.ts
  factories: [
    {
      name: 'Coinbase Smart Wallet factory 1',
      address: '0x0ba5ed0c6aa8c49038f819e587e2633c4a9f428a',
      checkSetup: checkCoinbaseSetup,
    },
    {
      name: 'Coinbase Smart Wallet factory 1.1',
      address: '0xba5ed110efdba3d005bfc882d75358acbbb85842',
      checkSetup: checkCoinbaseSetup,
    },
  ],
  implementations: [
    {
      // coinbase/smart-wallet v1.1.0 broadcast/DeployFactory.s.sol/8453/run-latest.json, whose factory has this proxy
      name: 'Coinbase Smart Wallet 1',
      address: '0x000100abaad02f1cfc8bbe32bd5a564817339e72',
      proxies: [SOLADY_ERC1967],
    },
    {
      // coinbase/smart-wallet v1.1.0 script/DeployFactory.s.sol (EXPECTED_IMPLEMENTATION)
      name: 'Coinbase Smart Wallet 1.1',
      address: '0x00000110dcdedc9581cb5ecb8467282f2926534d',
      proxies: [SOLADY_ERC1967],
    },
  ],
};

const word = (digits: string): string => digits.padStart(64, '0');
const WORD_DIGITS = 64;
const ECDSA_BYTES = 65;
/**
 * A passkey's signature is checked in Solidity where the chain has no precompile for it. Dummies are of another
 * challenge, so the account does not come to it; gas.
 */
const PASSKEY_GAS = 400_000n;

/** `abi.encode(SignatureWrapper(uint256 ownerIndex, bytes signatureData))`: of a key, or of a passkey. */
function dearestCoinbaseSignature(dummy: Hex): DearestSignature | undefined {
  const digits = dummy.slice(2);
  const wordAt = (index: number): string => digits.slice(index * WORD_DIGITS, (index + 1) * WORD_DIGITS);
  if (wordAt(0) !== word('20') || wordAt(2) !== word('40') || wordAt(3) === '') return undefined;
  if (BigInt(`0x${wordAt(3)}`) !== BigInt(ECDSA_BYTES)) return { signature: dummy, unseenGas: PASSKEY_GAS };
  const ofKey = `${digits.slice(0, 4 * WORD_DIGITS)}${ECDSA_STUB.slice(2)}`;
  return { signature: `0x${ofKey.padEnd(digits.length, '0')}`, unseenGas: 0n };
}

/**
 * Asserts that the call deploys an account: the code is fixed in the factory, and its caller chooses owners only.
 *
 * @param digits the call to the factory
 * @throws DecodeFailure when it is anything else
 */
export function checkCoinbaseSetup(digits: string): void {
  const reader = readerOf(digits, CREATE_ACCOUNT_SELECTOR, 'the factory function');
  const ownersOffset = reader.smallNumber('offset of owners');
  reader.uint256('nonce');
  reader.expectTail(ownersOffset, 'owners');
  const owners = reader.dynamicItems('owners', MAX_OWNERS, () => reader.bytes('owner'));
  reader.finish();
  const isOwner = (owner: string) => ADDRESS_OWNER.test(owner) || owner.length === PASSKEY_OWNER_DIGITS;
  if (owners.length === 0 || !owners.every(isOwner)) throw new UnknownSetup('an owner is no address and no passkey');
}
