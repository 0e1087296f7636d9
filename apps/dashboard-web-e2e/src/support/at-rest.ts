import type { Page } from 'playwright-core';

/** The page follows a new width or colour scheme in the next frame. */
const IN_THE_NEXT_FRAME = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
const ANIMATED = `Promise.all(document.getAnimations()
  .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity)
  .map(({ finished }) => finished.catch(() => undefined)))`;

/**
 * Mantine follows a new colour scheme when React next renders, which a full machine puts off. The page's policy forbids
 * the script that Playwright would ask again by.
 */
const HAS_ITS_COLOURS = `new Promise((done) => {
  (function look() {
    const { mantineColorScheme } = document.documentElement.dataset;
    if (mantineColorScheme === (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) done();
    else requestAnimationFrame(look);
  })();
})`;

/** Waits until nothing moves or fades: text that is half there has too little contrast. */
export async function atRest(page: Page): Promise<void> {
  await page.evaluate(HAS_ITS_COLOURS);
  await page.evaluate(`${IN_THE_NEXT_FRAME}.then(() => ${ANIMATED}).then(() => undefined)`);
}
