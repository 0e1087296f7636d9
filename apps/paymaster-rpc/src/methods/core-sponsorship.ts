import { Injectable } from '@nestjs/common';
import { InvalidParamsError, SponsorshipRefusedError, type AccountGasLimits, type Hex } from '@paymaster/domain';
import type { Caller } from '../callers/caller';
import type { RawUserOperation } from '../user-operation/raw-user-operation';
import {
  SponsorUserOperation,
  type Sponsorship,
  type SponsorRequest,
} from '../sponsorship/sponsor-user-operation.service';
import { operationFor } from './operation-for';
import { parseMode, type RawMode, type SponsoredMode } from './parse-mode';

/** The core dialect's sponsored result (interface document, "Sponsored-mode result"). */
export interface SponsoredResult {
  readonly MODE: string;
  readonly mode: string;
  readonly paymasterAndData: Hex;
  readonly preVerificationGas: string;
  readonly verificationGasLimit: number;
  readonly callGasLimit: number;
  readonly paymaster?: string;
  readonly paymasterData?: Hex;
  readonly paymasterVerificationGasLimit?: string;
  readonly paymasterPostOpGasLimit?: string;
}

/** What both methods of the core dialect do in sponsored mode: they differ in name only. */
@Injectable()
export class CoreSponsorship {
  constructor(private readonly sponsorUserOperation: SponsorUserOperation) {}

  /**
   * @param params `[operation, mode]`, or `[operation, entryPoint, mode]` as clients of other services send it
   */
  async answer(params: readonly unknown[], caller: Caller): Promise<SponsoredResult> {
    const [raw, second, third] = params as [RawUserOperation, RawMode | string, RawMode | undefined];
    const named = typeof second === 'string';
    if (!named && third !== undefined) {
      throw new InvalidParamsError('params', 'params must be an array of 2 elements (userOperation, mode).');
    }
    const rawMode = named ? (third ?? {}) : second;
    const modeField = named ? 'params[2]' : 'params[1]';
    const mode = parseMode(rawMode, modeField);
    const entryPoint = named
      ? { address: second, field: 'params[1]' }
      : rawMode.entryPoint !== undefined
        ? { address: rawMode.entryPoint, field: `${modeField}.entryPoint` }
        : undefined;
    const request: SponsorRequest = {
      caller,
      operation: operationFor(raw, { caller, entryPoint }),
      account: mode.account,
      calculateGasLimits: mode.calculateGasLimits,
      expiry: { seconds: mode.expirySeconds, field: `${modeField}.expiryDuration` },
    };
    try {
      return present(mode, await this.sponsorUserOperation.sponsor(request));
    } catch (error) {
      if (caller.paymaster.snapshot.settings.onRefusal !== 'userPays' || !(error instanceof SponsorshipRefusedError)) {
        throw error;
      }
      return presentUnsponsored(mode, await this.sponsorUserOperation.limitsForUserPays(request, error));
    }
  }
}

function present(mode: SponsoredMode, sponsorship: Sponsorship): SponsoredResult {
  const result = { ...presentLimits(mode, sponsorship.limits), paymasterAndData: sponsorship.paymasterAndData };
  if (sponsorship.entryPointVersion === '0.6') return result;
  const { paymaster, paymasterData, paymasterGasLimits } = sponsorship;
  return {
    ...result,
    paymaster,
    paymasterData,
    paymasterVerificationGasLimit: hex(paymasterGasLimits.paymasterVerificationGasLimit),
    paymasterPostOpGasLimit: hex(paymasterGasLimits.paymasterPostOpGasLimit),
  };
}

/** `0x` tells existing SDKs that the user pays. */
function presentUnsponsored(mode: SponsoredMode, limits: AccountGasLimits): SponsoredResult {
  return { ...presentLimits(mode, limits), paymasterAndData: '0x' };
}

/** A strict client wants a string here and JSON integers there; limits are capped far below 2^53. */
function presentLimits({ mode }: SponsoredMode, limits: AccountGasLimits): Omit<SponsoredResult, 'paymasterAndData'> {
  return {
    MODE: mode,
    mode,
    preVerificationGas: limits.preVerificationGas.toString(),
    verificationGasLimit: Number(limits.verificationGasLimit),
    callGasLimit: Number(limits.callGasLimit),
  };
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;
