import { createHash } from 'node:crypto';
import { ApiProperty } from '@nestjs/swagger';
import type { RecordedChange } from '../policy-changes/policy-writer';
import type { SmartContract } from './smart-contract';
import { ABI_EXAMPLE, ADDRESS, METHODS } from '../../platform/fields/api-fields';

/** A smart contract record (interface, "Smart contract record"). */
export class SmartContractView {
  @ApiProperty({ example: 'Shop' }) readonly name!: string;
  @ApiProperty({ ...ADDRESS, description: 'In lower case.' }) readonly address!: string;
  @ApiProperty({ description: 'The text that was sent, or that of the list or file that was.', example: ABI_EXAMPLE })
  readonly abi!: string;
  @ApiProperty(METHODS) readonly whitelistedMethods!: readonly string[];
  @ApiProperty({ ...METHODS, description: 'Names of the state-changing functions, in ABI order, once each.' })
  readonly methods!: readonly string[];
}

export function toSmartContractView(contract: Pick<SmartContract, keyof SmartContractView>): SmartContractView {
  const { name, address, abi, whitelistedMethods, methods } = contract;
  return { name, address, abi, whitelistedMethods, methods };
}

/** A contract in the audit log, where one of both is there. ABIs are long, and a hash of them tells two apart. */
export function toContractChange(before: SmartContract, after: SmartContract | null): RecordedChange;
export function toContractChange(before: null, after: SmartContract): RecordedChange;
export function toContractChange(before: SmartContract | null, after: SmartContract | null): RecordedChange {
  const subjectId = (before ?? after)?.address ?? '';
  return { subject: 'contract', subjectId, before: before && toLogged(before), after: after && toLogged(after) };
}

function toLogged({ name, address, abi, whitelistedMethods }: SmartContract): object {
  const abiSha256 = createHash('sha256').update(abi, 'utf8').digest('hex');
  return { name, address, abiSha256, whitelistedMethods };
}
