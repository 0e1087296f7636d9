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
 * element itself, or around the element that stands for a hidden input. WCAG 1.4.11 asks for a contrast of 3 to 1.
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
  if (!isInWindow) return 'outside of the window: ' + name;
  const ring = rings.find((element) => getComputedStyle(element).outlineStyle !== 'none');
  if (!ring) return '';
  const { outlineColor, outlineOffset, outlineWidth } = getComputedStyle(ring);
  const ancestors = [];
  for (let above = ring.parentElement; above; above = above.parentElement) ancestors.push(above);
  const partsOf = (color) => {
    const [red, green, blue, alpha = 1] = color.match(/[\\d.]+/g).map(Number);
    return { alpha, rgb: [red, green, blue].map((part) => (color.startsWith('rgb') ? part / 255 : part)) };
  };
  const light = (color) => {
    const [red, green, blue] = partsOf(color).rgb.map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  };
  const behind = [...(parseFloat(outlineOffset) < 0 ? [ring] : []), ...ancestors]
    .map((element) => getComputedStyle(element).backgroundColor)
    .find((color) => partsOf(color).alpha === 1) ?? 'rgb(255, 255, 255)';
  const [dark, bright] = [light(outlineColor), light(behind)].sort((one, other) => one - other);
  if (bright / dark < 3) return 'a ring of ' + outlineColor + ' on ' + behind + ' around ' + name;
  const width = Math.max(0, parseFloat(outlineOffset) + parseFloat(outlineWidth));
  const { left, right, top, bottom } = ring.getBoundingClientRect();
  const isCut = ancestors.some((above) => {
    const { overflowX, overflowY } = getComputedStyle(above);
    const box = above.getBoundingClientRect();
    return (overflowX === 'hidden' && (left - width < box.left - 0.5 || right + width > box.right + 0.5)) ||
      (overflowY === 'hidden' && (top - width < box.top - 0.5 || bottom + width > box.bottom + 0.5));
  });
  return isCut ? 'the ring is cut off around ' + name : '';
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
