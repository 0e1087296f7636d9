import { applyDecorators } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import { API_KEY_INDEX_KEY_PATTERN, API_KEY_INDEX_KEYS_OLD_PATTERN } from '@paymaster/messaging';
import { Env } from '@paymaster/nest-kit';
import { EncryptionKeysConfig } from './encryption-keys.config';

/** For `apiKeyIndexKey`. */
export const ApiKeyIndexKeyVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'API_KEY_INDEX_KEY',
      'The 32-byte key, in hex, of which the blind index of API keys and the keys of NATS messages are made; the same as the gateway has.',
      { secret: true },
    ),
    Matches(API_KEY_INDEX_KEY_PATTERN),
  );

/** For `apiKeyIndexKeysOld`. */
export const ApiKeyIndexKeysOldVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'API_KEY_INDEX_KEYS_OLD',
      'Up to three more such keys, separated by commas. The dashboard also finds API keys that are stored under them, and accepts messages that are signed with them. Set them only for the time of a rotation (docs/operations/keys.md).',
      { secret: true },
    ),
    IsOptional(),
    Matches(API_KEY_INDEX_KEYS_OLD_PATTERN, {
      message: 'must be up to 3 keys of 64 hex digits, separated by commas',
    }),
  );

/**
 * All that the command `rotate-index` needs. It decrypts each API key and makes its index of that, so it needs no old
 * index key.
 */
export class IndexKeysConfig extends EncryptionKeysConfig {
  @ApiKeyIndexKeyVariable()
  readonly apiKeyIndexKey!: string;
}
