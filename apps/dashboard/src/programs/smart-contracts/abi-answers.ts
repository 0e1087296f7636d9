import type { ServerResponse } from 'node:http';
import { Injectable, ServiceUnavailableException } from '@nestjs/common';
import { UnreadAnswers } from '@paymaster/nest-kit';
import { AccountTurns } from '../../access/callers/account-turns';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { SmartContractsRepository } from './smart-contracts.repository';

/** Three of the largest. An answer takes about five times its texts while it is made. */
const MOST_BYTES = 24 * 2 ** 20;
const READ_WITHIN_MS = 30_000;
/** Larger answers take turns as large bodies do; bytes of the texts. */
const LARGE_BYTES = 256 * 1_024;
/** As what they wait: four of an account at most, as each takes long. */
const WAITING_BYTES = 2 ** 20;

/** Answers that hold all ABI texts of a paymaster: a few bytes ask for megabytes, so their sum is bounded. */
@Injectable()
export class AbiAnswers {
  private readonly unread = new UnreadAnswers({ mostBytes: MOST_BYTES, readWithinMs: READ_WITHIN_MS });

  constructor(
    private readonly contracts: SmartContractsRepository,
    private readonly turns: AccountTurns,
  ) {}

  /**
   * What `make` makes of the texts, when there is room for it.
   *
   * @throws {ServiceUnavailableException} while too many others are not read yet
   *   {@link TooManyRequestsError} while too many of the account wait
   */
  async give<T>(response: ServerResponse, { id, accountId }: Paymaster, make: () => Promise<T>): Promise<T> {
    const bytes = await this.contracts.abiBytesOf(id);
    const done =
      bytes > LARGE_BYTES ? await this.turns.begin({ accountId, bytes: WAITING_BYTES, response }) : undefined;
    try {
      if (!this.unread.keep(response, bytes)) throw new ServiceUnavailableException();
      return await make();
    } finally {
      done?.(bytes);
    }
  }
}
