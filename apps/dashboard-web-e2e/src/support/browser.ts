import { chromiumBinary, readStack } from '@paymaster/devnet';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** How long the page may take to show something; milliseconds. */
const PATIENCE_MS = 60_000;

/** A tab of the page, in a browser profile of its own: no cookie, no storage of another test. */
export interface Tab {
  readonly page: Page;
  readonly context: BrowserContext;
}

/** What tabs of this test complained about. */
const complaints: string[] = [];

/** In every test that opens a tab: no error, no breach of the Content-Security-Policy, no markup that ran. */
afterEach(() => expect(complaints.splice(0)).toEqual([]));

export function openBrowser(): Promise<Browser> {
  return chromiumBinary().then((executablePath) =>
    // Without a GPU it would imitate one, which takes a tenth of what it computes.
    chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu', '--js-flags=--no-opt --no-maglev'],
    }),
  );
}

/**
 * Opens a tab. The test fails when the browser reports an error, an exception, a breach of the policy, a dialog, a call
 * of `canary()`, or a request to another origin.
 *
 * @param mayAsk an origin besides that of the page
 */
export async function openTab(browser: Browser, { mayAsk }: { readonly mayAsk?: string } = {}): Promise<Tab> {
  const { dashboard } = readStack();
  const context = await browser.newContext({
    ...{ baseURL: dashboard, viewport: { width: 1280, height: 900 } },
    // A dialog that fades is still there, and what it says is there twice. What moves has a test of its own.
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.exposeFunction('complain', (what: string) => void complaints.push(what));
  await context.addInitScript(`
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
      complain('a breach of ' + effectiveDirective + ': ' + blockedURI + ' ' + sample));
    globalThis.canary = () => complain('markup ran as a script');`);
  context.on('weberror', (error) => complaints.push(error.error().message));
  context.on('console', (message) => {
    // The browser itself reports every answer that is no success; tests ask for some of them.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text());
    }
  });
  context.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== dashboard && origin !== mayAsk)
      complaints.push(`a request to ${origin}`);
  });
  return { page: await context.newPage(), context };
}
