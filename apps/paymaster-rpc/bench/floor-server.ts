/**
 * The floor: what a sponsored request costs with nothing around it. Bare Fastify, one compiled schema, one hash, one
 * signature; no policy, no ids beyond the obvious, no caller, no money. The product is measured against it.
 */
import Fastify from 'fastify';
import { createDigestHasher, encodePaymasterAndData, encodeSponsorData } from '@paymaster/chain';
import { CANONICAL_ENTRY_POINTS, type Address, type Hex } from '@paymaster/domain';
import { LocalKeySigner } from '@paymaster/signers';
import { modeSchema } from '../src/wire/dialects/common/mode.schema';
import { userOperationSchema } from '../src/wire/dialects/common/user-operation.schema';

interface Body {
  readonly id: number;
  readonly params: readonly [Record<string, string>, { expiryDuration: number }];
}

const bodySchema = {
  type: 'object',
  required: ['jsonrpc', 'id', 'method', 'params'],
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: 'integer' },
    method: { const: 'pm_sponsorUserOperation' },
    params: {
      type: 'array',
      minItems: 2,
      maxItems: 2,
      items: [userOperationSchema({ fees: 'required' }), modeSchema],
    },
  },
};

async function main(): Promise<void> {
  const [port, chainId] = [Number(process.env['PORT']), Number(process.env['CHAIN_ID'])];
  const paymaster = process.env['PAYMASTER'] as Address;
  const fundingWallet = process.env['FUNDING_WALLET'] as Address;
  const signer = new LocalKeySigner(Buffer.from((process.env['SIGNER_PRIVATE_KEY'] ?? '').slice(2), 'hex'));
  const hasher = await createDigestHasher();
  const none = { paymasterVerificationGasLimit: 0n, paymasterPostOpGasLimit: 0n };

  const server = Fastify({ ajv: { customOptions: { coerceTypes: false, strict: false } } });
  server.post<{ Body: Body }>('/api/v2/:chainId/:apiKey', { schema: { body: bodySchema } }, async (request, reply) => {
    const { id, params } = request.body;
    const [raw, { expiryDuration }] = params;
    const now = Math.floor(Date.now() / 1_000);
    const sponsorFields = {
      validUntilSeconds: now + expiryDuration,
      validAfterSeconds: now - 60,
      fundingWallet,
      feeMarkupMillionths: 1_000_000n,
      unaccountedGas: 20_000n,
    };
    const field = (name: string): string => raw[name] as string;
    const digest = hasher.digest(
      {
        entryPointVersion: '0.6',
        sender: field('sender') as Address,
        nonce: BigInt(field('nonce')),
        initCode: field('initCode') as Hex,
        callData: field('callData') as Hex,
        callGasLimit: BigInt(field('callGasLimit')),
        verificationGasLimit: BigInt(field('verificationGasLimit')),
        preVerificationGas: BigInt(field('preVerificationGas')),
        maxFeePerGas: BigInt(field('maxFeePerGas')),
        maxPriorityFeePerGas: BigInt(field('maxPriorityFeePerGas')),
        signature: '0x',
      },
      { chainId, paymaster, entryPoint: CANONICAL_ENTRY_POINTS['0.6'], sponsorFields, paymasterGasLimits: none },
    );
    const paymasterData = encodeSponsorData(sponsorFields, signer.sign(digest));
    const result = {
      MODE: 'SPONSORED',
      mode: 'SPONSORED',
      preVerificationGas: field('preVerificationGas'),
      verificationGasLimit: Number(field('verificationGasLimit')),
      callGasLimit: Number(field('callGasLimit')),
      paymasterAndData: encodePaymasterAndData({ version: '0.6', paymaster, paymasterGasLimits: none, paymasterData }),
    };
    return reply
      .header('content-type', 'application/json; charset=utf-8')
      .send(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await server.listen({ port, host: '127.0.0.1' });
}

void main();
