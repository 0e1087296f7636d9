import { numberToHex, pad } from 'viem';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { CANONICAL_DELEGATE, type Stack } from '@paymaster/devnet';
import type { Hex } from '@paymaster/domain';
import { publicClient, richWallet, walletOf } from './chain';

/** What stands for an EIP-7702 delegation in an operation, as viem writes it. */
export const MARKED = { factory: '0x7702', factoryData: '0x' } as const;

/** A key account that owns nothing and has done nothing. */
export const newKeyAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

export interface AuthorizationWish {
  /** Simple7702Account when absent. */
  readonly address?: Hex;
  readonly chainId?: number;
  readonly nonce?: number;
}

/** An EIP-7702 authorization as it travels with an operation. */
export async function authorizationOf(
  stack: Stack,
  owner: PrivateKeyAccount,
  { address = CANONICAL_DELEGATE, chainId = stack.chainId, nonce = 0 }: AuthorizationWish = {},
) {
  const { r, s, yParity = 0 } = await owner.signAuthorization({ address, chainId, nonce });
  return {
    ...{ address, chainId: numberToHex(chainId), nonce: numberToHex(nonce) },
    ...{ r: pad(r), s: pad(s), yParity: numberToHex(yParity, { size: 1 }) },
  };
}

const CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

/** The same authorization with the other signature that recovers to the same key; EIP-7702 takes the low one only. */
export function mirrored<T extends { s: Hex; yParity: Hex }>(authorization: T): T {
  const s = numberToHex(CURVE_ORDER - BigInt(authorization.s), { size: 32 });
  return { ...authorization, s, yParity: numberToHex(1 - Number(authorization.yParity), { size: 1 }) };
}

/** A key account that runs this code by now: somebody has sent its authorization. */
export async function delegatedAccount(stack: Stack, address: Hex = CANONICAL_DELEGATE): Promise<PrivateKeyAccount> {
  const [owner, payer] = [newKeyAccount(), await richWallet(stack)];
  const authorization = await owner.signAuthorization({ address, chainId: stack.chainId, nonce: 0 });
  const hash = await walletOf(stack, payer).sendTransaction({
    to: payer.address,
    authorizationList: [authorization],
  });
  await publicClient(stack).waitForTransactionReceipt({ hash });
  return owner;
}
