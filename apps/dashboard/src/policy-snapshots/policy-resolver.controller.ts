import { Controller, Inject, Logger } from '@nestjs/common';
import { Ctx, MessagePattern, NatsContext, Payload, RpcException } from '@nestjs/microservices';
import {
  REQUEST_ID_HEADER,
  SUBJECTS,
  toMessage,
  type ResolvePolicyReply,
  type ResolvePolicyRequest,
} from '@paymaster/messaging';
import { ApiExcludeController } from '@nestjs/swagger';
import { PolicySnapshotsRepository } from './policy-snapshots.repository';

/** Answers the gateways' question for a policy. A question that cannot be answered is an error, never "not found". */
@ApiExcludeController()
@Controller()
export class PolicyResolverController {
  private readonly logger = new Logger(PolicyResolverController.name);

  constructor(@Inject(PolicySnapshotsRepository) private readonly snapshots: PolicySnapshotsRepository) {}

  @MessagePattern(SUBJECTS.policyResolve)
  async resolve(@Payload() request: ResolvePolicyRequest, @Ctx() context: NatsContext): Promise<ResolvePolicyReply> {
    if (!isAnswerable(request)) throw new RpcException('not a policy request');
    try {
      const snapshot = await this.snapshots.find(request.chainId, request.apiKeyIndex);
      return snapshot ? { found: true, snapshot: toMessage(snapshot) } : { found: false };
    } catch (error) {
      const problem = error instanceof Error ? error.message : 'unknown';
      this.logger.error({ requestId: requestIdOf(context), problem }, 'a policy could not be read');
      throw new RpcException('the policy cannot be read now');
    }
  }
}

function isAnswerable(request: unknown): request is ResolvePolicyRequest {
  const { chainId, apiKeyIndex } = (request ?? {}) as Partial<ResolvePolicyRequest>;
  return Number.isSafeInteger(chainId) && typeof apiKeyIndex === 'string' && /^[0-9a-f]{64}$/.test(apiKeyIndex);
}

function requestIdOf(context: NatsContext): string | undefined {
  const headers = context.getHeaders() as { get?(name: string): string } | undefined;
  return headers?.get?.(REQUEST_ID_HEADER);
}
