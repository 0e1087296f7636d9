import type { Hex } from '@paymaster/domain';

/** keccak-256 of the signatures of the paymaster's events. */
export const PAYMASTER_EVENTS = {
  FundsDeposited: '0xf0d0e99cae184d0187b093b48894117462462379674a6e11d89c3fbb618e96b0',
  WithdrawalRequested: '0x24b91f4f47caf44230a57777a9be744924e82bf666f2d5702faf97df35e60f9f',
  WithdrawalCancelled: '0x2eed97477f07c07ec48f8f678f4e84f7c0de55bf33f51c3dc989b13353080319',
  WithdrawalExecuted: '0x121eb3d5e027dba2c931e672efb7d244364546af71aef554f4c26e802c143c9b',
  StrandedPrechargeReturned: '0x277e58c33fed1532bd059368fa1254c5ef021dfd9a81cf5d66f5bf6d2e51b574',
  UnsettledPrechargeReturned: '0xd18fdbac2952453b3847df5c317ed5baaaa1d12a1231e75dee2f9a32ab7e5ea4',
  UserOperationPrecharged: '0x30766c5e8e06f007f457a633234ac0e355da96a49b831b27264131944339f84a',
  UserOperationSponsored: '0xf1cbd175f46f51eb46a74cb38cda23f33d1cdb1ab7e20edbb6d721015ca53a7f',
  /** The same of the first and second generation of contracts: it names the sender and the refund too. */
  UserOperationSponsoredFormerly: '0x0480848dfd3c86c81f4dca661fb58c816b7144016e47c665ff0879c04ed99281',
  TokenPaymentDue: '0xae08d056c30ad113f13c5b422b84837823539fe7c5687a05ccec4aaeb1acd918',
  SignerAdded: '0x47d1c22a25bb3a5d4e481b9b1e6944c2eade3181a0a20b495ed61d35b5323f24',
  UnsettledPrechargeStated: '0x6f879b870c1b94ed3a548d9cf5f2857c6127fd33c119417efb29f0fb5eacc67c',
} as const satisfies Readonly<Record<string, Hex>>;

/**
 * Which token a sender paid in, and how much. It decides no money of the books, so `eth_getLogs` is not asked for it: it
 * is in the receipts of the block, which are read for every operation of ours.
 */
export const PAID_IN_TOKEN: Hex = '0x9f42b124c929f773cf4026e76727943aad59f15f54748704f77d8978952fecf6';

/** The same for the EntryPoint; equal in all versions (v0.6 has only the first). */
export const ENTRY_POINT_EVENTS = {
  UserOperationEvent: '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f',
  /** `postOp` reverted, and all its effects with it. */
  PostOpRevertReason: '0xf62676f440ff169a3a9afdbf812e89e7f95975ee8e5c31214ffdef631c5f4792',
  /** `postOp` was undone, because the prefund was used up. */
  UserOperationPrefundTooLow: '0x67b4fa9642f42120bf031f3051d1824b0fe25627945b27b8a6a65d5761d5482e',
} as const satisfies Readonly<Record<string, Hex>>;

/**
 * The topics that are read over whole ranges. The EntryPoint's revert reasons are left out: operations of all
 * paymasters emit them, with up to 2 kB each. If one belongs to our operation, the block's receipts are read anyway.
 */
export const ASKED_EVENTS: readonly Hex[] = [...Object.values(PAYMASTER_EVENTS), ENTRY_POINT_EVENTS.UserOperationEvent];
