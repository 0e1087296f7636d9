import { setImmediate } from 'node:timers/promises';
import { Body, Controller, HttpCode, Inject, Post, ServiceUnavailableException } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { IsIn, IsObject, IsString } from 'class-validator';
import { Authenticated } from '../http/authenticated.decorator';
import { CurrentPaymaster } from '../http/caller';
import { InvalidBodyError } from '../http/dashboard-errors';
import { ok, type Envelope } from '../http/envelope';
import { AnswersWith } from '../http/openapi.decorators';
import { IfSent } from '../http/presence-rules';
import { SDK_PATH } from '../http/sdk-path';
import { parsePeriod } from '../operations/operation-query';
import { OperationsRepository } from '../operations/operations.repository';
import type { Paymaster } from '../paymasters/paymaster';
import type { Policy, PolicyType } from '../policies/policy';
import { DescribesPolicyData } from '../policies/policy.dto';
import { PolicyDataParser } from '../policies/policy-data/policy-data.parser';
import { toSponsorshipPolicy } from '../policies/to-sponsorship-policy';
import { BackTest, type BackTestResult, type SenderResult } from './back-test';

/** Kinds of policy that refuse by themselves. */
const TESTABLE = ['PAYMASTER_SA_LIMIT', 'RULES'] as const satisfies readonly PolicyType[];
const MAX_OPERATIONS = 100_000;
/** In one process: the usage of each sender is kept in memory, and twenty at once were more than a pod has. */
const MOST_AT_ONCE = 2;
const PAGE = 1_000;
const NO_ID = '00000000-0000-0000-0000-000000000000';

class BackTestDto {
  @ApiProperty({ enum: TESTABLE })
  @IsIn(TESTABLE)
  policyType!: (typeof TESTABLE)[number];

  @DescribesPolicyData()
  @IsObject()
  policyData!: object;

  @ApiProperty({ description: 'UTC, inclusive.', example: '2026-01-01' })
  @IsString()
  from!: string;

  @ApiPropertyOptional({ description: 'UTC, exclusive; now where it is left out.' })
  @IsString()
  @IfSent()
  to?: string;
}

class SenderResultView implements SenderResult {
  @ApiProperty() readonly sender!: string;
  @ApiProperty() readonly operations!: number;
  @ApiProperty() readonly refused!: number;
}

class BackTestView implements BackTestResult {
  @ApiProperty({ description: 'Granted in the period.' }) readonly operations!: number;
  @ApiProperty({ description: 'Of these, the draft would have refused.' }) readonly refused!: number;
  @ApiProperty({ type: Object }) readonly refusedByReason!: Readonly<Record<string, number>>;
  @ApiProperty({ type: [SenderResultView], description: 'Those refused most, at most 100.' })
  readonly senders!: readonly SenderResult[];
  @ApiProperty({ type: [String], description: 'Parts of the draft that look at facts which are not kept.' })
  readonly notEvaluated!: readonly string[];
}

/** Tries a policy on the past before it is put in force. */
@ApiTags('paymaster policies')
@Controller(`${SDK_PATH}/paymaster-policy`)
export class BackTestsController {
  private underWay = 0;

  constructor(
    @Inject(OperationsRepository) private readonly operations: OperationsRepository,
    @Inject(PolicyDataParser) private readonly parser: PolicyDataParser,
  ) {}

  @Post('back-test')
  @HttpCode(200)
  @Authenticated()
  @AnswersWith({
    summary: 'Show what a draft would have refused in a period, and whom',
    data: BackTestView,
    errors: [`the period has more than ${MAX_OPERATIONS} operations`],
    notFound: { message: 'User not found', statusCode: 404 },
  })
  async run(@CurrentPaymaster() paymaster: Paymaster, @Body() body: BackTestDto): Promise<Envelope<BackTestView>> {
    const { policyType, policyData, from, to } = body;
    const content = this.parser.parse({ policyType, policyData, where: 'policyData' });
    const draft = { id: NO_ID, paymasterId: paymaster.id, createdBy: NO_ID, name: 'draft', active: true, ...content };
    const test = new BackTest(toSponsorshipPolicy(draft as Policy));
    const period = parsePeriod({ from, to });
    if (this.underWay >= MOST_AT_ONCE) throw new ServiceUnavailableException();
    this.underWay++;
    try {
      await this.addPast(test, { paymasterId: paymaster.id, ...period });
    } finally {
      this.underWay--;
    }
    return ok('Back-test done', test.result());
  }

  /** @throws {InvalidBodyError} when there are more than fit into one back-test */
  private async addPast(test: BackTest, period: Parameters<OperationsRepository['past']>[0]): Promise<void> {
    let left = MAX_OPERATIONS;
    for await (const page of this.operations.past(period, PAGE)) {
      left -= page.length;
      if (left < 0) throw new InvalidBodyError(`from and to: the period has more than ${MAX_OPERATIONS} operations`);
      page.forEach((operation) => test.add(operation));
      // Other requests get their turn.
      await setImmediate();
    }
  }
}
