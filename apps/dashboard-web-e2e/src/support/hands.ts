import type { Locator, Page } from 'playwright-core';

/** How a test uses the page: with a pointer, or with keys. */
export interface Hands {
  /** Presses a button, follows a link, turns a switch. */
  press(target: Locator): Promise<void>;
  /** Writes a text in place of the one that is there. */
  write(target: Locator, text: string): Promise<void>;
}

export const pointer: Hands = {
  press: (target) => target.click(),
  write: (target, text) => target.fill(text),
};

/**
 * Answers a question of the page with the deed that it asks about. The button that opened the question has the same name,
 * and is there before the question is.
 */
export const confirm = (page: Page, action: string): Promise<void> =>
  page.getByRole('dialog').getByRole('button', { name: action, exact: true }).click();

/**
 * Has the page read again what could not be read. On a busy machine news of what an earlier test did comes late, and
 * then the page has read again by itself.
 */
export async function tryAgain(within: Page | Locator): Promise<void> {
  const button = within.getByRole('button', { name: 'Try again' });
  await button.click({ timeout: 5_000 }).catch(async (error: unknown) => {
    if (await button.isVisible()) throw error;
  });
}
