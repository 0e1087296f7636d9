import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DashboardError } from './dashboard-errors';
import { FRAMEWORK_REFUSALS, INVALID_REQUEST } from './error-envelope.filter';
import { ERROR_TABLE } from './error-table';

describe('docs/api/dashboard-errors.md', () => {
  it('lists every reason with its HTTP status', () => {
    const page = readFileSync(join(__dirname, '../../../../../docs/api/dashboard-errors.md'), 'utf8');
    const listed = [...page.matchAll(/^\| (\d{3}) \| `([A-Z_]+)` \| .+ \|$/gm)].map(
      ([, status, reason]) => `${status} ${reason}`,
    );
    const ours = ERROR_TABLE.map(([errorClass, { httpStatus }]) => {
      const { reason } = new (errorClass as new (...args: unknown[]) => DashboardError)('x');
      return `${httpStatus} ${reason}`;
    });
    const frameworks = Object.entries(FRAMEWORK_REFUSALS).map(([status, { reason }]) => `${status} ${reason}`);
    expect(listed.sort()).toEqual([...ours, ...frameworks, `400 ${INVALID_REQUEST}`].sort());
  });
});
