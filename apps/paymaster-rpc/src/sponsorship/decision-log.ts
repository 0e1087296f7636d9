import { Inject, Injectable } from '@nestjs/common';
import { DomainError, type Address, type EntryPointVersion } from '@paymaster/domain';
import type { Logger } from 'pino';
import type { Caller } from '../callers/caller';
import { ERROR_TABLE, rowOf } from '../json-rpc/error-table';
import { APP_LOGGER } from '../logging/app-logger';

/** A signature that was given away. */
export interface GrantedDecision {
  readonly caller: Caller;
  readonly sender: Address;
  readonly entryPointVersion: EntryPointVersion;
  readonly prechargeWei: bigint;
  readonly validUntilSeconds: number;
}

/**
 * One line per decision: a signature given, or why not. Refusals are information, faults are errors. A line names
 * the paymaster and the sender, never the API key, call data or a signature.
 */
@Injectable()
export class DecisionLog {
  /** These lines have fixed fields, none of them a secret: looking for one in each would only cost time. */
  private readonly plain: Logger;

  constructor(@Inject(APP_LOGGER) private readonly logger: Logger) {
    this.plain = logger.child({}, { redact: [] });
  }

  granted({ caller, sender, entryPointVersion, prechargeWei, validUntilSeconds }: GrantedDecision): void {
    this.plain.info(
      {
        requestId: caller.requestId,
        paymasterId: caller.paymaster.snapshot.paymasterId,
        chainId: caller.chain.config.chainId,
        sender,
        entryPointVersion,
        prechargeWei: prechargeWei.toString(),
        validUntilSeconds,
      },
      'sponsored',
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

function causeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : undefined;
}
