import {
  createDigestHasher,
  encodePaymasterAndData,
  encodeTokenData,
  LocalKeySigner,
  tokenGasTerms,
  type EntryPointConfig,
  type TokenFields,
} from '@paymaster/chain';
import { DEV_KEYS } from '@paymaster/devnet';
import { prechargeWei, type Address, type UserOperation } from '@paymaster/domain';
import type { PaidOperation } from '../../../src/testing/token-call';

/** Every rate here is one base unit of a token of 18 decimals for one wei. */
const RATE = 10n ** 18n;

/**
 * A `batchApproval` signature as the gateway would give it, without asking the gateway.
 *
 * @returns the operation and what the contract will debit; wei
 */
export async function signBatchApproval(request: {
  operation: UserOperation;
  token: Address;
  fundingWallet: Address;
  contracts: EntryPointConfig;
  validUntilSeconds: number;
}): Promise<PaidOperation & { readonly prechargeWei: bigint }> {
  const { operation, token, fundingWallet, contracts, validUntilSeconds } = request;
  const { entryPointVersion: version } = operation;
  const terms = tokenGasTerms({ version, way: 'batchApproval', transferGas: 65_000 });
  const fields: TokenFields = {
    ...{ fundingWallet, token, way: 'batchApproval', validUntilSeconds, validAfterSeconds: validUntilSeconds - 3_600 },
    ...{ feeMarkupMillionths: 1_000_000n, unaccountedGas: terms.unaccountedGas, feeReceiver: fundingWallet },
    ...{ exchangeRate: RATE, premiumMillionths: 1_000_000n, maxTokenChargeBaseUnits: RATE },
  };
  const hasher = await createDigestHasher();
  const signer = new LocalKeySigner(Buffer.from(DEV_KEYS.signer.privateKey.slice(2), 'hex'));
  const digest = hasher.digest(operation, {
    ...{ chainId: 31337, ...contracts, sponsorFields: fields, paymasterGasLimits: terms },
  });
  const paymasterData = encodeTokenData(fields, signer.sign(digest));
  const { paymaster } = contracts;
  return {
    operation,
    paymasterAndData: encodePaymasterAndData({ version, paymaster, paymasterGasLimits: terms, paymasterData }),
    prechargeWei: prechargeWei({
      ...{ version, limits: { ...operation, ...terms }, maxFeePerGas: operation.maxFeePerGas },
      ...{ unaccountedGas: terms.unaccountedGas, feeMarkupMillionths: 1_000_000n },
    }),
  };
}
