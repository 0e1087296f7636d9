import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { FundingMessage } from './funding-message';
import { FundingMessageEntity } from './funding-message.entity.db';

/** The latest funding message of each paymaster; issuing one replaces the one before. */
@Injectable()
export class FundingMessagesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async replace(message: FundingMessage): Promise<void> {
    await this.dataSource.getRepository(FundingMessageEntity).upsert(message, ['paymasterId']);
  }

  async find(paymasterId: string): Promise<FundingMessage | null> {
    return this.dataSource.getRepository(FundingMessageEntity).findOneBy({ paymasterId });
  }

  /** Uses a message up. @returns false when it was used or replaced meanwhile */
  async consume(manager: EntityManager, { paymasterId, message }: FundingMessage): Promise<boolean> {
    const result = await manager.getRepository(FundingMessageEntity).delete({ paymasterId, message });
    return result.affected === 1;
  }
}
