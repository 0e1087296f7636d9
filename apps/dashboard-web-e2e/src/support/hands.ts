import type { Locator } from 'playwright-core';

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
