import { pbkdf2Sync } from 'node:crypto';
import { bytesToHex } from 'viem';
import { HDKey, privateKeyToAddress } from 'viem/accounts';
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
  'secondExecutor',
  'thirdExecutor',
] as const;
export type DevRole = (typeof ROLES)[number];

export interface DevKey {
  readonly address: Hex;
  readonly privateKey: Hex;
}

/**
 * `owner` deploys and owns the contracts, `accountOwner` owns the smart accounts of the demonstration, `feedOperator`
 * keeps the price feeds fresh, `neighbour` sends the transactions of everybody else, and the bundler sends bundles from
 * all three executors.
 */
export type DevKeys = Readonly<Record<DevRole, DevKey>>;

/** By BIP-39 and BIP-44. Node hashes the mnemonic, because viem takes a tenth of a second for it in each test file. */
const seed = pbkdf2Sync(MNEMONIC, 'mnemonic', 2_048, 64, 'sha512');
const parent = HDKey.fromMasterSeed(seed).derive("m/44'/60'/0'/0");

export const DEV_KEYS: DevKeys = Object.fromEntries(
  ROLES.map((role, position) => {
    const privateKey = bytesToHex(parent.deriveChild(position).privateKey ?? new Uint8Array());
    return [role, { address: privateKeyToAddress(privateKey), privateKey }];
  }),
) as unknown as DevKeys;
