import { applyDecorators } from '@nestjs/common';
import { IsOptional, Matches } from 'class-validator';
import { Env } from '@paymaster/nest-kit';
import { DatabaseConfig } from './database.config';

/** For `apiKeyEncryptionKey`. */
export const ApiKeyEncryptionKeyVariable = (): PropertyDecorator =>
  applyDecorators(
    Env('API_KEY_ENCRYPTION_KEY', 'The 32-byte key, in hex, that encrypts API keys in the database.', { secret: true }),
    Matches(/^(0x)?[0-9a-fA-F]{64}$/),
  );

/** For `apiKeyEncryptionKeysOld`. */
export const ApiKeyEncryptionKeysOldVariable = (): PropertyDecorator =>
  applyDecorators(
    Env(
      'API_KEY_ENCRYPTION_KEYS_OLD',
      'More such keys, separated by commas: they read and do not write. For the time of a rotation (docs/operations/keys.md).',
      { secret: true },
    ),
    IsOptional(),
    Matches(/^(0x)?[0-9a-fA-F]{64}(\s*,\s*(0x)?[0-9a-fA-F]{64}){0,9}$/, {
      message: 'must be up to 10 keys of 64 hex digits, separated by commas',
    }),
  );

/** All that the rotate-encryption command needs. */
export class EncryptionKeysConfig extends DatabaseConfig {
  @ApiKeyEncryptionKeyVariable()
  readonly apiKeyEncryptionKey!: string;

  @ApiKeyEncryptionKeysOldVariable()
  readonly apiKeyEncryptionKeysOld?: string;
}
