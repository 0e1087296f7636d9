import { Body, Get, Param, Patch } from '@nestjs/common';
import type { Account } from '../../access/accounts/account';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentAccount, CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import { InvalidSignatureError, UserNotFoundError } from '../../platform/http/dashboard-errors';
import { InterfaceRow } from '../../platform/http/interface-row';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { FundedPaymasterView } from '../paymasters/paymaster.view';
import { FundingMessageView } from './funding-message.view';
import { FundingService } from './funding.service';
import { UpdateFundingWalletDto } from './update-funding-wallet.dto';

/** A new message ends the one before: callers who may only read would keep others from linking a wallet. */
const ENDS_THE_MESSAGE_BEFORE = { needs: 'write' } as const;

@ApiController('funding wallet')
export class FundingController {
  constructor(private readonly funding: FundingService) {}

  /** Operation 6a; the apiKey names the paymaster. */
  @Get('funding-message')
  @InterfaceRow()
  @Authenticated(ENDS_THE_MESSAGE_BEFORE)
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
  @Authenticated(ENDS_THE_MESSAGE_BEFORE)
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
  updateWallet(@CurrentEditor() editor: Editor, @Body() body: UpdateFundingWalletDto): Promise<FundedPaymasterView> {
    return this.funding.updateWallet(editor, body);
  }
}
