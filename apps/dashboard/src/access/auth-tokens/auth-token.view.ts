import { ApiProperty } from '@nestjs/swagger';
import { ID_OR_NULL, TIME_OR_NULL } from '../../platform/fields/api-fields';
import { TOKEN_SCOPES, type TokenScope } from '../accounts/account';
import type { AuthTokenEntity } from '../accounts/auth-token.entity.db';

/** An auth token without its text, which only its creation shows. */
export class AuthTokenView {
  @ApiProperty({ format: 'uuid' }) readonly tokenId!: string;
  @ApiProperty({ example: 'CI' }) readonly name!: string;
  @ApiProperty({ enum: TOKEN_SCOPES }) readonly scope!: TokenScope;
  @ApiProperty({ ...ID_OR_NULL, description: 'The one paymaster that it is for; null: all of the account.' })
  readonly paymasterId!: string | null;
  @ApiProperty({ format: 'date-time' }) readonly createdAt!: string;
  @ApiProperty({ ...ID_OR_NULL, description: 'The person who made it; null: a command of the operator.' })
  readonly createdBy!: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'Null: never.' }) readonly expiresAt!: string | null;
  @ApiProperty({ ...TIME_OR_NULL, description: 'To the minute; null when it was never used.' })
  readonly lastUsedAt!: string | null;
}

export class CreatedAuthTokenView extends AuthTokenView {
  @ApiProperty({ example: 'pm_auth_…', description: 'No other answer shows it.' }) readonly authToken!: string;
}

export function toAuthTokenView(token: AuthTokenEntity): AuthTokenView {
  const { id: tokenId, name, scope, paymasterId, createdAt, createdBy, expiresAt, lastUsedAt } = token;
  return {
    ...{ tokenId, name, scope, paymasterId, createdAt: createdAt.toISOString(), createdBy },
    ...{ expiresAt: expiresAt?.toISOString() ?? null, lastUsedAt: lastUsedAt?.toISOString() ?? null },
  };
}
