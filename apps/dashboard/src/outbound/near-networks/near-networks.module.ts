import { Module } from '@nestjs/common';
import { NearNetworks } from './near-networks.service';
import { NetworkOpener } from './network-opener';

@Module({ providers: [NearNetworks, NetworkOpener], exports: [NearNetworks, NetworkOpener] })
export class NearNetworksModule {}
