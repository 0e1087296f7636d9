import { SDKS, snippetOf } from './snippet-of';

it.each(SDKS.map(({ value }) => value))('the snippet for %s has one URL, in the form that the SDK reads', (sdk) => {
  const snippet = snippetOf(sdk, { gateway: 'https://gateway.test', chainId: 137, apiKey: 'k_y.1' });
  const urls = new Set(snippet.match(/https:\/\/gateway[^']*/g));
  expect([...urls]).toEqual([`https://gateway.test/api/${sdk === 'biconomy' ? 'v2/137/k.y.1' : 'v1/137/k_y.1'}`]);
});
