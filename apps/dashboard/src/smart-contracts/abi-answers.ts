import type { ServerResponse } from 'node:http';
import { Inject, Injectable, ServiceUnavailableException } from '@nestjs/common';
import { UnreadAnswers } from '@paymaster/nest-kit';
import { SmartContractsRepository } from './smart-contracts.repository';

/** Three of the largest. An answer takes about five times its texts while it is made. */
const MOST_BYTES = 24 * 2 ** 20;
const READ_WITHIN_MS = 30_000;

/** Answers that hold all ABI texts of a paymaster: a few bytes ask for megabytes, so their sum is bounded. */
@Injectable()
export class AbiAnswers {
  private readonly unread = new UnreadAnswers({ mostBytes: MOST_BYTES, readWithinMs: READ_WITHIN_MS });

  constructor(@Inject(SmartContractsRepository) private readonly contracts: SmartContractsRepository) {}

  /** Before the texts are read. @throws {ServiceUnavailableException} while too many others are not read yet */
  async keep(response: ServerResponse, paymasterId: string): Promise<void> {
    const bytes = await this.contracts.abiBytesOf(paymasterId);
    if (!this.unread.keep(response, bytes)) throw new ServiceUnavailableException();
  }
}
