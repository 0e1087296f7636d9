import { Inject, Injectable } from '@nestjs/common';
import { DomainError, type Address, type ChargingWay, type EntryPointVersion } from '@paymaster/domain';
import type { Logger } from 'pino';
import type { Caller } from '../../callers/caller';
import { ERROR_TABLE, rowOf } from '../../platform/errors/error-table';
import { APP_LOGGER } from '../../platform/logging/app-logger';

/** A sponsored operation that was signed. */
export interface GrantedDecision {
  readonly caller: Caller;
  readonly sender: Address;
  readonly entryPointVersion: EntryPointVersion;
  readonly prechargeWei: bigint;
  readonly validUntilSeconds: number;
}

/** An operation paid in tokens that was signed. */
export interface TokenPaymentDecision extends GrantedDecision {
  readonly token: Address;
  readonly way: ChargingWay;
  /** Token base units per 1e18 wei. */
  readonly exchangeRate: bigint;
  readonly maxTokenChargeBaseUnits: bigint;
}

/** Fee quotes that were given. */
export interface QuotedDecision {
  readonly caller: Caller;
  readonly sender: Address;
  readonly quotes: readonly { readonly token: { readonly address: Address } }[];
  readonly unavailable: readonly unknown[];
  readonly validUntilSeconds: number;
}

/**
 * Logs one line per decision: a signature, or the reason of a refusal. A refusal has the level `info`, a fault the
 * level `error`. A line contains the paymaster and the sender, never the API key, call data or a signature.
 */
@Injectable()
export class DecisionLog {
  /** These lines have fixed fields without secrets, so redaction would only cost time. */
  private readonly plain: Logger;

  constructor(@Inject(APP_LOGGER) private readonly logger: Logger) {
    this.plain = logger.child({}, { redact: [] });
  }

  granted(decision: GrantedDecision): void {
    this.plain.info(grantedLine(decision), 'sponsored');
  }

  paidInToken(decision: TokenPaymentDecision): void {
    const { token, way, exchangeRate, maxTokenChargeBaseUnits } = decision;
    const price = { exchangeRate: exchangeRate.toString(), maxTokenCharge: maxTokenChargeBaseUnits.toString() };
    this.plain.info({ ...grantedLine(decision), token, way, ...price }, 'paid in token');
  }

  quoted({ caller, sender, quotes, unavailable, validUntilSeconds }: QuotedDecision): void {
    const tokens = quotes.length === 1 ? quotes[0]?.token.address : quotes.length;
    this.plain.info(
      { ...whose(caller), sender, tokens, unavailable: unavailable.length, validUntilSeconds },
      'quoted in tokens',
    );
  }

  failed(
    error: unknown,
    { requestId, caller, sender }: { requestId: string; caller: Caller | undefined; sender?: Address },
  ): void {
    const row = rowOf(error);
    const line = {
      requestId,
      paymasterId: caller?.paymaster.snapshot.paymasterId,
      chainId: caller?.chain.config.chainId,
      sender,
      code: row.code,
      reason: error instanceof DomainError ? error.reason : 'INTERNAL_ERROR',
    };
    if (row === ERROR_TABLE.internal) this.logger.error({ ...line, err: error }, 'failed');
    else if (row === ERROR_TABLE.unavailable) this.logger.warn({ ...line, cause: causeOf(error) }, 'failed');
    else this.plain.info(line, 'refused');
  }
}

function whose({ requestId, paymaster, chain }: Caller) {
  return { requestId, paymasterId: paymaster.snapshot.paymasterId, chainId: chain.config.chainId };
}

/** Written as one object literal for speed, because this code runs for every signature. */
function grantedLine({ caller, sender, entryPointVersion, prechargeWei, validUntilSeconds }: GrantedDecision) {
  return {
    requestId: caller.requestId,
    paymasterId: caller.paymaster.snapshot.paymasterId,
    chainId: caller.chain.config.chainId,
    sender,
    entryPointVersion,
    prechargeWei: prechargeWei.toString(),
    validUntilSeconds,
  };
}

function causeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : undefined;
}
