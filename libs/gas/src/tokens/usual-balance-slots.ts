import { toWord } from '@paymaster/chain';
import type { Address, Hex } from '@paymaster/domain';
import { concat, keccak256 } from 'ethers';

/** Positions of a `mapping(address => uint256)`: first ones, and behind the gaps of OpenZeppelin's upgradeable bases. */
const SOLIDITY_POSITIONS = [...Array.from({ length: 21 }, (_, position) => BigInt(position)), 51n, 101n, 151n];
const VYPER_POSITIONS = Array.from({ length: 8 }, (_, position) => BigInt(position));
/** OpenZeppelin 5, ERC-7201 namespace `openzeppelin.storage.ERC20`. */
const OPENZEPPELIN_NAMESPACE: Hex = '0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00';
/** Solady's seed, behind the account and 8 zero bytes. */
const SOLADY_SEED: Hex = '0x000000000000000087a211a2';

/** Where tokens usually store the balance of an account, for nodes that don't say what a call touches. */
export function usualBalanceSlots(account: Address): readonly Hex[] {
  const key = toWord(BigInt(account));
  const hash = (...parts: Hex[]) => keccak256(concat(parts)) as Hex;
  return [
    ...SOLIDITY_POSITIONS.map((position) => hash(key, toWord(position))),
    ...VYPER_POSITIONS.map((position) => hash(toWord(position), key)),
    hash(key, OPENZEPPELIN_NAMESPACE),
    hash(account, SOLADY_SEED),
  ];
}
