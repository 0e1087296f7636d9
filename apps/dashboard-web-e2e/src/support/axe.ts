import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { atRest } from './at-rest';

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** Rules that look at colours. All others look at elements and places, which are the same in light and in dark. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
const RULES = {
  all: { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] },
  colours: { type: 'rule', values: OF_COLOURS },
} as const;

/**
 * What axe finds that is serious or critical, a line each.
 *
 * @param rules `colours` for a screen that all rules have seen in its other colours, at the same width
 */
export async function seriousViolations(page: Page, rules: keyof typeof RULES = 'all'): Promise<string[]> {
  await atRest(page);
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(AXE);
  // Without what it found to be right, and without selectors, which it would make for each element.
  const options = { runOnly: RULES[rules], resultTypes: ['violations'], selectors: false };
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** Nothing serious, and no wider than the window, on a phone and on a desk, in light and dark. */
export async function looksRight(page: Page): Promise<void> {
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await seriousViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await seriousViolations(page, 'colours')).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  }
}
