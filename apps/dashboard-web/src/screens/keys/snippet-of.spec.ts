import { SDKS, snippetOf } from './snippet-of';

it.each(SDKS.map(({ value }) => value))('the snippet for %s asks the URL of this paymaster', (sdk) => {
  const snippet = snippetOf(sdk, { gateway: 'https://gateway.test', chainId: 137, apiKey: 'key.1' });
  expect(snippet).toContain('https://gateway.test/api/v2/137/key.1');
});
