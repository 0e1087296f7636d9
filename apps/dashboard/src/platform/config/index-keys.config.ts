import { applyDecorators } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import { API_KEY_INDEX_KEY_PATTERN, API_KEY_INDEX_KEYS_OLD_PATTERN } from '@paymaster/messaging';
import { Env } from '@paymaster/nest-kit';
import { EncryptionKeysConfig } from './encryption-keys.config';

/** For `apiKeyIndexKey`. */
export const ApiKeyIndexKeyVariable = (): PropertyDecorator =>
  applyDecorators(
    Env('API_KEY_INDEX_KEY', 'The 32-byte key, in hex, of the blind index of API keys; the same as the gateway has.', {
      secret: true,
    }),
    Matches(API_KEY_INDEX_KEY_PATTERN),
  );

/** For `apiKeyIndexKeysOld`. */
export const ApiKeyIndexKeysOldVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'API_KEY_INDEX_KEYS_OLD',
      'Up to three more such keys, separated by commas: they are believed and looked for. For the time of a rotation (docs/operations/keys.md).',
      { secret: true },
    ),
    IsOptional(),
    Matches(API_KEY_INDEX_KEYS_OLD_PATTERN, {
      message: 'must be up to 3 keys of 64 hex digits, separated by commas',
    }),
  );

/** All that the rotate-index command needs: indexes are made anew of the keys that the encryption keys open. */
export class IndexKeysConfig extends EncryptionKeysConfig {
  @ApiKeyIndexKeyVariable()
  readonly apiKeyIndexKey!: string;
}
