import { Inject, Injectable } from '@nestjs/common';
import { SponsorshipRefusedError } from '@paymaster/domain';
import { amountIn } from '@paymaster/policy';
import type { DecisionQuestion, WebhookData } from '../webhooks/decision-question';
import type { DecisionWebhooks } from '../webhooks/decision-webhooks.service';
import { turnTaker } from '../limits/in-turn';
import type { Judgement, SponsorRequest } from './judge-operation.service';
import { microUsdPerNativeIfKnown } from '../../chains/native-price';
import type { AllowingVerdict } from '../facts/owner-policies.service';

/** How owners' servers are asked; null where the operator has not set up the signing key of webhooks. */
export const DECISION_WEBHOOKS = Symbol('DECISION_WEBHOOKS');

/** Asks the owner's servers about an operation that everything else allows, before anything is held. */
@Injectable()
export class OwnerDecisions {
  constructor(@Inject(DECISION_WEBHOOKS) private readonly webhooks: Pick<DecisionWebhooks, 'confirm'> | null) {}

  /**
   * @returns the verdict, with the servers' answers in its trace
   * @throws {SponsorshipRefusedError} WEBHOOK_REFUSED, WEBHOOK_FAILED
   * @throws {InvalidParamsError} naming data that is too long for a server that is asked by GET
   */
  async confirm({ caller, webhookData }: SponsorRequest, judgement: Judgement): Promise<AllowingVerdict> {
    const { policy } = caller.paymaster;
    const { claims: verdict } = judgement;
    const { webhooks } = policy.policies;
    if (webhooks.length === 0) return verdict;
    if (!this.webhooks) throw notSetUp(verdict);
    const question = questionOf(judgement, { webhookData, microUsdPerNative: microUsdPerNativeIfKnown(caller.chain) });
    const span = caller.span.call('decision webhooks');
    try {
      const asking = this.webhooks.confirm({
        ...turnTaker(caller),
        ...{ webhooks, question, traceparent: span.traceparent, deadlineMs: caller.deadlineMs },
      });
      return { ...verdict, trace: [...verdict.trace, ...(await span.until(asking))] };
    } catch (error) {
      throw error instanceof SponsorshipRefusedError ? withTrace(error, verdict) : error;
    }
  }
}

function questionOf(
  { facts: { decoded }, limits: { operation }, cost: { prechargeWei } }: Judgement,
  { webhookData, microUsdPerNative }: { webhookData: WebhookData | undefined; microUsdPerNative: bigint | undefined },
): DecisionQuestion {
  const price = microUsdPerNative === undefined ? {} : { microUsdPerNative };
  return {
    webhookData,
    operation,
    calls: decoded.understood ? decoded.calls : [],
    prechargeWei,
    prechargeMicroUsd: amountIn('microUsd', { prechargeWei, ...price }),
  };
}

/** Fails closed: without the signing key, an operation is refused if its owner wants to be asked. */
function notSetUp({ trace }: AllowingVerdict): SponsorshipRefusedError {
  const line = { rule: 'webhook', input: 'webhooks are not set up here', outcome: 'refuse' as const };
  const message = "The paymaster's webhook could not be asked: webhooks are not set up at this gateway";
  return new SponsorshipRefusedError('WEBHOOK_FAILED', message, [...trace, line]);
}

function withTrace(error: SponsorshipRefusedError, { trace }: AllowingVerdict): SponsorshipRefusedError {
  return new SponsorshipRefusedError(error.reason, error.message, [...trace, ...error.trace], { ...error.details });
}
