import { Module } from '@nestjs/common';
import { AnswersModule } from '../answers/answers.module';
import { ChainsModule } from '../chains/chains.module';
import { SignModule } from '../sign/sign.module';
import { Bundling } from './bundling.service';
import { SentOperations } from './sent-operations';

/** Sends operations of clients to bundlers and follows them. The bundlers themselves are in `chains`. */
@Module({
  imports: [AnswersModule, ChainsModule, SignModule],
  providers: [Bundling, SentOperations],
  exports: [Bundling, SentOperations],
})
export class BundlersModule {}
