import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { hashSecret, SESSION_TOKEN } from '../../platform/crypto/secret-text';
import { isUuid } from '../../platform/database/uuid';
import type { Person } from './person';

/** A session ends when it is not used for so long, and in any case when it is so old. Postgres intervals. */
const IDLE = `interval '7 days'`;
const ABSOLUTE = `interval '30 days'`;
/** {@link ABSOLUTE} in seconds, for the cookie. */
export const SESSION_SECONDS = 30 * 86_400;
/** Of one person, with one proof. */
export const MAX_SESSIONS = 50;
const IS_ALIVE = `s.expires_at > now() AND s.last_used_at > now() - ${IDLE}`;
/** How long a sign-in may wait for the code of a second factor. */
const WAITING = `interval '10 minutes'`;
const WAITS_FOR_CODE = `s.proof = 'first' AND EXISTS (
  SELECT FROM dashboard.second_factors f WHERE f.person_id = s.person_id AND f.confirmed_at IS NOT NULL)`;
const COLUMNS = `s.id, s.browser, s.created_at AS "createdAt", s.last_used_at AS "lastUsedAt",
                 s.proof <> 'first' AS "isStrong", ${WAITS_FOR_CODE} AS "waitsForCode",
                 LEAST(s.expires_at, s.last_used_at + ${IDLE}) AS "expiresAt"`;

/** What a session was opened with: a first factor alone, the code of a second factor besides, or a passkey. */
export type SessionProof = 'first' | 'code' | 'passkey';

/** A person who is signed in in one browser. */
export interface Session {
  readonly id: string;
  /** What the browser said that it is. */
  readonly browser: string;
  /** Whether a second factor or a passkey was shown. */
  readonly isStrong: boolean;
  /** Whether the person has a second factor that was not shown: then the session reaches nothing but its completion. */
  readonly waitsForCode: boolean;
  readonly createdAt: Date;
  /** To the minute. */
  readonly lastUsedAt: Date;
  /** Unless it is used again. */
  readonly expiresAt: Date;
}

export interface OpenSession {
  readonly session: Session;
  readonly person: Person;
}

/**
 * Who is signed in. A session is a row, found by the hash of the text in the browser's cookie; without the row the text
 * is worth nothing. A copy of the table opens nothing.
 */
@Injectable()
export class Sessions {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Signs a person in; when there are too many sessions of the person with this proof, the oldest of them end. So who
   * has a first factor alone ends no session that has shown more.
   *
   * @param of.mayWait ends soon, because it waits for a code
   * @returns the text for the cookie; only its hash is kept
   */
  async open(
    manager: EntityManager,
    of: {
      readonly personId: string;
      readonly browser: string;
      readonly proof: SessionProof;
      readonly mayWait?: boolean;
    },
  ): Promise<string> {
    const token = SESSION_TOKEN.generate();
    const { personId, browser, proof, mayWait = false } = of;
    await manager.query(
      `INSERT INTO dashboard.sessions (id, person_id, token_hash, browser, proof, expires_at)
       VALUES ($1, $2, $3, $4, $5, now() + ${mayWait ? WAITING : ABSOLUTE})`,
      [randomUUID(), personId, hashSecret(token), browser, proof],
    );
    await manager.query(
      `DELETE FROM dashboard.sessions WHERE person_id = $1 AND id IN
        (SELECT id FROM dashboard.sessions WHERE person_id = $1 AND proof = $2
          ORDER BY created_at DESC, id OFFSET ${MAX_SESSIONS})`,
      [personId, proof],
    );
    return token;
  }

  /** The session, which was opened with a first factor alone, has shown more. */
  async prove(manager: EntityManager, sessionId: string, proof: 'code' | 'passkey'): Promise<void> {
    await manager.query(`UPDATE dashboard.sessions SET proof = $2 WHERE id = $1 AND proof = 'first'`, [
      sessionId,
      proof,
    ]);
  }

  /** Ends those that were opened with a first factor alone. */
  async endUnproven(manager: EntityManager, personId: string): Promise<void> {
    await manager.query(`DELETE FROM dashboard.sessions WHERE person_id = $1 AND proof = 'first'`, [personId]);
  }

  /** Ends all sessions of a person but one. @param proof ends only those with this proof */
  async endOthers(
    manager: EntityManager,
    of: { readonly personId: string; readonly sessionId: string; readonly proof?: SessionProof },
  ): Promise<void> {
    await manager.query(
      `DELETE FROM dashboard.sessions WHERE person_id = $1 AND id <> $2 AND proof = COALESCE($3, proof)`,
      [of.personId, of.sessionId, of.proof ?? null],
    );
  }

  /** The second factor is gone: what was shown of it counts no more. */
  async forgetCodes(manager: EntityManager, personId: string): Promise<void> {
    await manager.query(`UPDATE dashboard.sessions SET proof = 'first' WHERE person_id = $1 AND proof = 'code'`, [
      personId,
    ]);
  }

  /** The session that a cookie's text stands for, or null: unknown and ended look alike. Notes the use once a minute. */
  async find(token: string): Promise<OpenSession | null> {
    if (!SESSION_TOKEN.isShaped(token)) return null;
    const rows = (await this.dataSource.query(
      `SELECT ${COLUMNS}, s.last_used_at < now() - interval '1 minute' AS "isStale", p.id AS "personId", p.name,
              p.wallet_address AS "walletAddress", p.wallet_chain::int AS "walletChainId",
              p.is_operator AS "isOperator"
         FROM dashboard.sessions s JOIN dashboard.people p ON p.id = s.person_id
        WHERE s.token_hash = $1 AND ${IS_ALIVE}`,
      [hashSecret(token)],
    )) as (Session & Omit<Person, 'id'> & { personId: string; isStale: boolean })[];
    const [row] = rows;
    if (!row) return null;
    const { isStale, personId, name, walletAddress, walletChainId, isOperator, ...session } = row;
    if (isStale)
      await this.dataSource.query('UPDATE dashboard.sessions SET last_used_at = now() WHERE id = $1', [row.id]);
    return { session, person: { id: personId, name, walletAddress, walletChainId, isOperator } };
  }

  /** Sessions of a person that have not ended, newest first. */
  async listOf(personId: string): Promise<Session[]> {
    return (await this.dataSource.query(
      `SELECT ${COLUMNS} FROM dashboard.sessions s WHERE s.person_id = $1 AND ${IS_ALIVE} ORDER BY s.created_at DESC, s.id`,
      [personId],
    )) as Session[];
  }

  /** Ends one session of a person. @returns whether there was such a session */
  async end(personId: string, sessionId: string, manager: EntityManager = this.dataSource.manager): Promise<boolean> {
    if (!isUuid(sessionId)) return false;
    const [, deleted] = (await manager.query('DELETE FROM dashboard.sessions WHERE person_id = $1 AND id = $2', [
      personId,
      sessionId,
    ])) as [unknown[], number];
    return deleted > 0;
  }

  /** Ends the session of a cookie's text, if it is one. */
  async endByToken(manager: EntityManager, token: string): Promise<void> {
    await manager.query('DELETE FROM dashboard.sessions WHERE token_hash = $1', [hashSecret(token)]);
  }

  /** Signs a person out everywhere; codes that would sign the person in end too. @returns how many sessions were ended */
  async endAllOf(personId: string, manager: EntityManager = this.dataSource.manager): Promise<number> {
    await manager.query('DELETE FROM dashboard.sign_in_codes WHERE person_id = $1', [personId]);
    const [, deleted] = (await manager.query('DELETE FROM dashboard.sessions WHERE person_id = $1', [personId])) as [
      unknown[],
      number,
    ];
    return deleted;
  }
}
