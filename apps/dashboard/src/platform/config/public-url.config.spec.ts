import { ConfigError, loadConfig } from '@paymaster/nest-kit';
import { AccountCommandConfig } from './public-url.config';

const load = (PUBLIC_URL: string) => loadConfig(AccountCommandConfig, { DATABASE_URL: 'postgres://x/y', PUBLIC_URL });

describe('PUBLIC_URL', () => {
  it.each([
    ...['https://paymaster.example.org', 'https://10.0.0.7:8443'],
    ...['http://localhost', 'http://localhost:4301', 'http://127.0.0.1:4301'],
  ])('may be %s', (url) => expect(load(url).publicUrl).toBe(url));

  it.each([
    ['plain http', 'http://paymaster.example.org'],
    ['a name that only begins like this machine', 'http://localhost.example.org'],
    ['a path', 'https://paymaster.example.org/'],
    ['upper case', 'https://Paymaster.example.org'],
    ['the default port', 'https://paymaster.example.org:443'],
    ['a name and password', 'https://a:b@paymaster.example.org'],
    ['another scheme', 'ftp://paymaster.example.org'],
    ['no scheme', 'paymaster.example.org'],
  ])('may not have %s', (_what, url) => expect(() => load(url)).toThrow(ConfigError));
});
