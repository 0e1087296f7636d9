import { randomBytes } from 'node:crypto';
import { createDigestHasher, decodePaymasterAndData, type DigestHasher } from '@paymaster/chain';
import { CANONICAL_ENTRY_POINTS, type Address, type Hex, type UserOperationV06 } from '@paymaster/domain';
import { ecdsaVerify } from 'secp256k1';
import { encodeFunctionData, parseAbi } from 'viem';
import type { Answered } from './load';

const ACCOUNT_ABI = parseAbi(['function execute(address dest, uint256 value, bytes func)']);
const ENTRY_POINT = CANONICAL_ENTRY_POINTS['0.6'];
const REQUEST_ID = 1_795_225_585;
/** In sponsored mode. */
const PAYMASTER_AND_DATA_BYTES = 126;

/** Operations with all limits given, about 2.4 kB as JSON, of these senders in turn or each of another. */
export function sponsoredOperations(
  count: number,
  demo: { address: Address; selector: Hex },
  senders?: readonly Address[],
): readonly UserOperationV06[] {
  return Array.from({ length: count }, (_, index) => ({
    entryPointVersion: '0.6',
    sender: senders?.[index % senders.length] ?? `0x${randomBytes(20).toString('hex')}`,
    nonce: BigInt(`0x${randomBytes(7).toString('hex')}`) << 64n,
    initCode: '0x',
    callData: encodeFunctionData({
      abi: ACCOUNT_ABI,
      functionName: 'execute',
      args: [demo.address, 0n, `${demo.selector}${randomBytes(640).toString('hex')}`],
    }),
    callGasLimit: 100_000n,
    verificationGasLimit: 150_000n,
    preVerificationGas: 60_000n,
    maxFeePerGas: 2_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
    signature: `0x${randomBytes(65).toString('hex')}`,
  }));
}

/** An operation as it travels, with its limits as decimal text. */
export function wireOperation(operation: UserOperationV06): Record<string, string> {
  const hex = (value: bigint): string => `0x${value.toString(16)}`;
  return {
    sender: operation.sender,
    nonce: hex(operation.nonce),
    initCode: operation.initCode,
    callData: operation.callData,
    signature: operation.signature,
    paymasterAndData: '0x',
    maxFeePerGas: hex(operation.maxFeePerGas),
    maxPriorityFeePerGas: hex(operation.maxPriorityFeePerGas),
    verificationGasLimit: operation.verificationGasLimit.toString(),
    callGasLimit: operation.callGasLimit.toString(),
    preVerificationGas: operation.preVerificationGas.toString(),
  };
}

/** The request body of an operation, as SDKs send it. */
export function requestBody(operation: UserOperationV06): string {
  return JSON.stringify({
    method: 'pm_sponsorUserOperation',
    params: [
      wireOperation(operation),
      {
        mode: 'SPONSORED',
        calculateGasLimits: false,
        expiryDuration: 300,
        sponsorshipInfo: { webhookData: {}, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } },
      },
    ],
    id: REQUEST_ID,
    jsonrpc: '2.0',
  });
}

/** What an ERC-7677 client sends: first for the stub, without limits, then for the data with those of its bundler. */
export function standardRequestBody(operation: UserOperationV06, chainId: number, isStub: boolean): string {
  const { callGasLimit, verificationGasLimit, preVerificationGas, ...rest } = wireOperation(operation);
  const limits = isStub ? {} : { callGasLimit, verificationGasLimit, preVerificationGas };
  return JSON.stringify({
    method: isStub ? 'pm_getPaymasterStubData' : 'pm_getPaymasterData',
    params: [{ ...rest, ...limits }, ENTRY_POINT, `0x${chainId.toString(16)}`, null],
    id: REQUEST_ID,
    jsonrpc: '2.0',
  });
}

/** Says of every reply whether it is the answer to its request: the signature must be the signer's over that operation. */
export class ReplyChecker {
  private constructor(
    private readonly hasher: DigestHasher,
    private readonly context: { chainId: number; paymaster: Address; signerPublicKey: Uint8Array },
    private readonly operations: readonly UserOperationV06[],
  ) {}

  static async create(
    context: { chainId: number; paymaster: Address; signerPublicKey: Uint8Array },
    operations: readonly UserOperationV06[],
  ): Promise<ReplyChecker> {
    return new ReplyChecker(await createDigestHasher(), context, operations);
  }

  /** @throws when the reply is wrong, with the reply */
  check({ request, reply }: Answered): void {
    const operation = this.operations[request];
    if (!operation || reply.status !== 200) throw new Error(`wrong reply: ${reply.status} ${reply.body.slice(0, 500)}`);
    const { id, result } = JSON.parse(reply.body) as { id: unknown; result?: Record<string, unknown> };
    const right =
      id === REQUEST_ID &&
      result?.['mode'] === 'SPONSORED' &&
      result['callGasLimit'] === 100_000 &&
      result['preVerificationGas'] === '60000' &&
      this.isSigned(operation, result['paymasterAndData']);
    if (!right) throw new Error(`wrong reply: ${reply.body.slice(0, 500)}`);
  }

  /** @throws when a reply of ERC-7677 is wrong: final data is signed, a stub is as long and is not */
  checkStandard({ request, reply }: Answered, isStub: boolean): void {
    const operation = this.operations[request];
    const { id, result } = JSON.parse(reply.body) as { id: unknown; result?: Record<string, unknown> };
    const data = result?.['paymasterAndData'];
    const isWhole = typeof data === 'string' && data.length === 2 + 2 * PAYMASTER_AND_DATA_BYTES;
    if (operation && id === REQUEST_ID && isWhole && this.isSigned(operation, data) !== isStub) return;
    throw new Error(`wrong reply: ${reply.status} ${reply.body.slice(0, 500)}`);
  }

  private isSigned(operation: UserOperationV06, paymasterAndData: unknown): boolean {
    const decoded = decodePaymasterAndData('0.6', paymasterAndData as Hex);
    const digest = this.hasher.digest(operation, {
      chainId: this.context.chainId,
      paymaster: this.context.paymaster,
      entryPoint: ENTRY_POINT,
      sponsorFields: decoded.sponsorFields,
      paymasterGasLimits: { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n },
    });
    const signature = Buffer.from(decoded.signature.slice(2, 130), 'hex');
    if (decoded.paymaster !== this.context.paymaster) return false;
    return ecdsaVerify(signature, digest, this.context.signerPublicKey);
  }
}
