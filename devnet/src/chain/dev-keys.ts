import { bytesToHex } from 'viem';
import { mnemonicToAccount } from 'viem/accounts';
import type { Hex } from '@paymaster/domain';

/** Accounts of the mnemonic every development chain funds. Never use them where coin is worth something. */
const MNEMONIC = 'test test test test test test test test test test test junk';

/** Who is who in the local world, by position in the mnemonic. */
const ROLES = [
  'owner',
  'signer',
  'fundingWallet',
  'bundlerExecutor',
  'bundlerUtility',
  'accountOwner',
  'feedOperator',
  'neighbour',
] as const;
export type DevRole = (typeof ROLES)[number];

export interface DevKey {
  readonly address: Hex;
  readonly privateKey: Hex;
}

/**
 * `owner` deploys and owns the contracts, `accountOwner` owns the smart accounts of the demonstration, `feedOperator`
 * keeps the price feeds fresh, `neighbour` sends the transactions of everybody else.
 */
export type DevKeys = Readonly<Record<DevRole, DevKey>>;

export const DEV_KEYS: DevKeys = Object.fromEntries(
  ROLES.map((role, addressIndex) => {
    const account = mnemonicToAccount(MNEMONIC, { addressIndex });
    const privateKey = account.getHdKey().privateKey;
    return [role, { address: account.address, privateKey: bytesToHex(privateKey ?? new Uint8Array()) }];
  }),
) as unknown as DevKeys;
