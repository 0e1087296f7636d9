import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '../../../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8').replace(/\s+/g, ' ');

/** The least and the greatest of the medians that the contracts' tests measured, over all EntryPoints. */
function overCharge(kind: string): string {
  const [, medians = ''] =
    new RegExp(`\\| ${kind}: median \\|([^%]*%(?: \\|[^%|]*%)*)`).exec(read('contracts/REPORT.md')) ?? [];
  const percentages = medians.split('|').map((median) => parseFloat(median));
  return `${Math.min(...percentages).toFixed(1)} to ${Math.max(...percentages).toFixed(1)} %`;
}

it.each(['apps/dashboard-web/src/screens/wallet/wallet-screen.tsx', 'docs/operations/install.md'])(
  '%s says how much stays in the contract, as it was measured',
  (path) => {
    expect(read(path)).toContain(`sually ${overCharge('usual operations')} of what is sponsored`);
    expect(read(path)).toContain(
      `and ${overCharge('token operations')} of what operations cost that are paid in tokens`,
    );
  },
);
