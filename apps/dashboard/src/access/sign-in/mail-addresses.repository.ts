import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashSecret, MAIL_CODE } from '../../platform/crypto/secret-text';

export const CONFIRM_WITHIN_MINUTES = 15;
/** In a quarter of an hour. */
const MOST_FROM_ONE_SENDER_TO_ONE_ADDRESS = 3;
/** In an hour. */
const MOST_TO_ONE_ADDRESS = 12;
/** In an hour. */
const MOST_FOR_ONE_SENDER = 20;

/** Mail addresses that people confirmed, the codes that confirm them, and how many mails were sent lately. */
@Injectable()
export class MailAddressesRepository {
  constructor(private readonly dataSource: DataSource) {}

  async addressOf(personId: string, manager: EntityManager = this.dataSource.manager): Promise<string | null> {
    const rows = (await manager.query(`SELECT mail_address AS address FROM dashboard.people WHERE id = $1`, [
      personId,
    ])) as { address: string | null }[];
    return rows[0]?.address ?? null;
  }

  async set(manager: EntityManager, personId: string, address: string | null): Promise<void> {
    await manager.query(`UPDATE dashboard.people SET mail_address = $2 WHERE id = $1`, [personId, address]);
  }

  /** A code that confirms the address for the person; the ones before work no more. Only its hash is kept. */
  async issueCode(personId: string, address: string): Promise<string> {
    const code = MAIL_CODE.generate();
    await this.dataSource.transaction(async (manager) => {
      await manager.query(`DELETE FROM dashboard.mail_confirmations WHERE person_id = $1`, [personId]);
      await manager.query(
        `INSERT INTO dashboard.mail_confirmations (code_hash, person_id, address, expires_at)
         VALUES ($1, $2, $3, now() + $4 * interval '1 minute')`,
        [hashSecret(code), personId, address, CONFIRM_WITHIN_MINUTES],
      );
    });
    return code;
  }

  /** Uses a code of the person up. @returns the address that it confirms; null when it is unknown, used or too old */
  async useCode(manager: EntityManager, personId: string, code: string): Promise<string | null> {
    if (!MAIL_CODE.isShaped(code)) return null;
    const [rows] = (await manager.query(
      `DELETE FROM dashboard.mail_confirmations
        WHERE code_hash = $1 AND person_id = $2 AND expires_at > now() RETURNING address`,
      [hashSecret(code), personId],
    )) as [{ address: string }[], number];
    return rows[0]?.address ?? null;
  }

  /**
   * Counts a mail that is about to be sent. Those to one address, and those of one sender, are counted one after the other.
   *
   * @param of.kind those of one kind leave room for those of the other to the same address
   * @param of.sender who asks for it: a network, or a person
   * @returns false when too many were sent to this address or for this sender: then none may be sent now
   */
  async mayBeSent(of: { kind: 'link' | 'code'; address: string; sender: string }): Promise<boolean> {
    const { kind, address, sender } = of;
    const recipient = hashSecret(`${kind} ${address.toLowerCase()}`);
    return this.dataSource.transaction(async (manager) => {
      for (const name of [recipient, sender])
        await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`sent_mails ${name}`]);
      return this.count(manager, recipient, sender);
    });
  }

  private async count(manager: EntityManager, recipient: string, sender: string): Promise<boolean> {
    const rows = (await manager.query(
      `INSERT INTO dashboard.sent_mails (recipient, sender)
       SELECT $1, $2
        WHERE (SELECT count(*) FROM dashboard.sent_mails
                WHERE recipient = $1 AND sender = $2 AND sent_at > now() - interval '15 minutes')
              < ${MOST_FROM_ONE_SENDER_TO_ONE_ADDRESS}
          AND (SELECT count(*) FROM dashboard.sent_mails
                WHERE recipient = $1 AND sent_at > now() - interval '1 hour') < ${MOST_TO_ONE_ADDRESS}
          AND (SELECT count(*) FROM dashboard.sent_mails
                WHERE sender = $2 AND sent_at > now() - interval '1 hour') < ${MOST_FOR_ONE_SENDER}
       RETURNING recipient`,
      [recipient, sender],
    )) as unknown[];
    return rows.length > 0;
  }
}
