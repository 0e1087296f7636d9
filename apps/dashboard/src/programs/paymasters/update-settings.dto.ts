import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  CHARGING_WAYS,
  MAX_SPONSOR_ICON_LENGTH,
  ON_LIMIT_REACHED,
  ON_REFUSAL,
  SPONSOR_DEPLOYMENTS,
  TOKEN_MODES,
  type ChargingWay,
  type OnLimitReached,
  type OnRefusal,
  type SponsorDeployments,
  type TokenMode,
} from '@paymaster/domain';
import { MAX_SERVERS } from '@paymaster/messaging';
import { ArrayMaxSize, ArrayUnique, IsArray, IsBoolean, IsIn, IsInt, IsString, Max, Min } from 'class-validator';
import { IfSent, IfSentAndNotNull } from '../../platform/fields/presence-rules';
import { AreServers } from '../../platform/fields/network-rules';
import { AreOrigins, IsIcon, IsName, IsWeiDigits } from '../../platform/fields/text-rules';
import { AreChargingWays, IsNonZeroAddress } from '../../platform/fields/token-rules';
import { ADDRESS, WEI } from '../../platform/fields/api-fields';

const MAX_SPONSOR_NAME_LENGTH = 60;

const Switch = (description: string): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional({ description }), IfSent(), IsBoolean());

/** The first check listed is the first one made. */
const Cap = (description: string, maximum: number): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 1, maximum, description }),
    IfSent(),
    IsInt(),
    Min(1),
    Max(maximum),
  );

/** Body of PATCH paymaster-settings; what is left out stays as it is. Decorators are checked from the bottom up. */
export class UpdateSettingsDto {
  @Switch('Sponsor calls to contracts that are not registered.')
  sponsorAnyContract?: boolean;

  @Switch('Sponsor plain transfers of the native coin.')
  sponsorNativeTransfers?: boolean;

  @ApiPropertyOptional({ enum: SPONSOR_DEPLOYMENTS })
  @IsIn(SPONSOR_DEPLOYMENTS)
  @IfSent()
  sponsorDeployments?: SponsorDeployments;

  @Switch('Sponsor deployments by factories that the platform does not know.')
  allowUnknownFactories?: boolean;

  @Switch('Check the implementation of deployed accounts.')
  requireKnownAccounts?: boolean;

  @ApiPropertyOptional({ enum: ON_REFUSAL })
  @IsIn(ON_REFUSAL)
  @IfSent()
  onRefusal?: OnRefusal;

  @Switch('Tell clients limits, use and the verdict’s trace.')
  explainToClients?: boolean;

  @ApiPropertyOptional({ type: 'integer', minimum: 120, description: 'Seconds.' })
  @Min(120)
  @IsInt()
  @IfSent()
  maxExpirySeconds?: number;

  @ApiPropertyOptional({
    ...WEI,
    nullable: true,
    description: 'Decimal digits; null for the operator’s default.',
  })
  @IsWeiDigits()
  @IfSentAndNotNull()
  maxOperationCostWei?: string | null;

  @ApiPropertyOptional({ type: [String], description: 'Browser origins, or * for any.' })
  @AreOrigins()
  @IsString({ each: true })
  @ArrayMaxSize(100)
  @IsArray()
  @IfSent()
  allowedOrigins?: string[];

  @ApiPropertyOptional({ enum: TOKEN_MODES, description: 'Which operations may be paid in tokens.' })
  @IsIn(TOKEN_MODES)
  @IfSent()
  tokenMode?: TokenMode;

  @ApiPropertyOptional({
    enum: CHARGING_WAYS,
    isArray: true,
    description: 'The ways of charging in tokens that are allowed, each once; none means that nobody pays in tokens.',
  })
  @AreChargingWays()
  @IfSent()
  tokenChargingWays?: ChargingWay[];

  @ApiPropertyOptional({
    ...ADDRESS,
    example: undefined,
    nullable: true,
    description: 'The address that is paid in tokens; null for the funding wallet.',
  })
  @IsNonZeroAddress()
  @IfSentAndNotNull()
  tokenFeeReceiver?: string | null;

  @Cap('Nonces of one sender that may have live signatures.', 1_000)
  maxLiveSignaturesPerSender?: number;

  @Cap('Live signatures asked for from one client address.', 1_000_000)
  maxLiveSignaturesPerClient?: number;

  @Cap('Live signatures of the whole paymaster.', 1_000_000)
  maxLiveSignaturesTotal?: number;

  @Cap(
    'The most of what is left of a limit, of the wallet or of the rate limit that one client address may take for several operations; percent.',
    100,
  )
  clientSharePercent?: number;

  @Switch('Stop before more than half of the funding wallet is lost within an hour, until you release the brake.')
  spendingBrake?: boolean;

  @ApiPropertyOptional({
    type: String,
    minLength: 1,
    maxLength: MAX_SPONSOR_NAME_LENGTH,
    nullable: true,
    description: 'Who pays, for wallets to show (`sponsor.name` of pm_getPaymasterStubData); null names nobody.',
  })
  @IsName(MAX_SPONSOR_NAME_LENGTH)
  @IfSentAndNotNull()
  sponsorName?: string | null;

  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_SPONSOR_ICON_LENGTH,
    nullable: true,
    description:
      'A PNG, JPEG, GIF or WebP image in a data URI with base64, for wallets to show beside sponsorName; null for none.',
  })
  @IsIcon()
  @IfSentAndNotNull()
  sponsorIcon?: string | null;

  @ApiPropertyOptional({
    enum: ON_LIMIT_REACHED,
    description:
      'With erc20, a refusal by a spending limit names the tokens that the user can pay in instead (`payWith` of ' +
      'SPENDING_LIMIT_REACHED).',
  })
  @IsIn(ON_LIMIT_REACHED)
  @IfSent()
  onLimitReached?: OnLimitReached;

  @Switch('Sponsor operations whose maxFeePerGas equals maxPriorityFeePerGas, up to 250 % of base fee and highest tip.')
  allowEqualFees?: boolean;

  @Switch(
    'Sponsor operations whose call data goes on behind the arguments, at most 256 bytes that the account does not read: ' +
      'the `dataSuffix` of ERC-8021, the on-chain identifier of a Safe.',
  )
  allowCallDataSuffix?: boolean;

  @ApiPropertyOptional({
    type: 'array',
    items: { type: 'string', example: '203.0.113.7' },
    maxItems: MAX_SERVERS,
    description:
      'IPv4 and IPv6 addresses, or networks of at least /24 and /48, of your servers. The bounds on strangers do not ' +
      'count what they ask for; where they name their user (x-forwarded-user, x-client-address), each user counts alone.',
  })
  @AreServers()
  @ArrayUnique()
  @ArrayMaxSize(MAX_SERVERS)
  @IsArray()
  @IfSent()
  servers?: string[];

  @Switch(
    'Take requests that name policies of another vendor (`sponsorshipPolicyId`, `policyId`, `policyIds`) as if they ' +
      'named none, so that an app that moves here keeps its code. Without it such requests are refused.',
  )
  ignoreForeignPolicyIds?: boolean;

  @Switch(
    'Let users pay in tokens by an approval in their batch (`batchApproval`) also while the paymaster has no contract ' +
      'and no policy. Such an operation can land and not pay: set a budget in a policy first.',
  )
  allowBatchApprovalWithoutRules?: boolean;

  @Switch(
    'On EntryPoint v0.9, sign a sponsorship only when the operation is sent to `eth_sendUserOperation` of the ' +
      "paymaster's own address. Until then nobody can land it, and nothing is held for it. Clients that send to another " +
      'bundler get AA34.',
  )
  signWhenSent?: boolean;
}
