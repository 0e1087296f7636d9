import { Body, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { TakesTurns } from '../../access/callers/account-turns.interceptor';
import { Authenticated } from '../../access/callers/authenticated.decorator';
import { CurrentEditor, CurrentPaymaster, type Editor } from '../../access/callers/caller';
import {
  ChangedMeanwhileError,
  InvalidBodyError,
  SmartContractAddressExistsError,
  SmartContractNameExistsError,
  SmartContractNotFoundError,
} from '../../platform/http/dashboard-errors';
import { Answer } from '../../platform/http/envelope';
import { AnswersInPieces } from '../../access/callers/in-pieces.interceptor';
import { InterfaceRow } from '../../platform/http/interface-row';
import { AnswersWith } from '../../platform/http/openapi.decorators';
import { ApiController } from '../../platform/http/api-controller.decorator';
import { Flag, TolerantQuery } from '../../platform/http/query-rules';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { AbiAnswers } from './abi-answers';
import { CreateSmartContractDto, DeleteSmartContractDto, UpdateWhitelistDto } from './smart-contract.dto';
import { SmartContractView } from './smart-contract.view';
import { SmartContractsService } from './smart-contracts.service';

class ContractsQuery extends TolerantQuery {
  @Flag({ description: 'False: each `abi` is empty, so that the answer is short.' }) readonly abi: boolean = true;
}

@ApiController('smart contracts', 'smart-contract')
export class SmartContractsController {
  constructor(
    private readonly contracts: SmartContractsService,
    private readonly answers: AbiAnswers,
  ) {}

  /** Operation 3. */
  @Post()
  @InterfaceRow()
  @Authenticated()
  @AnswersWith({
    operationId: 'createSmartContract',
    summary: 'Register a smart contract',
    message: 'Smart contract registered successfully',
    warning:
      'There is no contract at 0xe31b0bcbda693bff2529f4a1d9f7e8f6d924c6ab on Sepolia now: check the address and the chain',
    refusals: [new SmartContractAddressExistsError(), new SmartContractNameExistsError()],
  })
  async create(@CurrentEditor() editor: Editor, @Body() body: CreateSmartContractDto): Promise<Answer> {
    const warnings = await this.contracts.create(editor, body);
    return new Answer({ ...(warnings.length > 0 && { warnings }) });
  }

  /** Operation 4. */
  @Get()
  @InterfaceRow()
  @Authenticated()
  @AnswersInPieces()
  @AnswersWith({
    operationId: 'listSmartContracts',
    summary: 'List smart contracts',
    data: [SmartContractView],
    message: 'Smart contract list fetched',
  })
  async list(
    @CurrentPaymaster() paymaster: Paymaster,
    @Query() { abi }: ContractsQuery,
    @Res({ passthrough: true }) { raw }: FastifyReply,
  ): Promise<SmartContractView[]> {
    if (!abi) return this.contracts.listWithoutAbis(paymaster);
    const list = await this.answers.give(raw, paymaster, () => this.contracts.list(paymaster));
    return list;
  }

  /** Operation 5. */
  @Patch()
  @TakesTurns('always')
  @InterfaceRow()
  @Authenticated({ unknownApiKey: SmartContractNotFoundError })
  @AnswersWith({
    operationId: 'updateWhitelistedMethods',
    summary: 'Replace the whitelisted methods of a smart contract',
    data: SmartContractView,
    message: 'Smart contract updated',
    refusals: [
      new InvalidBodyError('whitelistedMethods must be an array'),
      new ChangedMeanwhileError('whitelistedMethods'),
    ],
  })
  updateWhitelist(@CurrentEditor() editor: Editor, @Body() body: UpdateWhitelistDto): Promise<SmartContractView> {
    return this.contracts.updateWhitelist(editor, body);
  }

  /** Operation 7. */
  @Delete()
  @InterfaceRow()
  @Authenticated({ unknownApiKey: SmartContractNotFoundError })
  @AnswersWith({
    operationId: 'deleteSmartContract',
    summary: 'Delete a smart contract',
    message: 'Smart contract deleted',
  })
  delete(@CurrentEditor() editor: Editor, @Body() body: DeleteSmartContractDto): Promise<void> {
    return this.contracts.delete(editor, body);
  }
}
