import type { BrowserContext, Page } from 'playwright-core';

/** As browsers define it: how much of the window moved, times how far; what follows an input of the reader counts not. */
const WATCH = `
  globalThis.layoutShifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      const moved = sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? '').slice(0, 120));
      layoutShifts.push({ value, moved });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

interface Shift {
  readonly value: number;
  readonly moved: readonly string[];
}

/** Watches the layout of every document that is opened from now on. */
export async function watchLayout(context: BrowserContext): Promise<void> {
  await context.addInitScript(WATCH);
}

/** The sum of all shifts since the document was opened, and what moved. */
export async function layoutShift(page: Page): Promise<{ readonly sum: number; readonly moved: readonly string[] }> {
  const shifts = await page.evaluate<Shift[]>('layoutShifts');
  return {
    sum: shifts.reduce((sum, { value }) => sum + value, 0),
    moved: shifts.map(({ value, moved }) => `${value.toFixed(3)}: ${moved.join(' | ')}`),
  };
}
