import { Module } from '@nestjs/common';
import { ApiKeyVault } from './api-key-vault';

@Module({ providers: [ApiKeyVault], exports: [ApiKeyVault] })
export class CryptoModule {}
