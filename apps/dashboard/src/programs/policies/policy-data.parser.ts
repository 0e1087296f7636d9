import { Inject, Injectable } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  MAX_WEBHOOK_URL_LENGTH,
  RULES_DATA,
  SchemaError,
  SPENDING_LIMITS_DATA,
  type Schema,
  type SpendingLimitData,
  type SpendingLimitsData,
} from '@paymaster/domain';
import { findWrongChecksum, WRONG_CHECKSUM } from '@paymaster/chain';
import { parseWebhookUrl, WebhookError } from '@paymaster/webhooks';
import { Equals, IsOptional, IsString, MaxLength } from 'class-validator';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { InvalidBodyError } from '../../platform/http/dashboard-errors';
import { parseStrictly } from '../../platform/http/parse-strictly';
import type { PolicyContent, PolicyDataOf, PolicyType } from './policy';
import { withCycle } from './policy-data/cycle-limit.data';
import { CycleLimitDto, toCycleLimitTerms } from './policy-data/cycle-limit.dto';
import { assertLimits, toRulesData } from './policy-data/to-rules-data';
import { SHOWN_URL } from './shown-url';

const DEPLOYMENT_OPERATOR = 'walletDeployment';

/** `policyData` of a WALLET_DEPLOYMENT: nothing need be sent. */
export class WalletDeploymentDto {
  @ApiPropertyOptional({ enum: [DEPLOYMENT_OPERATOR], readOnly: true })
  @Equals(DEPLOYMENT_OPERATOR)
  @IsOptional()
  operator?: typeof DEPLOYMENT_OPERATOR;
}

/** `policyData` of a WEBHOOK. Its decorators are checked from the last to the first. */
export class DecisionWebhookDto {
  @ApiProperty({
    maxLength: MAX_WEBHOOK_URL_LENGTH,
    example: 'https://hooks.example.org/sponsor',
    description: SHOWN_URL,
  })
  @MaxLength(MAX_WEBHOOK_URL_LENGTH)
  @IsString()
  url!: string;
}

export interface PolicyDataRequest<Type extends PolicyType = PolicyType> {
  readonly policyType: Type;
  /** As it was sent. */
  readonly policyData: unknown;
  /** The path of `policyData` in the body, for errors. */
  readonly where: string;
  /** What the policy held before: a limit that stays the same goes on in its cycle. */
  readonly previous?: PolicyContent;
}

type ParserBounds = Pick<DashboardConfig, 'maxLimitsPerPolicy' | 'webhookAllowInsecure'>;

/** Brings what was sent as `policyData` into the one form in which policies are stored, shown and compared. */
@Injectable()
export class PolicyDataParser {
  constructor(@Inject(DashboardConfig) private readonly bounds: ParserBounds) {}

  /** @throws {InvalidBodyError} naming the first field that is wrong or unknown */
  parse(request: PolicyDataRequest): PolicyContent {
    const { policyType, policyData, where, previous } = request;
    switch (policyType) {
      case 'PAYMASTER_SA_LIMIT': {
        const terms = toCycleLimitTerms(parseStrictly(CycleLimitDto, policyData, where));
        const before = previous?.policyType === policyType ? previous.policyData : undefined;
        return { policyType, policyData: withCycle(terms, before, Date.now()) };
      }
      case 'WALLET_DEPLOYMENT':
        parseStrictly(WalletDeploymentDto, policyData, where);
        return { policyType, policyData: { operator: DEPLOYMENT_OPERATOR } };
      case 'WEBHOOK':
        return { policyType, policyData: this.toWebhook(parseStrictly(DecisionWebhookDto, policyData, where), where) };
      case 'RULES': {
        const rules = accept(RULES_DATA, policyData, where);
        refuseWrongChecksum(policyData, where);
        this.refuseTooManyLimits(rules.limits, where);
        return { policyType, policyData: toRulesData(rules, where) };
      }
    }
  }

  /** `policyData` of a SPENDING_LIMITS. @throws {InvalidBodyError} naming the first field that is wrong or unknown */
  parseSpendingLimits(policyData: unknown, where: string): SpendingLimitsData {
    const data = accept(SPENDING_LIMITS_DATA, policyData, where);
    if (data.limits.length === 0) throw new InvalidBodyError(`${where}: limits should not be empty`);
    this.refuseTooManyLimits(data.limits, where);
    assertLimits(data.limits, `${where}.limits`);
    return data;
  }

  private toWebhook({ url }: DecisionWebhookDto, where: string): PolicyDataOf['WEBHOOK'] {
    try {
      const { href } = parseWebhookUrl(url, { allowInsecure: this.bounds.webhookAllowInsecure });
      // The one spelling that the gateway takes; it can be longer than what was sent.
      if (href.length > MAX_WEBHOOK_URL_LENGTH) throw new WebhookError('FORBIDDEN_TARGET', 'it is too long');
      return { url: href };
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      throw new InvalidBodyError(`${where}: url is refused: ${error.message}`);
    }
  }

  private refuseTooManyLimits(limits: readonly SpendingLimitData[] | undefined, where: string): void {
    const most = this.bounds.maxLimitsPerPolicy;
    if (limits && limits.length > most) {
      throw new InvalidBodyError(`${where}: limits must contain no more than ${most} elements`);
    }
  }
}

/** Fields whose 20 bytes need not be an address: whether an argument's value is one is known where its type is. */
const OTHER_BYTES: ReadonlySet<string> = new Set(['value']);

function refuseWrongChecksum(policyData: unknown, where: string): void {
  const found = findWrongChecksum(policyData, OTHER_BYTES);
  if (found !== undefined) throw new InvalidBodyError(`${where}.${found} ${WRONG_CHECKSUM}`);
}

function accept<Data>(schema: Schema<unknown, Data>, policyData: unknown, where: string): Data {
  try {
    return schema.accept(policyData, { where: '', property: where, beside: {} });
  } catch (error) {
    throw error instanceof SchemaError ? new InvalidBodyError(error.message) : error;
  }
}
