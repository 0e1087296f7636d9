import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordCalls } from './record-calls';
import { recordRefusals } from './record-refusals';

const FILE = join(__dirname, '../../wire/open-rpc/generated/open-rpc-examples.json');

describe('the examples of the OpenRPC document', () => {
  it('are what the methods answer and the error table renders', async () => {
    const recorded = { calls: await recordCalls(), refusals: await recordRefusals() };
    const text = `${JSON.stringify(recorded, null, 2)}\n`;
    // RECORD=1 npx jest -c apps/paymaster-rpc/jest.config.cts open-rpc-examples
    if (process.env['RECORD']) writeFileSync(FILE, text);
    expect(readFileSync(FILE, 'utf8')).toBe(text);
  });
});
