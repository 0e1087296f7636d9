import { Module } from '@nestjs/common';
import { AuditModule } from '../../platform/audit/audit.module';
import { ChainsModule } from '../../platform/chains/chains.module';
import { CryptoModule } from '../../platform/crypto/crypto.module';
import { MembersModule } from '../members/members.module';
import { MailModule } from '../../platform/mail/mail.module';
import { MailAddressController } from './mail-address.controller';
import { MailAddressesRepository } from './mail-addresses.repository';
import { MailSignIn } from './mail-sign-in.service';
import { PasskeyProofs } from './passkey-proofs';
import { PasskeysController } from './passkeys.controller';
import { PasskeysRepository } from './passkeys.repository';
import { PasskeysService } from './passkeys.service';
import { PersonService } from './person.service';
import { SecondFactorController } from './second-factor.controller';
import { SecondFactorService } from './second-factor.service';
import { SessionsController } from './sessions.controller';
import { SignInController } from './sign-in.controller';
import { SignInNonces } from './sign-in-nonces';
import { SignInService } from './sign-in.service';
import { WalletSignatures } from './wallet-signatures';

@Module({
  imports: [AuditModule, ChainsModule, CryptoModule, MailModule, MembersModule],
  controllers: [
    ...[SignInController, SessionsController, PasskeysController, MailAddressController, SecondFactorController],
  ],
  providers: [
    ...[MailAddressesRepository, MailSignIn],
    ...[PasskeyProofs, PasskeysRepository, PasskeysService],
    ...[PersonService, SecondFactorService, SignInNonces, SignInService, WalletSignatures],
  ],
})
export class SignInModule {}
