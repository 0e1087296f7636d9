import type { Locator, Page } from 'playwright-core';
import { atRest } from './at-rest';
import type { Hands } from './hands';

/** A screen has fewer places that can have the focus. */
const MOST_STOPS = 120;
/** A person types a name and pastes a program. */
const TYPED_CHARACTERS = 60;
const SWITCHES = new Set(['checkbox', 'radio']);

/**
 * What is wrong with the place that has the focus; empty where its reader sees it. Components draw the ring around the
 * element itself, or around the element that stands for a hidden input.
 */
const UNSEEN_FOCUS = `(() => {
  const at = document.activeElement;
  if (!at || at === document.body || at.id === 'main') return '';
  const drawn = [at, at.nextElementSibling, ...at.querySelectorAll('*')].filter(Boolean);
  const isRing = (element) => {
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
  };
  const rings = drawn.filter(isRing);
  const name = at.outerHTML.slice(0, 200);
  if (rings.length === 0 && at.getAttribute('role') !== 'menuitem') return 'no ring around ' + name;
  const isInWindow = [at, ...rings].some((element) => {
    const { left, right, top, bottom, width } = element.getBoundingClientRect();
    return width > 0 && right > 0 && left < innerWidth && bottom > 0 && top < innerHeight;
  });
  return isInWindow ? '' : 'outside of the window: ' + name;
})()`;

/**
 * Uses a page by keys alone: Tab until the target has the focus, then Enter, Space or text.
 *
 * @throws {Error} when Tab does not lead to the target, or where a reader does not see what has the focus
 */
export class Keyboard implements Hands {
  constructor(private readonly page: Page) {}

  async press(target: Locator): Promise<void> {
    await this.reach(target);
    const isSwitch = SWITCHES.has((await target.getAttribute('type')) ?? '');
    await this.page.keyboard.press(isSwitch ? 'Space' : 'Enter');
  }

  async write(target: Locator, text: string): Promise<void> {
    await this.reach(target);
    const { keyboard } = this.page;
    await keyboard.press('ControlOrMeta+a');
    await (text.length > TYPED_CHARACTERS ? keyboard.insertText(text) : keyboard.type(text));
  }

  /** Presses Tab, or another key that moves the focus, until the target has it. */
  async reach(target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
    await target.waitFor({ state: 'attached' });
    await atRest(this.page);
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      if (await this.isAt(target)) return;
      await this.page.keyboard.press(key);
      const unseen = await this.page.evaluate<string>(UNSEEN_FOCUS);
      if (unseen) throw new Error(`The focus is not seen: ${unseen}`);
    }
    throw new Error(`${key} does not lead to ${String(target)}`);
  }

  /** Waits until the page has given the target the focus, as a dialog does once it is open. */
  async arriveAt(target: Locator): Promise<void> {
    await target.and(this.page.locator(':focus')).waitFor();
  }

  private async isAt(target: Locator): Promise<boolean> {
    return (await target.and(this.page.locator(':focus')).count()) > 0;
  }
}
