import { Body, Post, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsString } from 'class-validator';
import type { FastifyReply } from 'fastify';
import { AccountTurns, type TurnRequest } from '../../access/callers/account-turns';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentPaymaster } from '../../access/callers/caller';
import { InvalidBodyError, TooManyRequestsError } from '../../platform/http/dashboard-errors';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { IsTime, periodOf } from '../../platform/http/query-rules';
import { IfSent } from '../../platform/fields/presence-rules';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { OperationsRepository } from '../operations/operations.repository';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Policy, PolicyType } from '../../programs/policies/policy';
import { DescribesPolicyData } from '../../programs/policies/policy.dto';
import { PolicyDataParser } from '../../programs/policies/policy-data.parser';
import { toSponsorshipPolicy } from '../../programs/policies/to-sponsorship-policy';
import { BackTest, type BackTestResult, type SenderResult } from './back-test';
import { ADDRESS } from '../../platform/fields/api-fields';

/** Kinds of policy that refuse by themselves. */
const TESTABLE = ['PAYMASTER_SA_LIMIT', 'RULES'] as const satisfies readonly PolicyType[];
const MAX_OPERATIONS = 100_000;
const TOO_LONG = `from and to: the period has more than ${MAX_OPERATIONS} operations`;
/** In one process: the usage of each sender is kept in memory, and twenty at once were more than a pod has. */
const MOST_AT_ONCE = { ofAccount: 2, inAll: 6 };
const RETRY_AFTER_SECONDS = 5;
const PAGE = 100;
/** What a page takes, at most, while it waits for nothing. */
const PAGE_BYTES = 65_536;
const NO_ID = '00000000-0000-0000-0000-000000000000';

class BackTestDto {
  @ApiProperty({ enum: TESTABLE })
  @IsIn(TESTABLE)
  policyType!: (typeof TESTABLE)[number];

  @DescribesPolicyData()
  @IsObject()
  policyData!: object;

  @ApiProperty({ description: 'UTC, inclusive.', example: '2026-01-01' })
  @IsTime()
  @IsString()
  from!: string;

  @ApiPropertyOptional({ description: 'UTC, exclusive; now where it is left out.' })
  @IsTime()
  @IsString()
  @IfSent()
  to?: string;
}

class SenderResultView implements SenderResult {
  @ApiProperty(ADDRESS) readonly sender!: string;
  @ApiProperty({ type: 'integer', example: 9 }) readonly operations!: number;
  @ApiProperty({ type: 'integer', example: 7 }) readonly refused!: number;
}

class BackTestView implements BackTestResult {
  @ApiProperty({ type: 'integer', example: 120, description: 'Granted in the period.' }) readonly operations!: number;
  @ApiProperty({ type: 'integer', example: 7, description: 'Of these, the draft would have refused.' })
  readonly refused!: number;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { SPENDING_LIMIT_REACHED: 7 } })
  readonly refusedByReason!: Readonly<Record<string, number>>;
  @ApiProperty({ type: [SenderResultView], description: 'Those refused most, at most 100.' })
  readonly senders!: readonly SenderResult[];
  @ApiProperty({
    type: [String],
    example: ['maxFeePercentOfBaseFee'],
    description: 'Parts of the draft that look at facts which are not kept.',
  })
  readonly notEvaluated!: readonly string[];
}

/** Tries a policy on the past before it is put in force. */
@ApiController('paymaster policies', 'paymaster-policy')
export class BackTestsController {
  /** The accounts whose back-tests they are. */
  private readonly underWay: string[] = [];

  constructor(
    private readonly operations: OperationsRepository,
    private readonly parser: PolicyDataParser,
    private readonly turns: AccountTurns,
  ) {}

  @Post('back-test')
  @TakesTurns('itself')
  @Authenticated()
  @AnswersWith({
    operationId: 'backTestPolicy',
    summary: 'Show what a draft would have refused in a period, and whom',
    data: BackTestView,
    message: 'Back-test done',
    refusals: [new InvalidBodyError(TOO_LONG)],
  })
  async run(
    @CurrentPaymaster() paymaster: Paymaster,
    @Body() body: BackTestDto,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<BackTestView> {
    const { policyType, policyData } = body;
    const content = this.parser.parse({ policyType, policyData, where: 'policyData' });
    const draft = { id: NO_ID, paymasterId: paymaster.id, createdBy: NO_ID, name: 'draft', active: true, ...content };
    const test = new BackTest(toSponsorshipPolicy(draft as Policy));
    const { from = new Date(0), to = new Date() } = periodOf(body);
    if (from >= to) throw new InvalidBodyError('from must be before to');
    const { id: paymasterId, accountId } = paymaster;
    const own = this.underWay.filter((each) => each === accountId);
    if (own.length >= MOST_AT_ONCE.ofAccount) throw new TooManyRequestsError(RETRY_AFTER_SECONDS);
    if (this.underWay.length >= MOST_AT_ONCE.inAll) throw new ServiceUnavailableException();
    this.underWay.push(accountId);
    try {
      await this.addPast(test, { paymasterId, from, to }, { accountId, bytes: PAGE_BYTES, response: raw });
    } finally {
      this.underWay.splice(this.underWay.indexOf(accountId), 1);
    }
    return test.result();
  }

  /** @throws {InvalidBodyError} when there are more than fit into one back-test */
  private async addPast(
    test: BackTest,
    period: Parameters<OperationsRepository['past']>[0],
    turn: TurnRequest,
  ): Promise<void> {
    let left = MAX_OPERATIONS;
    let done: (bytes: number) => void = await this.turns.begin(turn);
    try {
      for await (const page of this.operations.past(period, PAGE)) {
        left -= page.length;
        if (left < 0) throw new InvalidBodyError(TOO_LONG);
        page.forEach((operation) => test.add(operation));
        done(0);
        done = () => undefined;
        done = await this.turns.begin(turn);
      }
    } finally {
      done(0);
    }
  }
}
