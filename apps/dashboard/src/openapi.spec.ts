import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderOpenApi } from './http/render-openapi';

describe('docs/api/dashboard.openapi.json', () => {
  it('is what the code says (else: node dist/apps/dashboard/openapi.js docs/api/dashboard.openapi.json --write)', async () => {
    const file = join(__dirname, '../../../docs/api/dashboard.openapi.json');
    expect(JSON.parse(await renderOpenApi())).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });
});
