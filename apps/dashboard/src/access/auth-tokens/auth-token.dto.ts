import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ID_OR_NULL, TIME_OR_NULL } from '../../platform/fields/api-fields';
import { IsIn, IsUUID } from 'class-validator';
import { TOKEN_SCOPES, type TokenScope } from '../accounts/account';
import { IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { Name, IsUtcTime } from '../../platform/fields/text-rules';

/** Body of POST auth-tokens. Decorators are checked from the bottom up. */
export class CreateAuthTokenDto {
  @Name({ example: 'CI' })
  name!: string;

  @ApiProperty({ enum: TOKEN_SCOPES, description: 'read: GET only. write: everything but people and auth tokens.' })
  @IsIn(TOKEN_SCOPES)
  scope!: TokenScope;

  @ApiPropertyOptional({
    ...ID_OR_NULL,
    description: 'The one paymaster that the token is for; null or left out: all of the account.',
  })
  @IsUUID('all', { message: '$property must be the id of a paymaster' })
  @IfSentAndNotNull()
  paymasterId?: string | null;

  @ApiPropertyOptional({
    ...TIME_OR_NULL,
    description: 'A time to come, in UTC, from which on the token is unknown; null or left out: never.',
  })
  @IsUtcTime()
  @IfSentAndNotNull()
  expiresAt?: string | null;
}
