import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { POLICY_REASONS } from './policy-reasons';

describe('POLICY_REASONS', () => {
  it('should be in the README, word for word', () => {
    const readme = readFileSync(join(__dirname, '../../README.md'), 'utf8').replace(/\s+/g, ' ');
    for (const [reason, sentence] of Object.entries(POLICY_REASONS)) {
      expect(readme).toContain(`| \`${reason}\` | ${sentence} |`);
    }
  });
});
