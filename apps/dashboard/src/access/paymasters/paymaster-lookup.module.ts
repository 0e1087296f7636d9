import { Module } from '@nestjs/common';
import { CryptoModule } from '../../platform/crypto/crypto.module';
import { PaymastersRepository } from './paymasters.repository';

/** Finding paymasters, for every feature that works on one. */
@Module({ imports: [CryptoModule], providers: [PaymastersRepository], exports: [PaymastersRepository] })
export class PaymasterLookupModule {}
