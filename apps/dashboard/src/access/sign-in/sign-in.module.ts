import { Module } from '@nestjs/common';
import { ChainsModule } from '../../platform/chains/chains.module';
import { MembersModule } from '../members/members.module';
import { PersonService } from './person.service';
import { SessionsController } from './sessions.controller';
import { SignInController } from './sign-in.controller';
import { SignInNonces } from './sign-in-nonces';
import { SignInService } from './sign-in.service';
import { WalletSignatures } from './wallet-signatures';

@Module({
  imports: [ChainsModule, MembersModule],
  controllers: [SignInController, SessionsController],
  providers: [PersonService, SignInNonces, SignInService, WalletSignatures],
})
export class SignInModule {}
