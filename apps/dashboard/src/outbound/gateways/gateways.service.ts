import { randomUUID } from 'node:crypto';
import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { DependencyUnavailableError } from '@paymaster/domain';
import {
  GatewayClient,
  GatewayRefusedError,
  MessageAuthenticator,
  type GatewayAnswers,
  type GatewayQuestionKind,
  type GatewayQuestions,
} from '@paymaster/messaging';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { GatewayUnavailableError, InvalidBodyError } from '../../platform/http/dashboard-errors';

/** Asks gateways for what only they know: explanations, limits in use, prices (docs/adr/0007). */
@Injectable()
export class Gateways implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly client: GatewayClient;

  constructor(config: DashboardConfig, authenticator: MessageAuthenticator) {
    this.client = new GatewayClient({ nats: config, name: 'dashboard questions', authenticator });
  }

  onApplicationBootstrap(): void {
    this.client.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.client.close();
  }

  /** @throws {GatewayUnavailableError} {@link InvalidBodyError} when the gateway says that what was asked is wrong */
  async ask<Kind extends GatewayQuestionKind>(
    kind: Kind,
    question: GatewayQuestions[Kind],
  ): Promise<GatewayAnswers[Kind]> {
    try {
      return await this.client.ask(kind, question, randomUUID());
    } catch (error) {
      if (error instanceof GatewayRefusedError) throw new InvalidBodyError(error.message);
      if (error instanceof DependencyUnavailableError) throw new GatewayUnavailableError({ cause: error });
      throw error;
    }
  }
}
