import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEnvExample } from '@paymaster/nest-kit';
import { DashboardConfig } from './dashboard.config';

describe('.env.example', () => {
  it('describes exactly the variables of this app', () => {
    const text = readFileSync(join(__dirname, '../../../../../.env.example'), 'utf8');
    expect(checkEnvExample({ text, section: 'dashboard', configClass: DashboardConfig })).toEqual([]);
  });
});
