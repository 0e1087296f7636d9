import { applyDecorators } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { CHARGING_WAYS, MAX_SPONSOR_ICON_LENGTH, type Setting } from '@paymaster/domain';
import { MAX_SERVERS } from '@paymaster/messaging';
import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { ADDRESS, WEI } from '../../platform/fields/api-fields';
import { AreServers } from '../../platform/fields/network-rules';
import { IfSent, IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { AreOrigins, IsIcon, IsName, IsWeiDigits } from '../../platform/fields/text-rules';
import { AreChargingWays, IsNonZeroAddress } from '../../platform/fields/token-rules';

/** What a kind of settings is on REST. */
interface OnRest {
  readonly inBoth: ApiPropertyOptions;
  readonly shown?: ApiPropertyOptions;
  readonly sent?: ApiPropertyOptions;
  /** Of what is sent; the first one listed is the first one checked. */
  readonly rules: readonly PropertyDecorator[];
}

/** The field of a view. */
export function ShownSetting(setting: Setting): PropertyDecorator {
  const { inBoth, shown } = onRest(setting);
  return ApiProperty({ ...inBoth, ...shown, description: setting.says } as ApiPropertyOptions);
}

/** The field of a change: it may be left out, and be null where no value is one. */
export function SentSetting(setting: Setting): PropertyDecorator {
  const { inBoth, sent, rules } = onRest(setting);
  const options = { ...inBoth, ...sent, description: setting.says, required: false } as ApiPropertyOptions;
  const presence = inBoth.nullable ? IfSentAndNotNull() : IfSent();
  return applyDecorators(ApiProperty(options), presence, ...rules);
}

function onRest(setting: Setting): OnRest {
  switch (setting.kind) {
    case 'flag':
      return { inBoth: { type: Boolean }, rules: [IsBoolean()] };
    case 'choice':
      return { inBoth: { enum: [...setting.words] }, rules: [IsIn(setting.words)] };
    case 'seconds':
    case 'count':
    case 'percent': {
      const { from: minimum, to: maximum, standard: example } = setting;
      const most = maximum === undefined ? [] : [Max(maximum)];
      return {
        inBoth: { type: 'integer' },
        shown: { example },
        sent: { minimum, maximum },
        rules: [IsInt(), Min(minimum), ...most],
      };
    }
    case 'wei':
      return { inBoth: { ...WEI, nullable: true }, rules: [IsWeiDigits()] };
    case 'address':
      return { inBoth: { ...ADDRESS, nullable: true }, sent: { example: undefined }, rules: [IsNonZeroAddress()] };
    case 'name':
      return {
        inBoth: { type: String, nullable: true },
        shown: { example: 'My dapp' },
        sent: { minLength: 1, maxLength: setting.to },
        rules: [IsName(setting.to)],
      };
    case 'icon':
      return {
        inBoth: { type: String, nullable: true },
        shown: { example: null },
        sent: { maxLength: MAX_SPONSOR_ICON_LENGTH },
        rules: [IsIcon()],
      };
    case 'origins':
      return {
        inBoth: { type: [String] },
        shown: { example: [...setting.standard] },
        rules: [IsArray(), ArrayMaxSize(100), IsString({ each: true }), AreOrigins()],
      };
    case 'servers':
      return {
        inBoth: { type: 'array', items: { type: 'string', example: '203.0.113.7' } },
        sent: { maxItems: MAX_SERVERS },
        rules: [IsArray(), ArrayMaxSize(MAX_SERVERS), ArrayUnique(), AreServers()],
      };
    case 'ways':
      return { inBoth: { enum: CHARGING_WAYS, isArray: true }, rules: [AreChargingWays()] };
  }
}
