import { chromiumBinary, readStack } from '@paymaster/devnet';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** How long the page may take to show something; milliseconds. */
const PATIENCE_MS = 60_000;

/** A tab of the page, in a browser profile of its own: no cookie, no storage of another test. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser complained about: errors in the console, exceptions, requests to other origins. */
  readonly complaints: readonly string[];
}

export function openBrowser(): Promise<Browser> {
  return chromiumBinary().then((executablePath) =>
    chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] }),
  );
}

/** Opens a tab that remembers every complaint. */
export async function openTab(browser: Browser): Promise<Tab> {
  const { dashboard } = readStack();
  const context = await browser.newContext({ baseURL: dashboard, viewport: { width: 1280, height: 900 } });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser itself reports every answer that is no success; tests ask for some of them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== dashboard) complaints.push(`a request to ${origin}`);
  });
  return { page, context, complaints };
}
