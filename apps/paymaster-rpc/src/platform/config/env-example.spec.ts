import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEnvExample } from '@paymaster/nest-kit';
import { PaymasterRpcConfig } from './paymaster-rpc.config';

describe('.env.example', () => {
  it('describes exactly the variables of this app', () => {
    const text = readFileSync(join(__dirname, '../../../../../.env.example'), 'utf8');
    expect(checkEnvExample({ text, section: 'paymaster-rpc', configClass: PaymasterRpcConfig })).toEqual([]);
  });
});
