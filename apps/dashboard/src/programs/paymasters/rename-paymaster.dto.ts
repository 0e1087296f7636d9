import { Name } from '../../platform/fields/text-rules';

export class RenamePaymasterDto {
  @Name({ description: 'Unique for the chain id.', example: 'My dapp' })
  name!: string;
}
