import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { CHARGING_WAYS, MAX_SPONSOR_ICON_LENGTH, PERCENT_PATTERN, type Field } from '@paymaster/domain';
import { MAX_SERVERS, RPC_METHOD_PATTERN } from '@paymaster/messaging';
import {
  ArrayMaxSize,
  ArrayNotContains,
  ArrayNotEmpty,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsString,
  IsUUID,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { ADDRESS, WEI } from './api-fields';
import { AreNetworks, AreServers } from './network-rules';
import { IfSent, IfSentAndNotNull } from './presence-rules';
import { AreOrigins, HasRightChecksum, IsIcon, IsLogoUrl, IsName, IsWeiDigits } from './text-rules';
import { AreChargingWays, IsNonZeroAddress } from './token-rules';

/** What a kind of fields is on REST. */
interface OnRest {
  readonly inBoth: ApiPropertyOptions;
  readonly shown?: ApiPropertyOptions;
  readonly sent?: ApiPropertyOptions;
  /** Of what is sent; the first one listed is the first one checked. */
  readonly rules: readonly PropertyDecorator[];
}

/** The field of a view. */
export function ShownField(field: Field): PropertyDecorator {
  const { inBoth, shown } = onRest(field);
  return ApiProperty({ ...inBoth, ...shown, description: field.says } as ApiPropertyOptions);
}

/** The field of a change: it may be left out, and be null where no value is one. */
export function SentField(field: Field): PropertyDecorator {
  const { inBoth, sent, rules } = onRest(field);
  const options = { ...inBoth, ...sent, description: field.says, required: false } as ApiPropertyOptions;
  const presence = inBoth.nullable ? IfSentAndNotNull() : IfSent();
  return applyDecorators(ApiProperty(options), presence, ...rules);
}

function onRest(field: Field): OnRest {
  switch (field.kind) {
    case 'flag':
      return { inBoth: { type: Boolean }, rules: [IsBoolean()] };
    case 'choice':
      return { inBoth: { enum: [...field.words] }, shown: { example: field.standard }, rules: [IsIn(field.words)] };
    case 'seconds':
    case 'count':
    case 'percent': {
      const { from: minimum, to: maximum, standard: example } = field;
      const most = maximum === undefined ? [] : [Max(maximum)];
      return {
        inBoth: { type: 'integer' },
        shown: { example },
        sent: { minimum, maximum },
        rules: [IsInt(), Min(minimum), ...most],
      };
    }
    case 'premium':
      return {
        inBoth: { type: String },
        shown: { example: '10' },
        sent: { example: '2.5' },
        rules: [
          Matches(PERCENT_PATTERN, {
            message: '$property must be text of a number from 0 to 100 with at most 4 decimals',
          }),
        ],
      };
    case 'wei':
      return { inBoth: { ...WEI, nullable: true }, rules: [IsWeiDigits()] };
    case 'address':
      return { inBoth: { ...ADDRESS, nullable: true }, sent: { example: undefined }, rules: [IsNonZeroAddress()] };
    case 'name':
      return {
        inBoth: { type: String, nullable: true },
        shown: { example: 'My dapp' },
        sent: { minLength: 1, maxLength: field.to },
        rules: [IsName(field.to)],
      };
    case 'icon':
      return {
        inBoth: { type: String, nullable: true },
        shown: { example: null },
        sent: { maxLength: MAX_SPONSOR_ICON_LENGTH },
        rules: [IsIcon()],
      };
    case 'logo':
      return {
        inBoth: { type: String, nullable: true },
        shown: { example: 'https://cdn.example.org/usdc.png' },
        sent: { maxLength: 2_048 },
        rules: [IsLogoUrl()],
      };
    case 'origins':
      return {
        inBoth: { type: [String] },
        shown: { example: [...field.standard] },
        rules: [IsArray(), ArrayMaxSize(100), IsString({ each: true }), AreOrigins()],
      };
    case 'servers':
      return {
        inBoth: { type: 'array', items: { type: 'string', example: '203.0.113.7' } },
        sent: { maxItems: MAX_SERVERS },
        rules: [IsArray(), ArrayMaxSize(MAX_SERVERS), ArrayUnique(), AreServers()],
      };
    case 'ways':
      return {
        inBoth: { enum: CHARGING_WAYS, isArray: true },
        rules: field.mayBeEmpty ? [AreChargingWays()] : [AreChargingWays(), ArrayNotEmpty()],
      };
    case 'list': {
      const { example, rules } = ITEMS[field.of];
      return {
        inBoth: { type: [String], nullable: true },
        shown: { example: [example] },
        sent: { minItems: 1, maxItems: field.to },
        rules: [IsArray(), ArrayNotEmpty(), ArrayMaxSize(field.to), IsString({ each: true }), ...rules],
      };
    }
  }
}

const ITEMS: Readonly<
  Record<(Field & { readonly kind: 'list' })['of'], { example: string; rules: readonly PropertyDecorator[] }>
> = {
  origin: {
    example: 'https://app.example.org',
    rules: [
      ArrayNotContains(['*'], { message: '$property must not contain *: leave it out for any origin' }),
      AreOrigins(),
    ],
  },
  network: { example: '203.0.113.0/24', rules: [AreNetworks()] },
  address: {
    example: `0x${'5a'.repeat(20)}`,
    rules: [
      Matches(/^0x[0-9a-fA-F]{40}$/, {
        each: true,
        message: 'each value in $property must be an address: 0x and 40 hexadecimal digits',
      }),
      HasRightChecksum(),
    ],
  },
  method: {
    example: 'pm_getPaymasterData',
    rules: [
      Matches(RPC_METHOD_PATTERN, { each: true, message: 'each value in $property must be the name of a method' }),
    ],
  },
  id: { example: '7ea9dae1-9a06-4c17-a4fb-7728177b76d3', rules: [IsUUID('all', { each: true })] },
};
