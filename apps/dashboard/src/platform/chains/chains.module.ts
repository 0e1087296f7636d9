import { Module } from '@nestjs/common';
import { SupportedChains } from './supported-chains';

@Module({ providers: [SupportedChains], exports: [SupportedChains] })
export class ChainsModule {}
