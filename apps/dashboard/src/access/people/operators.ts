import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isUuid } from '../../platform/database/uuid';
import { PersonEntity } from './person';

/** A person who became an operator, or ceased to be an operator. */
export interface OperatorChange {
  readonly at: Date;
  readonly personId: string;
  /** The name at that time. */
  readonly name: string;
  readonly isOperator: boolean;
}

/**
 * Who operates the installation. Each change is in the audit log under no account, because accounts are not told who
 * the operator is.
 */
@Injectable()
export class Operators {
  constructor(private readonly dataSource: DataSource) {}

  /** Changes nothing for a person who is an operator already. */
  async add(manager: EntityManager, personId: string): Promise<void> {
    await this.change(manager, personId, true);
  }

  /** From the next request on, the person's sessions reach no route of the operator. @returns false: was no operator */
  async remove(personId: string): Promise<boolean> {
    if (!isUuid(personId)) return false;
    return this.dataSource.transaction((manager) => this.change(manager, personId, false));
  }

  /** Those of now, by name. */
  async list(): Promise<readonly { readonly personId: string; readonly name: string }[]> {
    const operators = await this.dataSource.manager.find(PersonEntity, {
      where: { isOperator: true },
      order: { name: 'ASC', id: 'ASC' },
    });
    return operators.map(({ id: personId, name }) => ({ personId, name }));
  }

  /** All that were recorded, oldest first. */
  async changes(): Promise<readonly OperatorChange[]> {
    return (await this.dataSource.query(
      `SELECT at, subject_id AS "personId", coalesce(after, before) ->> 'name' AS name, action = 'created' AS "isOperator"
         FROM dashboard.audit_log WHERE account_id IS NULL AND subject = 'operator' ORDER BY at, id`,
    )) as OperatorChange[];
  }

  private async change(manager: EntityManager, personId: string, isOperator: boolean): Promise<boolean> {
    const [changed] = (await manager.query(
      `UPDATE dashboard.people SET is_operator = $2 WHERE id = $1 AND is_operator <> $2 RETURNING id, name`,
      [personId, isOperator],
    )) as [{ id: string; name: string }[], number];
    const [person] = changed;
    if (!person) return false;
    const state = JSON.stringify({ name: person.name });
    await manager.query(
      `INSERT INTO dashboard.audit_log (subject, subject_id, action, before, after) VALUES ('operator', $1, $2, $3, $4)`,
      [person.id, ...(isOperator ? ['created', null, state] : ['deleted', state, null])],
    );
    return true;
  }
}
