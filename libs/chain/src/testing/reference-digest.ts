import { faker } from '@faker-js/faker';
import { initCodeOf, ZERO_ADDRESS, type EntryPointVersion, type UserOperation } from '@paymaster/domain';
import { randomAddress, randomHex, userOperationV06Builder, userOperationV07Builder } from '@paymaster/domain/testing';
import { concat, keccak256, toBeHex, TypedDataEncoder, zeroPadValue, type TypedDataField } from 'ethers';
import type { DigestContext } from '../digest/digest-hasher';
import {
  SPONSORED_OPERATION_TYPE_V06,
  SPONSORED_OPERATION_TYPE_V07,
  TOKEN_PAID_OPERATION_TYPE_V06,
  TOKEN_PAID_OPERATION_TYPE_V07,
} from '../digest/eip712-types';
import { isTokenFields, WAY_BYTE, type TokenFields } from '../paymaster-data/token-fields';
import { sponsorFieldsBuilder } from './sponsor-fields.builder';

/** So many random operations are compared with ethers; fewer for mutants, each of which runs them all. */
export const ROUNDS = Number(process.env['DIGEST_ROUNDS'] ?? 1_000);

/** Random values for everything that a digest covers besides the operation. */
export const digestContext = (
  sponsorFields: DigestContext['sponsorFields'] = sponsorFieldsBuilder().build(),
): DigestContext => ({
  chainId: faker.number.int({ min: 1, max: 2 ** 40 }),
  paymaster: randomAddress(),
  entryPoint: randomAddress(),
  sponsorFields,
  ...(faker.datatype.boolean() && { eip7702Delegate: randomAddress() }),
  paymasterGasLimits: {
    paymasterVerificationGasLimit: faker.number.bigInt({ max: 2n ** 128n - 1n }),
    paymasterPostOpGasLimit: faker.number.bigInt({ max: 2n ** 128n - 1n }),
  },
});

const OPERATIONS: Record<EntryPointVersion, () => UserOperation> = {
  '0.6': () =>
    userOperationV06Builder()
      .with('nonce', BigInt(randomHex(32)))
      .with('initCode', faker.datatype.boolean() ? randomHex(faker.number.int({ min: 20, max: 100 })) : '0x')
      .build(),
  '0.7': () =>
    userOperationV07Builder('0.7')
      .with('nonce', BigInt(randomHex(32)))
      .with('factory', faker.datatype.boolean() ? randomAddress() : undefined)
      .with('factoryData', randomHex(faker.number.int({ min: 1, max: 100 })))
      .build(),
  '0.8': () => userOperationV07Builder('0.8').with('callData', '0x').build(),
  '0.9': () => userOperationV07Builder('0.9').build(),
};

/** A random operation, with and without init code. */
export const randomOperation = (version: EntryPointVersion): UserOperation => OPERATIONS[version]();

/** Generations of the contract. The digest of the first lacks the sender's delegate; the others have the same digest. */
export type ContractGeneration = 'first' | 'second' | 'third';

/** The same digest by ethers' EIP-712 encoder, from the type string of the architecture page. */
export function referenceDigest(
  operation: UserOperation,
  ctx: DigestContext,
  generation: ContractGeneration = 'third',
): string {
  const { sponsorFields: sponsor, paymasterGasLimits } = ctx;
  const token = isTokenFields(sponsor) ? sponsor : undefined;
  const packed = (high: bigint, low: bigint) => concat([toBeHex(high, 16), toBeHex(low, 16)]);
  const domain = { name: 'HybridPaymaster', version: '1', chainId: ctx.chainId, verifyingContract: ctx.paymaster };
  const encoder = token
    ? encoderOf('TokenPaidUserOperation', tokenTypeOf(operation.entryPointVersion), generation)
    : encoderOf('SponsoredUserOperation', sponsorTypeOf(operation.entryPointVersion), generation);
  const struct = encoder.hash({
    ...operation,
    ...paymasterGasLimits,
    initCode: initCodeOf(operation),
    delegate: ctx.eip7702Delegate ?? ZERO_ADDRESS,
    entryPoint: ctx.entryPoint,
    mode: token ? 2 : 1,
    accountGasLimits: zeroPadValue(packed(operation.verificationGasLimit, operation.callGasLimit), 32),
    gasFees: zeroPadValue(packed(operation.maxPriorityFeePerGas, operation.maxFeePerGas), 32),
    validUntil: sponsor.validUntilSeconds,
    validAfter: sponsor.validAfterSeconds,
    fundingWallet: sponsor.fundingWallet,
    feeMarkup: sponsor.feeMarkupMillionths,
    unaccountedGas: sponsor.unaccountedGas,
    ...(token && {
      way: WAY_BYTE[token.way] + 16 * (((token.gasPercent ?? 100) - 100) / 25),
      token: token.token,
      exchangeRate: token.exchangeRate,
      premium: token.premiumMillionths,
      feeReceiver: token.feeReceiver,
      maxTokenCharge: token.maxTokenChargeBaseUnits,
      permit: permitBytes(token),
    }),
  });
  return keccak256(concat(['0x1901', TypedDataEncoder.hashDomain(domain), struct]));
}

const encoders = new Map<string, TypedDataEncoder>();

/** Kept, because ethers takes as long to make one as to hash with it. */
function encoderOf(name: string, type: string, generation: ContractGeneration): TypedDataEncoder {
  const key = [generation, type].join();
  const members = () => fieldsOf(type).filter((member) => generation !== 'first' || member.name !== 'delegate');
  const encoder = encoders.get(key) ?? new TypedDataEncoder({ [name]: members() });
  encoders.set(key, encoder);
  return encoder;
}

function permitBytes({ permit }: TokenFields): string {
  if (!permit) return '0x';
  return concat([toBeHex(permit.valueBaseUnits, 32), toBeHex(permit.deadlineSeconds, 32), permit.signature]);
}

const sponsorTypeOf = (version: string) =>
  version === '0.6' ? SPONSORED_OPERATION_TYPE_V06 : SPONSORED_OPERATION_TYPE_V07;
const tokenTypeOf = (version: string) =>
  version === '0.6' ? TOKEN_PAID_OPERATION_TYPE_V06 : TOKEN_PAID_OPERATION_TYPE_V07;

function fieldsOf(type: string): TypedDataField[] {
  const members = type.slice(type.indexOf('(') + 1, -1).split(',');
  return members.map((member) => {
    const [fieldType = '', name = ''] = member.split(' ');
    return { type: fieldType, name };
  });
}
