import { Controller, Inject, Logger } from '@nestjs/common';
import { Ctx, MessagePattern, NatsContext, Payload, RpcException } from '@nestjs/microservices';
import {
  MAX_OTHER_INDEXES,
  MessageAuthenticator,
  REQUEST_ID_HEADER,
  SUBJECTS,
  toMessage,
  TRACEPARENT_HEADER,
  type PolicyNewsQuestion,
  type PolicyNewsReply,
  type ResolvePolicyQuestion,
  type ResolvePolicyReply,
  type SignedReply,
  type SignedText,
} from '@paymaster/messaging';
import { ApiExcludeController } from '@nestjs/swagger';
import { TRACER } from '@paymaster/nest-kit';
import type { Span, Tracer } from '@paymaster/tracing';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';

/** Answers the gateways' question for a policy. A question that cannot be answered is an error, never "not found". */
@ApiExcludeController()
@Controller()
export class PolicyResolverController {
  private readonly logger = new Logger(PolicyResolverController.name);

  constructor(
    private readonly snapshots: PolicySnapshotsRepository,
    private readonly authenticator: MessageAuthenticator,
    @Inject(TRACER) private readonly tracer: Tracer,
  ) {}

  @MessagePattern(SUBJECTS.policyResolve)
  async resolve(@Payload() question: ResolvePolicyQuestion, @Ctx() context: NatsContext): Promise<SignedReply> {
    if (!isAnswerable(question)) throw new RpcException('not a policy request');
    const span = this.tracer.serve('policy.resolve', headerOf(context, TRACEPARENT_HEADER));
    const reply = await span.until(this.replyTo(question, { context, span }));
    return this.authenticator.signReply(question, JSON.stringify(reply));
  }

  /** Answers a gateway that confirms all its copies at once. */
  @MessagePattern(SUBJECTS.policyNews)
  async news(@Payload() question: SignedText): Promise<SignedText> {
    const body = this.authenticator.openQuestion(SUBJECTS.policyNews, question);
    if (body === undefined) throw new RpcException('not a question of a gateway');
    const reply = await this.newsSince((JSON.parse(body) as PolicyNewsQuestion).since);
    return this.authenticator.signAnswer(question, JSON.stringify(reply));
  }

  private async newsSince(since: number | undefined): Promise<PolicyNewsReply> {
    try {
      return await this.snapshots.news(since);
    } catch (error) {
      const problem = error instanceof Error ? error.message : 'unknown';
      this.logger.error({ problem }, 'changes of policies could not be read');
      return { failed: 'the changes of policies cannot be read now' };
    }
  }

  private async replyTo(
    question: ResolvePolicyQuestion,
    { context, span }: { context: NatsContext; span: Span },
  ): Promise<ResolvePolicyReply> {
    const requestId = headerOf(context, REQUEST_ID_HEADER);
    try {
      const { chainId, apiKeyIndex, otherIndexes = [], namedKeys, suspensions, known } = question;
      const understood = { namedKeys: namedKeys === true, suspensions: suspensions === true };
      const key = { chainId, indexes: [apiKeyIndex, ...otherIndexes], ...understood };
      const unchanged = known && (await postgres(span, 'version').until(this.snapshots.confirm({ ...key, known })));
      const resolved = unchanged ? null : await postgres(span, 'snapshot').until(this.snapshots.find(key));
      // Ties a sponsored request's id in the gateway's log to this process; never the index, which stands for a key.
      const found = Boolean(unchanged ?? resolved);
      this.logger.log({ requestId, chainId, found }, 'a policy was resolved');
      const paymasterId = unchanged ? known?.paymasterId : resolved?.policy.paymasterId;
      if (span.isRecording) describe(span, { requestId, chainId, paymasterId });
      if (known && unchanged) return { found: true, unchanged: known, ...unchanged };
      if (!resolved) return { found: false };
      return { found: true, snapshot: toMessage(resolved.policy), lasting: resolved.lasting };
    } catch (error) {
      const problem = error instanceof Error ? error.message : 'unknown';
      this.logger.error({ requestId, problem }, 'a policy could not be read');
      span.failed(error);
      return { failed: 'the policy cannot be read now' };
    }
  }
}

function isAnswerable(question: unknown): question is ResolvePolicyQuestion {
  const { chainId, apiKeyIndex, otherIndexes, nonce, known } = (question ?? {}) as Partial<ResolvePolicyQuestion>;
  if (typeof nonce !== 'string' || !/^[0-9a-f]{1,64}$/.test(nonce)) return false;
  if (known !== undefined && !(typeof known?.paymasterId === 'string' && Number.isSafeInteger(known.version)))
    return false;
  if (otherIndexes !== undefined && !areOtherIndexes(otherIndexes)) return false;
  return Number.isSafeInteger(chainId) && isIndex(apiKeyIndex);
}

function areOtherIndexes(value: unknown): boolean {
  return Array.isArray(value) && value.length <= MAX_OTHER_INDEXES && value.every(isIndex);
}

function isIndex(value: unknown): boolean {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
}

function headerOf(context: NatsContext, name: string): string | undefined {
  const headers = context.getHeaders() as { get?(name: string): string } | undefined;
  return headers?.get?.(name);
}

/** An unknown key has no paymaster. */
function describe(
  span: Span,
  { requestId, chainId, paymasterId }: { requestId: string | undefined; chainId: number; paymasterId?: string },
): void {
  if (requestId !== undefined) span.set('request.id', requestId);
  span.set('chain.id', chainId);
  span.set('outcome', paymasterId === undefined ? 'unknown key' : 'found');
  if (paymasterId !== undefined) span.set('paymaster.id', paymasterId);
}

/** A read of the database: what of it, never the statement's values. */
function postgres(span: Span, what: 'version' | 'snapshot'): Span {
  const read = span.call(`postgres policy ${what}`);
  read.set('db.system.name', 'postgresql');
  return read;
}
