import { ApiProperty } from '@nestjs/swagger';
import type { ApiKeyVault } from '../../platform/crypto/api-key-vault';
import type { Paymaster } from '../../access/paymasters/paymaster';
import { CHAIN_ID } from '../../platform/fields/api-fields';

/** A paymaster as operations 1 and 2 show it. */
export class PaymasterView {
  @ApiProperty({ example: 'My dapp' }) readonly name!: string;
  @ApiProperty(CHAIN_ID) readonly chainId!: number;
  @ApiProperty({ example: 'vrTVKqTZI.7ea9dae1-9a06-4c17-a4fb-7728177b76d3' }) readonly apiKey!: string;
}

/** A paymaster as operation 6b shows it. */
export class FundedPaymasterView extends PaymasterView {
  @ApiProperty({ format: 'uuid' }) readonly paymasterId!: string;
}

export function toPaymasterView(paymaster: Omit<Paymaster, 'createdAt'>, vault: ApiKeyVault): PaymasterView {
  const apiKey = vault.decrypt(paymaster.apiKeyCiphertext, paymaster.id);
  return { name: paymaster.name, chainId: paymaster.chainId, apiKey };
}
