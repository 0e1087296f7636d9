import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import {
  DependencyUnavailableError,
  InvalidApiKeyError,
  InvalidParamsError,
  SimulationFailedError,
} from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import {
  GatewayResponder,
  indexKeysOf,
  MessageAuthenticator,
  type AskedFor,
  type GatewayReply,
} from '@paymaster/messaging';
import { PriceUnavailableError } from '@paymaster/pricing';
import type { OpenedSigners } from '@paymaster/signers';
import type { Logger } from 'pino';
import { LEDGER } from '../chains/open-gateway-ledger';
import { ServedChains, SIGNERS } from '../chains/served-chains';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { APP_LOGGER } from '../platform/logging/app-logger';
import { Operations } from '../wire/operations/operations.service';
import { PolicySnapshots } from '../snapshots/policy-snapshots.service';
import { explainForOwner } from './explain-for-owner';
import { servedChainsNow } from './served-chains-now';
import { limitsInUse } from './limits-in-use';
import { spendableOfWallets } from './spendable-of-wallets';
import { tokenPrices } from './token-prices';

/** Answers the questions of owners that only a gateway can answer; the dashboard passes them on. */
@Injectable()
export class OwnerQuestions implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly responder: GatewayResponder;

  constructor(
    config: PaymasterRpcConfig,
    chains: ServedChains,
    snapshots: PolicySnapshots,
    operations: Operations,
    @Inject(LEDGER) ledger: Pick<Ledger, 'peek' | 'cursor' | 'spendableWei'>,
    @Inject(SIGNERS) signers: OpenedSigners,
    @Inject(APP_LOGGER) private readonly logger: Logger,
  ) {
    this.responder = new GatewayResponder({
      nats: config,
      name: 'paymaster-rpc questions',
      authenticator: new MessageAuthenticator(indexKeysOf(config)),
      handlers: {
        explain: (question, asked) => explainForOwner({ chains, snapshots, operations }, question, asked),
        limits: (question) => limitsInUse({ chains, ledger }, question),
        prices: (question, asked) => tokenPrices({ chains, snapshots, ledger }, question, asked),
        chains: () => servedChainsNow({ chains, ledger, signers: signers.set }),
        wallets: (question) => spendableOfWallets({ chains, ledger }, question),
      },
      onError: (error, asked) => this.replyTo(error, asked),
    });
  }

  onApplicationBootstrap(): void {
    this.responder.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.responder.close();
  }

  private replyTo(error: unknown, { requestId }: AskedFor): GatewayReply {
    if (isAboutTheQuestion(error)) return { refused: { reason: error.reason, message: error.message } };
    if (error instanceof DependencyUnavailableError || error instanceof PriceUnavailableError) {
      return { failed: error.message };
    }
    this.logger.error({ requestId, err: error }, 'a question of an owner failed');
    return { failed: 'the gateway failed' };
  }
}

function isAboutTheQuestion(error: unknown): error is InvalidParamsError | InvalidApiKeyError | SimulationFailedError {
  return [InvalidParamsError, InvalidApiKeyError, SimulationFailedError].some((each) => error instanceof each);
}
