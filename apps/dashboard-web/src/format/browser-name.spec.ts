import { browserName } from './browser-name';

const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

describe('browserName', () => {
  it.each([
    [`Mozilla/5.0 (X11; Linux x86_64) ${APPLE} Chrome/152.0.0.0 Safari/537.36`, 'Chrome 152 on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0) ${APPLE} Chrome/151.0.0.0 Safari/537.36 Edg/151.0.0.0`, 'Edge 151 on Windows'],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${APPLE} Version/26.1 Safari/605.1.15`, 'Safari 26 on macOS'],
    [
      `Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) ${APPLE} Version/26.1 Mobile/15E1 Safari/1`,
      'Safari 26 on iOS',
    ],
    ['Mozilla/5.0 (Android 16; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0', 'Firefox 145 on Android'],
    ['curl/8.5', 'curl/8.5'],
    ['x'.repeat(90), 'x'.repeat(80)],
  ])('says of %s: %s', (userAgent, name) => {
    expect(browserName(userAgent)).toBe(name);
  });
});
