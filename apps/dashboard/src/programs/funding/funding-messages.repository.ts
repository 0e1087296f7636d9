import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { FundingMessage } from './funding-message';

/** The latest funding message of each paymaster; issuing one replaces the one before. */
@Injectable()
export class FundingMessagesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async replace(message: FundingMessage): Promise<void> {
    await this.dataSource.getRepository(FundingMessage).upsert(message, ['paymasterId']);
  }

  async find(paymasterId: string): Promise<FundingMessage | null> {
    return this.dataSource.getRepository(FundingMessage).findOneBy({ paymasterId });
  }

  /** Uses a message up. @returns false when it was used or replaced meanwhile */
  async consume(manager: EntityManager, { paymasterId, message }: FundingMessage): Promise<boolean> {
    const result = await manager.getRepository(FundingMessage).delete({ paymasterId, message });
    return result.affected === 1;
  }
}
