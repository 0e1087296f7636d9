import { Module } from '@nestjs/common';
import { ChainsModule } from '../chains/chains.module';
import { DecideModule } from '../decide/decide.module';
import { HoldModule } from '../hold/hold.module';
import { SignModule } from '../sign/sign.module';
import { ExplainOperation } from './explain-operation.service';
import { PayInToken } from './pay-in-token.service';
import { QuoteUserOperation } from './quote-user-operation.service';
import { SignWhenSent } from './sign-when-sent.service';
import { SponsorUserOperation } from './sponsor-user-operation.service';
import { StubSponsorship } from './stub-sponsorship.service';
import { StubTokenPayment } from './stub-token-payment.service';

const USE_CASES = [
  ExplainOperation,
  PayInToken,
  QuoteUserOperation,
  SignWhenSent,
  SponsorUserOperation,
  StubSponsorship,
  StubTokenPayment,
];

@Module({ imports: [ChainsModule, DecideModule, HoldModule, SignModule], providers: USE_CASES, exports: USE_CASES })
export class AnswersModule {}
