import { Controller, Inject, Logger } from '@nestjs/common';
import { Ctx, MessagePattern, NatsContext, Payload, RpcException } from '@nestjs/microservices';
import {
  MessageAuthenticator,
  REQUEST_ID_HEADER,
  SUBJECTS,
  toMessage,
  type ResolvePolicyQuestion,
  type ResolvePolicyReply,
  type SignedReply,
} from '@paymaster/messaging';
import { ApiExcludeController } from '@nestjs/swagger';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';

/** Answers the gateways' question for a policy. A question that cannot be answered is an error, never "not found". */
@ApiExcludeController()
@Controller()
export class PolicyResolverController {
  private readonly logger = new Logger(PolicyResolverController.name);

  constructor(
    @Inject(PolicySnapshotsRepository) private readonly snapshots: PolicySnapshotsRepository,
    @Inject(MessageAuthenticator) private readonly authenticator: MessageAuthenticator,
  ) {}

  @MessagePattern(SUBJECTS.policyResolve)
  async resolve(@Payload() question: ResolvePolicyQuestion, @Ctx() context: NatsContext): Promise<SignedReply> {
    if (!isAnswerable(question)) throw new RpcException('not a policy request');
    const reply = await this.replyTo(question, context);
    return this.authenticator.signReply(question, JSON.stringify(reply));
  }

  private async replyTo(question: ResolvePolicyQuestion, context: NatsContext): Promise<ResolvePolicyReply> {
    try {
      const { chainId, apiKeyIndex, known } = question;
      const unchanged = known !== undefined && (await this.snapshots.isCurrent({ chainId, apiKeyIndex, known }));
      const snapshot = unchanged ? null : await this.snapshots.find(chainId, apiKeyIndex);
      // Ties a sponsored request's id in the gateway's log to this process; never the index, which stands for a key.
      const found = unchanged || snapshot !== null;
      this.logger.log({ requestId: requestIdOf(context), chainId, found }, 'a policy was resolved');
      if (unchanged) return { found: true, unchanged: known };
      return snapshot ? { found: true, snapshot: toMessage(snapshot) } : { found: false };
    } catch (error) {
      const problem = error instanceof Error ? error.message : 'unknown';
      this.logger.error({ requestId: requestIdOf(context), problem }, 'a policy could not be read');
      return { failed: 'the policy cannot be read now' };
    }
  }
}

function isAnswerable(question: unknown): question is ResolvePolicyQuestion {
  const { chainId, apiKeyIndex, nonce, known } = (question ?? {}) as Partial<ResolvePolicyQuestion>;
  if (typeof nonce !== 'string' || !/^[0-9a-f]{1,64}$/.test(nonce)) return false;
  if (known !== undefined && !(typeof known?.paymasterId === 'string' && Number.isSafeInteger(known.version)))
    return false;
  return Number.isSafeInteger(chainId) && typeof apiKeyIndex === 'string' && /^[0-9a-f]{64}$/.test(apiKeyIndex);
}

function requestIdOf(context: NatsContext): string | undefined {
  const headers = context.getHeaders() as { get?(name: string): string } | undefined;
  return headers?.get?.(REQUEST_ID_HEADER);
}
