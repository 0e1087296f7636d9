import { randomBytes } from 'node:crypto';
import { createDigestHasher, decodePaymasterAndData, type DigestHasher } from '@paymaster/chain';
import { DEV_KEYS } from '@paymaster/devnet';
import { CANONICAL_ENTRY_POINTS, type Address, type Hex, type UserOperationV06 } from '@paymaster/domain';
import { ecdsaVerify, publicKeyCreate } from 'secp256k1';
import { encodeFunctionData, hexToBytes, numberToHex, parseAbi } from 'viem';

const SIGNER = publicKeyCreate(hexToBytes(DEV_KEYS.signer.privateKey));
const ACCOUNT_ABI = parseAbi(['function execute(address dest, uint256 value, bytes func)']);
/** The shortest validity that may be asked for; seconds. */
export const VALID_FOR_SECONDS = 120;

/** An operation of a sender that nobody has seen, with all its limits. */
export function newOperation(demo: { address: Address; callData: string }): UserOperationV06 {
  return {
    entryPointVersion: '0.6',
    sender: numberToHex(BigInt(`0x${randomBytes(20).toString('hex')}`), { size: 20 }),
    nonce: 0n,
    initCode: '0x',
    callData: encodeFunctionData({
      abi: ACCOUNT_ABI,
      functionName: 'execute',
      args: [demo.address, 0n, demo.callData as Hex],
    }),
    callGasLimit: 100_000n,
    verificationGasLimit: 150_000n,
    preVerificationGas: 60_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    signature: `0x${'00'.repeat(65)}`,
  };
}

/** The request of a client that has its limits: nothing is estimated. */
export function sponsorRequest(operation: UserOperationV06): string {
  const { entryPointVersion: _, ...fields } = operation;
  const wire = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === 'bigint' ? numberToHex(value) : value]),
  );
  const mode = {
    mode: 'SPONSORED',
    calculateGasLimits: false,
    expiryDuration: VALID_FOR_SECONDS,
    sponsorshipInfo: { webhookData: {}, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } },
  };
  const params = [{ ...wire, paymasterAndData: '0x' }, mode];
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pm_sponsorUserOperation', params });
}

/** Believes no answer: the signature must be the signer's over this very operation. */
export class SignatureCheck {
  private constructor(
    private readonly hasher: DigestHasher,
    private readonly context: { readonly chainId: number; readonly paymaster: Address },
  ) {}

  static async create(context: { chainId: number; paymaster: Address }): Promise<SignatureCheck> {
    return new SignatureCheck(await createDigestHasher(), context);
  }

  /**
   * @returns until when it may land; unix seconds of the chain
   * @throws when it is not what the contract would accept
   */
  validUntilSeconds(operation: UserOperationV06, paymasterAndData: Hex): number {
    const decoded = decodePaymasterAndData('0.6', paymasterAndData);
    const digest = this.hasher.digest(operation, {
      ...this.context,
      entryPoint: CANONICAL_ENTRY_POINTS['0.6'],
      sponsorFields: decoded.sponsorFields,
      paymasterGasLimits: { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n },
    });
    const isOurs = ecdsaVerify(hexToBytes(decoded.signature).subarray(0, 64), digest, SIGNER);
    if (decoded.paymaster !== this.context.paymaster) throw new Error(`of another contract: ${decoded.paymaster}`);
    if (!isOurs) throw new Error('the signature is not over this operation');
    return decoded.sponsorFields.validUntilSeconds;
  }
}
