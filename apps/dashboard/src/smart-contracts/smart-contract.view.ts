import { ApiProperty } from '@nestjs/swagger';
import type { SmartContract } from './smart-contract';

/** A smart contract record (interface, "Smart contract record"). */
export class SmartContractView {
  @ApiProperty()
  readonly name!: string;

  @ApiProperty({ description: 'In lower case.' })
  readonly address!: string;

  @ApiProperty({ description: 'The text that was sent.' })
  readonly abi!: string;

  @ApiProperty({ type: [String] })
  readonly whitelistedMethods!: readonly string[];

  @ApiProperty({ type: [String], description: 'Names of the state-changing functions, in ABI order, once each.' })
  readonly methods!: readonly string[];
}

export function toSmartContractView(contract: SmartContract): SmartContractView {
  const { name, address, abi, whitelistedMethods, methods } = contract;
  return { name, address, abi, whitelistedMethods, methods };
}
