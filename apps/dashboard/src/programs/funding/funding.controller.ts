import { Body, Get, Param, Patch } from '@nestjs/common';
import type { Account } from '../../access/accounts/account';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import {
  CurrentAccount,
  CurrentEditor,
  CurrentPaymaster,
  CurrentRights,
  type Editor,
} from '../../access/callers/caller';
import { InvalidSignatureError, UserNotFoundError } from '../../platform/http/dashboard-errors';
import { InterfaceRow } from '../../platform/http/interface-row';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import type { Need } from '../../access/people/role';
import { FundedPaymasterView } from '../paymasters/paymaster.view';
import { FundingMessageView } from './funding-message.view';
import { FundingService } from './funding.service';
import { UpdateFundingWalletDto } from './update-funding-wallet.dto';

@ApiController('funding wallet')
export class FundingController {
  constructor(private readonly funding: FundingService) {}

  /** Operation 6a; the apiKey names the paymaster. */
  @Get('funding-message')
  @InterfaceRow()
  @Authenticated()
  @AnswersWith({
    operationId: 'getFundingMessage',
    summary: 'Get a funding message',
    data: FundingMessageView,
    message: 'Funding message sent',
  })
  issueMessage(
    @CurrentAccount() account: Account,
    @CurrentPaymaster() paymaster: Paymaster,
  ): Promise<FundingMessageView> {
    return this.funding.issueMessage(account, paymaster);
  }

  /** Operation 6a, as existing clients call it. */
  @Get('funding-message/:paymasterId')
  @InterfaceRow()
  @Authenticated()
  @AnswersWith({
    operationId: 'getFundingMessageOf',
    summary: 'Get a funding message for a paymaster id',
    data: FundingMessageView,
    message: 'Funding message sent',
  })
  issueMessageFor(
    @CurrentAccount() account: Account,
    @CurrentPaymaster() paymaster: Paymaster,
    @Param('paymasterId') paymasterId: string,
  ): Promise<FundingMessageView> {
    return this.funding.issueMessage(account, paymaster, paymasterId);
  }

  /** Operation 6b. */
  @Patch('paymaster')
  @InterfaceRow()
  @Authenticated({ unknownAuthToken: UserNotFoundError })
  @AnswersWith({
    operationId: 'updateFundingWallet',
    summary: 'Set the funding wallet',
    data: FundedPaymasterView,
    message: 'Paymaster updated successfully',
    refusals: [new InvalidSignatureError()],
  })
  async updateWallet(
    @CurrentEditor() editor: Editor,
    @CurrentRights() may: readonly Need[],
    @Body() body: UpdateFundingWalletDto,
  ): Promise<FundedPaymasterView | undefined> {
    const updated = await this.funding.updateWallet(editor, body);
    // The answer holds the API key.
    return may.includes('readSecrets') ? updated : undefined;
  }
}
