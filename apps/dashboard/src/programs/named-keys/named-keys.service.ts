import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KEY_TERMS, readWritten, type KeyKind } from '@paymaster/domain';
import type { EntityManager } from 'typeorm';
import { DEFAULT_OVERLAP_SECONDS, type RotateKeyDto } from '../api-keys/rotate-key.dto';
import { generateApiKey } from '../../platform/crypto/api-key';
import { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import type { Editor } from '../../access/callers/caller';
import { InvalidBodyError, KeyNotFoundError, LimitReachedError } from '../../platform/http/dashboard-errors';
import { refuseIfChangedMeanwhile } from '../../platform/http/expected-values';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { PoliciesRepository } from '../policies/policies.repository';
import { PolicyWriter } from '../policy-changes/policy-writer';
import { completeTerms, limitId, type KeyLimitTerms, type KeyTerms, type NamedKey } from './named-key';
import type { CreateKeyDto, UpdateKeyDto } from './named-key.dto';
import {
  toLoggedKey,
  toNamedKeyView,
  type CreatedKeyView,
  type NamedKeyView,
  type RotatedNamedKeyView,
} from './named-key.view';
import { NamedKeysRepository, type StoredText } from './named-keys.repository';

const MAX_KEYS = 20;
/** Former texts of one key that may work at a time. */
const MAX_FORMER_KEYS = 3;

/** Which key, and who changes it. */
export interface KeyEdit extends Editor {
  readonly keyId: string;
}

/** API keys of a paymaster beside its own one, for pages and servers that may do less (docs/architecture/api-keys.md). */
@Injectable()
export class NamedKeysService {
  constructor(
    private readonly keys: NamedKeysRepository,
    private readonly policies: PoliciesRepository,
    private readonly writer: PolicyWriter,
    private readonly vault: ApiKeyVault,
  ) {}

  /** Without their texts, oldest first. */
  async list({ id }: Paymaster): Promise<NamedKeyView[]> {
    return (await this.keys.listOf(id)).map(toNamedKeyView);
  }

  /** @throws {InvalidBodyError} {@link LimitReachedError} {@link KeyNameExistsError} */
  async create(
    { paymaster, actor }: Editor,
    { name, kind, expiresAt, ...terms }: CreateKeyDto,
  ): Promise<CreatedKeyView> {
    const paymasterId = paymaster.id;
    const key: NamedKey = {
      ...{ id: randomUUID(), paymasterId, name, kind },
      terms: withTerms(completeTerms({}), terms),
      expiresAt: timeToCome(expiresAt ?? null),
      ...{ createdAt: new Date(), lastUsedAt: null, formerValidUntil: [] },
    };
    const apiKey = generateApiKey();
    await this.writer.write({ paymasterId, actor }, async ({ manager, record }) => {
      await this.assertSound(manager, key);
      await this.keys.insert(manager, key, this.stored(apiKey, paymasterId));
      if ((await this.keys.listOf(paymasterId, manager)).length > MAX_KEYS) {
        throw new LimitReachedError(`A paymaster can have at most ${MAX_KEYS} keys beside its own`);
      }
      record({ subject: 'apiKey', subjectId: key.id, before: null, after: toLoggedKey(key) });
    });
    return { ...toNamedKeyView(key), apiKey };
  }

  /**
   * Changes what was sent, leaves the rest; two changes at once do not undo each other.
   *
   * @throws {KeyNotFoundError} {@link InvalidBodyError} {@link KeyNameExistsError} {@link ChangedMeanwhileError}
   */
  async update({ paymaster, actor, keyId }: KeyEdit, request: UpdateKeyDto): Promise<NamedKeyView> {
    const { name, expiresAt, expected: _, ...terms } = request;
    return this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      const before = await this.findOrFail(manager, paymaster.id, keyId);
      refuseIfChangedMeanwhile(toNamedKeyView(before), request);
      const key: NamedKey = {
        ...before,
        name: name ?? before.name,
        terms: withTerms(before.terms, terms),
        expiresAt: expiresAt === undefined ? before.expiresAt : timeToCome(expiresAt),
      };
      await this.assertSound(manager, key, before.terms);
      await this.keys.update(manager, key);
      record({ subject: 'apiKey', subjectId: key.id, before: toLoggedKey(before), after: toLoggedKey(key) });
      return toNamedKeyView(key);
    });
  }

  /**
   * Gives the key a new text; the one before goes on for as long as is asked. 0 ends it and all former ones.
   *
   * @throws {KeyNotFoundError} {@link LimitReachedError}
   */
  async rotate(
    { paymaster, actor, keyId }: KeyEdit,
    { previousKeyValidSeconds = DEFAULT_OVERLAP_SECONDS }: RotateKeyDto,
  ): Promise<RotatedNamedKeyView> {
    const paymasterId = paymaster.id;
    return this.writer.write({ paymasterId, actor }, async ({ manager, record }) => {
      const before = await this.findOrFail(manager, paymasterId, keyId);
      const endsAt = await this.keys.retireText(manager, before.id, previousKeyValidSeconds);
      const apiKey = generateApiKey();
      await this.keys.addText(manager, before, this.stored(apiKey, paymasterId));
      const key = await this.findOrFail(manager, paymasterId, keyId);
      if (key.formerValidUntil.length > MAX_FORMER_KEYS) {
        throw new LimitReachedError(
          `A key can have at most ${MAX_FORMER_KEYS} former texts: end all of them with previousKeyValidSeconds 0`,
        );
      }
      const previousKeyValidUntil = endsAt.toISOString();
      record({
        ...{ subject: 'apiKey', subjectId: key.id },
        ...{ before: { previousKeyValidUntil: null }, after: { previousKeyValidUntil } },
      });
      return { ...toNamedKeyView(key), apiKey, previousKeyValidUntil };
    });
  }

  /** Ends the key at once, with all former texts. @throws {KeyNotFoundError} */
  async delete({ paymaster, actor, keyId }: KeyEdit): Promise<void> {
    await this.writer.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      const key = await this.findOrFail(manager, paymaster.id, keyId);
      await this.keys.delete(manager, key.id);
      record({ subject: 'apiKey', subjectId: key.id, before: toLoggedKey(key), after: null });
    });
  }

  private stored(apiKey: string, paymasterId: string): StoredText {
    return { apiKeyIndex: this.vault.index(apiKey), apiKeyCiphertext: this.vault.encrypt(apiKey, paymasterId) };
  }

  /** @throws {InvalidBodyError} for terms that make no sense for the key, or name what the paymaster does not have */
  private async assertSound(manager: EntityManager, key: NamedKey, before?: KeyTerms): Promise<void> {
    const { paymasterId, terms } = key;
    assertFitsKind(key.kind, terms);
    const limitIds = (terms.limits ?? []).map(limitId);
    if (new Set(limitIds).size < limitIds.length) {
      throw new InvalidBodyError('limits: two limits must not have the same scope, measure and cycle');
    }
    const added = (terms.policyIds ?? []).filter((id) => !before?.policyIds?.includes(id));
    if (added.length === 0) return;
    const { policies: own, shared } = await this.policies.allOf(paymasterId, manager);
    const policies = [...own, ...shared];
    const isOne = (id: string) => policies.some((policy) => policy.policyType === 'RULES' && policy.id === id);
    if (!added.every(isOne)) throw new InvalidBodyError('policyIds must be those of policies of type RULES');
  }

  private async findOrFail(manager: EntityManager, paymasterId: string, id: string): Promise<NamedKey> {
    const key = await this.keys.find(manager, { paymasterId, id });
    if (!key) throw new KeyNotFoundError();
    return key;
  }
}

/** A page that could send a secret key would have made it known to everybody. */
function assertFitsKind(kind: KeyKind, { allowedOrigins }: KeyTerms): void {
  if (kind === 'SECRET' && allowedOrigins !== null) {
    throw new InvalidBodyError('allowedOrigins is for keys of kind PUBLISHABLE: a secret key must not be in a page');
  }
}

type SentTerms = Omit<UpdateKeyDto, 'name' | 'expiresAt' | 'expected'>;

/** What was sent, in the one form in which it is stored; what was not sent stays. */
function withTerms(before: KeyTerms, { limits, ...sent }: SentTerms): KeyTerms {
  const terms = { ...before, ...readWritten(KEY_TERMS, sent) };
  return limits === undefined ? terms : { ...terms, limits: limits && limits.map(plainLimit) };
}

function plainLimit({ scope, measure, amount, cycle }: KeyLimitTerms): KeyLimitTerms {
  return { scope, measure, amount, cycle };
}

/** @throws {InvalidBodyError} */
function timeToCome(text: string | null): Date | null {
  if (text === null) return null;
  const time = new Date(text);
  if (time.getTime() > Date.now()) return time;
  throw new InvalidBodyError('expiresAt must be a time to come; to end the key now, delete it');
}
