import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { normalizeAddress } from '@paymaster/domain';
import type { Account } from '../../access/accounts/account';
import { SupportedChains } from '../../platform/chains/supported-chains';
import { DashboardConfig } from '../../platform/config/dashboard.config';
import { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import type { Editor } from '../../access/callers/caller';
import { InvalidSignatureError, UserNotFoundError } from '../../platform/http/dashboard-errors';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { toPaymasterView, type FundedPaymasterView } from '../paymasters/paymaster.view';
import { PaymastersRepository } from '../../access/paymasters/paymasters.repository';
import { PolicyWriter } from '../policy-changes/policy-writer';
import type { FundingMessage } from './funding-message';
import { fundingMessageText } from './funding-message.text';
import type { FundingMessageView } from './funding-message.view';
import { FundingMessagesRepository } from './funding-messages.repository';
import { recoverSigner } from '../../platform/crypto/recover-signer';
import type { UpdateFundingWalletDto } from './update-funding-wallet.dto';

/** Operations 6a and 6b: a wallet agrees, by signing a message, that its gas deposit pays for a paymaster. */
@Injectable()
export class FundingService {
  constructor(
    private readonly messages: FundingMessagesRepository,
    private readonly paymasters: PaymastersRepository,
    private readonly policies: PolicyWriter,
    private readonly chains: SupportedChains,
    private readonly vault: ApiKeyVault,
    @Inject(DashboardConfig) private readonly config: Pick<DashboardConfig, 'fundingMessageTtlSeconds'>,
  ) {}

  /**
   * A new message; the one before dies.
   *
   * @param paymasterId the id in the path, when there is one
   * @throws {UserNotFoundError} when the id is not that of the apiKey's paymaster
   */
  async issueMessage(account: Account, paymaster: Paymaster, paymasterId = paymaster.id): Promise<FundingMessageView> {
    assertNames(paymasterId, paymaster);
    const message = this.composeMessage(account, paymaster);
    await this.messages.replace(message);
    return { fundingMessage: message.message, paymasterId: paymaster.id };
  }

  /**
   * Makes the signer of the latest message the funding wallet.
   *
   * @throws {UserNotFoundError} when the id is not that of the apiKey's paymaster
   * @throws {InvalidSignatureError} when the signature is not one of the latest message, in time, by that address
   */
  async updateWallet({ paymaster, actor }: Editor, request: UpdateFundingWalletDto): Promise<FundedPaymasterView> {
    assertNames(request.paymasterId, paymaster);
    const wallet = normalizeAddress(request.address);
    const message = await this.messages.find(paymaster.id);
    if (!message || message.expiresAt <= new Date()) throw new InvalidSignatureError();
    if (recoverSigner(message.message, request.signature) !== wallet) throw new InvalidSignatureError();

    await this.policies.write({ paymasterId: paymaster.id, actor }, async ({ manager, record }) => {
      if (!(await this.messages.consume(manager, message))) throw new InvalidSignatureError();
      const { fundingWallet } = await this.paymasters.get(manager, paymaster.id);
      await this.paymasters.update(manager, paymaster.id, { fundingWallet: wallet });
      record({
        subject: 'fundingWallet',
        subjectId: paymaster.id,
        before: { fundingWallet },
        after: { fundingWallet: wallet },
      });
    });
    return { ...toPaymasterView(paymaster, this.vault), paymasterId: paymaster.id };
  }

  private composeMessage(account: Account, paymaster: Paymaster): FundingMessage {
    const issuedAt = new Date();
    const expiresAt = new Date(issuedAt.getTime() + this.config.fundingMessageTtlSeconds * 1_000);
    const message = fundingMessageText({
      paymasterName: paymaster.name,
      paymasterId: paymaster.id,
      accountName: account.name,
      chainName: this.chains.nameOf(paymaster.chainId),
      chainId: paymaster.chainId,
      issuedAt,
      expiresAt,
      nonce: randomBytes(16).toString('hex'),
    });
    return { paymasterId: paymaster.id, message, issuedAt, expiresAt };
  }
}

/** UUIDs are read in any case (RFC 9562, section 4) and written in lower case. @throws {UserNotFoundError} */
function assertNames(paymasterId: string, paymaster: Paymaster): void {
  if (paymasterId.toLowerCase() !== paymaster.id) throw new UserNotFoundError();
}
