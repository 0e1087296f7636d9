import { Injectable } from '@nestjs/common';
import type { TokenFields } from '@paymaster/chain';
import { refusedAfter } from '@paymaster/domain';
import { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { Refusals } from '../decide/verdict/refusals.service';
import type { AskedOfWallet } from '../hold/client-ask';
import { Reservations } from '../hold/reservations.service';
import { DecisionLog } from '../decide/verdict/decision-log';
import { pickLimits } from '../decide/limits/gas-limits';
import { ownAnswerAfter } from '../decide/limits/own-answer';
import type { Sponsorship } from './sponsor-user-operation.service';
import { callsOf } from '../decide/rules/sponsorship-policy';
import { SponsorshipSigner } from '../sign/sponsorship-signer.service';
import { advisingApproval } from '../decide/tokens/advise-approval';
import { exposedClaims, inWordsOfTokenMode } from '../decide/tokens/exposed-claims';
import { judgePayment, type PaymentJudgement } from '../decide/tokens/judge-payment';
import type { TokenPaymentRequest } from '../decide/tokens/named-tokens';
import { payableIn } from '../decide/tokens/supported-token';

/** Decides on an operation whose sender pays in a token, and signs it if the payment is certain enough. */
@Injectable()
export class PayInToken {
  constructor(
    private readonly signer: SponsorshipSigner,
    private readonly reservations: Reservations,
    private readonly refusals: Refusals,
    private readonly config: PaymasterRpcConfig,
    private readonly log: DecisionLog,
  ) {}

  /**
   * Judge → reserve, with what may stay unpaid → sign (docs/architecture/token-mode.md, "The final call").
   *
   * @throws {InvalidParamsError} naming the field; TOKEN_MODE_NOT_ENABLED, TOKEN_NOT_SUPPORTED
   * @throws {SponsorshipRefusedError} when the policy says no, or the sender would not pay
   * @throws {FundingWalletError} when no wallet has the ether that the EntryPoint takes
   * @throws {PriceUnavailableError} when the token has no price
   * @throws {SimulationFailedError} when the operation would fail
   * @throws {DependencyUnavailableError} when the chain is halted or something needed is down
   */
  pay(request: TokenPaymentRequest): Promise<Sponsorship> {
    const token = { address: request.token, field: request.tokens.field };
    const decide = () => payableIn(token, advisingApproval(request, this.decide(request)));
    return this.refusals.watch(request, decide);
  }

  private async decide(request: TokenPaymentRequest): Promise<Sponsorship> {
    const { caller, account } = request;
    const judgement = await judgePayment(request, this.config);
    const { basis, payment, stub, trace } = judgement;
    const { operation, terms, prechargeWei } = payment;
    try {
      const reserve = (asked: AskedOfWallet) => this.reserve(request, { judgement, asked });
      await reserve(judgement.asked).catch(async (error: unknown) => {
        const ownTerms = { terms: { ...terms, stub }, sponsor: basis.sponsor };
        return reserve(await ownAnswerAfter(error, { caller, operation, account }, ownTerms));
      });
      return await this.sign(request, judgement);
    } catch (error) {
      throw refusedAfter({ trace, prechargeWei }, error);
    }
  }

  /** Holds the wallet's ether, its exposure and the rate, before the signature is given away. */
  private async reserve(
    request: TokenPaymentRequest,
    { judgement, asked }: { judgement: PaymentJudgement; asked: AskedOfWallet },
  ): Promise<void> {
    const { caller } = request;
    const { chain } = caller;
    const { paymasterId } = caller.paymaster.snapshot;
    const { basis, payment, trace, walletWei } = judgement;
    const { terms, operation, prechargeWei, price } = payment;
    const { validUntilSeconds } = judgement.validity;
    const { sender, nonce } = operation;
    const { paymaster } = terms;
    const span = caller.span.child('reserve');
    const held = this.reservations.hold({
      ...{ caller, mode: 'token', operation, terms, prechargeWei, asked, validUntilSeconds, trace, span },
      ...{ decoded: callsOf(request), exposure: exposedClaims(caller, payment, walletWei) },
      paidIn: { token: terms.token, rate: basis.rate },
    });
    await span.until(
      held.catch((error: unknown) => {
        throw inWordsOfTokenMode(error);
      }),
    );
    chain.tokens?.liveRates.remember({
      key: { paymasterId, paymaster, sender, nonce, token: terms.token.address },
      signed: price,
      ...{ validUntilSeconds, nowSeconds: chain.head.nowSeconds() },
    });
  }

  private async sign(
    { caller, permit }: TokenPaymentRequest,
    { basis, payment, validity }: PaymentJudgement,
  ): Promise<Sponsorship> {
    const { terms, operation, price, prechargeWei } = payment;
    const fields: TokenFields = {
      ...validity,
      fundingWallet: terms.fundingWallet,
      feeMarkupMillionths: terms.feeMarkupMillionths,
      unaccountedGas: terms.constants.unaccountedGas,
      way: terms.way,
      gasPercent: terms.constants.gasPercent,
      token: terms.token.address,
      exchangeRate: price.exchangeRate,
      premiumMillionths: price.premiumMillionths,
      feeReceiver: terms.feeReceiver,
      maxTokenChargeBaseUnits: price.maxChargeBaseUnits,
      ...(permit && { permit }),
    };
    const eip7702Delegate = basis.accountFacts?.eip7702Delegate;
    const data = await caller.span
      .child('sign')
      .until(this.signer.signTokenPayment({ operation, eip7702Delegate, terms, fields, caller }));
    caller.chain.accounts.signed(operation.sender);
    this.log.paidInToken({
      ...fields,
      ...{ caller, sender: operation.sender, entryPointVersion: operation.entryPointVersion, prechargeWei },
    });
    return { ...data, limits: pickLimits(operation) };
  }
}
