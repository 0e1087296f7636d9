import { WebhookError } from './webhook-error';
import { parseWebhookUrl } from './webhook-url';

const refused = (text: string, allowInsecure = false) => {
  const attempt = () => parseWebhookUrl(text, { allowInsecure });
  expect(attempt).toThrow(WebhookError);
  expect(attempt).toThrow(expect.objectContaining({ fault: 'FORBIDDEN_TARGET' }));
};

describe('parseWebhookUrl', () => {
  it.each(['https://hooks.example.org/bico?id=1', 'https://hooks.example.org:8443/', 'https://xn--bcher-kva.example/'])(
    'accepts %s',
    (text) => expect(parseWebhookUrl(text, { allowInsecure: false }).href).toBe(new URL(text).href),
  );

  it.each([
    'not a url',
    'http://hooks.example.org/',
    'ftp://hooks.example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://user:secret@hooks.example.org/',
    'https://user@hooks.example.org/',
    'https://:secret@hooks.example.org/',
    'https://hooks.example.org:22/',
    'https://127.0.0.1/',
    'https://1.1.1.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://127。0。0。1/',
    'https://localhost/',
    'https://metadata/',
    'https://postgres.paymaster.svc.cluster.local/',
    'https://postgres.paymaster.svc.cluster.local./',
    'https://metadata.google.internal/',
    'https://app.localhost/',
    `https://hooks.example.org/${'a'.repeat(2_048)}`,
  ])('refuses %s', (text) => refused(text));

  it('allows http and this machine in the local world, but no other scheme and no credentials', () => {
    expect(parseWebhookUrl('http://127.0.0.1:8080/', { allowInsecure: true }).port).toBe('8080');
    refused('ftp://127.0.0.1/', true);
    refused('http://user:secret@127.0.0.1/', true);
  });

  it('does not repeat the URL, which may hold a secret', () => {
    expect.assertions(1);
    try {
      parseWebhookUrl('http://hooks.example.org/?token=hunter2', { allowInsecure: false });
    } catch (error) {
      expect(String(error)).not.toContain('hunter2');
    }
  });
});
