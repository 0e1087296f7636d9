import type { Hex } from '@paymaster/domain';
import { DecodeFailure } from '../decode/decode-result';
import { checkBiconomySetup } from './biconomy-setup';
import type { FactorySetup } from './known-account-factories';
import { checkSafeSetup } from './safe-setup';
import { UnknownSetup } from './setup-reader';

const CHECKS: Readonly<Record<FactorySetup, (digits: string) => void>> = {
  fixed: () => undefined,
  biconomyV2: checkBiconomySetup,
  safe: checkSafeSetup,
};

/**
 * What in the call to a known factory would give the account code or modules that are not known, or undefined
 * when nothing would.
 */
export function explainUnknownSetup(setup: FactorySetup, factoryData: Hex): string | undefined {
  try {
    CHECKS[setup](factoryData.slice(2).toLowerCase());
    return undefined;
  } catch (error) {
    if (error instanceof UnknownSetup || error instanceof DecodeFailure) return error.message;
    throw error;
  }
}
