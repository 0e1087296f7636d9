import { Injectable } from '@nestjs/common';
import { listingOf, type Address } from '@paymaster/domain';
import { DataSource, type EntityManager } from 'typeorm';
import { TokenEntity, type Token } from './token.entity.db';

/** The tokens that paymasters have added. */
@Injectable()
export class TokensRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** All of a paymaster's, oldest first. */
  async listOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<Token[]> {
    const entities = await manager
      .getRepository(TokenEntity)
      .find({ where: { paymasterId }, order: { createdAt: 'ASC', id: 'ASC' } });
    return entities.map(toToken);
  }

  async find(
    paymasterId: string,
    address: Address,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<Token | null> {
    const entity = await manager.getRepository(TokenEntity).findOneBy({ paymasterId, address });
    return entity && toToken(entity);
  }

  /** Exact inside a transaction that holds the paymaster's row. */
  async countOf(paymasterId: string, manager: EntityManager = this.dataSource.manager): Promise<number> {
    return manager.getRepository(TokenEntity).countBy({ paymasterId });
  }

  async insert(manager: EntityManager, token: Token): Promise<void> {
    await manager.getRepository(TokenEntity).insert(toColumns(token));
  }

  async update(manager: EntityManager, token: Token): Promise<void> {
    await manager.getRepository(TokenEntity).update({ id: token.id }, toColumns(token));
  }

  async delete(manager: EntityManager, id: string): Promise<void> {
    await manager.getRepository(TokenEntity).delete({ id });
  }
}

function toToken(entity: TokenEntity): Token {
  return { id: entity.id, paymasterId: entity.paymasterId, ...listingOf(entity) };
}

function toColumns({ price: { feed, apiId, fixedUsd, ...priceOthers }, ...rest }: Token) {
  return {
    ...rest,
    priceFeedAddress: feed?.address ?? null,
    priceFeedHeartbeatSeconds: feed?.heartbeatSeconds ?? null,
    priceApiId: apiId,
    priceFixedUsd: fixedUsd,
    priceOthers: Object.fromEntries(Object.entries(priceOthers).filter(([, source]) => source !== null)),
  };
}
