import { decodeFunctionData, parseAbi, type Hex } from 'viem';
import { hasExample, PACKAGES, SDKS, snippetOf, versionsOf, type Place, type Sdk } from './snippet-of';

const CONTRACT = `0x${'cc'.repeat(20)}`;
const place = (more: Partial<Place> = {}): Place => ({
  ...{ gateway: 'https://gateway.test', apiKey: 'k_y.1' },
  chain: { chainId: 137, name: "Polygon's \\ chain", nativeSymbol: 'POL', chainReads: true },
  entryPoint: { address: `0x${'ee'.repeat(20)}`, version: '0.7' },
  call: { to: CONTRACT, signature: 'increment()' },
  ...more,
});
const each = SDKS.map(({ value }) => value);

it.each(each)('the snippet for %s has one URL, in the form that the SDK reads', (sdk) => {
  const urls = new Set(snippetOf(sdk, place()).match(/https:\/\/gateway[^']*/g));
  expect([...urls]).toEqual([`https://gateway.test/api/${sdk === 'biconomy' ? 'v2/137/k.y.1' : 'v1/137/k_y.1'}`]);
});

it.each(each)('the snippet for %s leaves nothing to fill in, and says which packages it needs', (sdk) => {
  const snippet = snippetOf(sdk, place());
  expect(snippet).toContain(CONTRACT.slice(2));
  expect(snippet).not.toMatch(/undefined|<[a-z]|\/\/ your/);
  const named = [...snippet.matchAll(/(?:^import|^\} from).*'((?:@[a-z]+\/)?[a-z]+)[^']*';$/gm)].map(
    ([, name]) => name,
  );
  if (sdk !== 'curl') expect(named.length).toBeGreaterThan(1);
  for (const name of named) expect(snippet).toContain(`${name}@${PACKAGES[name as keyof typeof PACKAGES]}`);
});

it('gives every argument of the method a value, and to an address the account', () => {
  const call = { to: CONTRACT, signature: 'mint(address,uint256,uint8,bool[2],string,(bytes4,address)[],bytes)' };
  const args = (account: string) => `args: [${account}, 1n, 1, [true, true], 'hello', [], '0x'],`;
  expect(snippetOf('viem', place({ call }))).toContain(args('account.address'));
  expect(snippetOf('permissionless', place({ call }))).toContain(args('account.address'));
  expect(snippetOf('biconomy', place({ call }))).toContain(args('await account.getAccountAddress()'));
});

it('has the shell put the account where the method takes an address', () => {
  const call = { to: CONTRACT, signature: 'mint(address,uint256)' };
  const account = 'ab'.repeat(20);
  const [, callData = ''] = /"callData":"(.*)"/.exec(snippetOf('curl', place({ call }))) ?? [];
  const execute = decodeFunctionData({
    abi: parseAbi(['function execute(address,uint256,bytes)']),
    data: callData.replaceAll(`'$ACCOUNT'`, account) as Hex,
  });
  const { args } = decodeFunctionData({ abi: parseAbi([`function mint(address,uint256)`]), data: execute.args[2] });
  expect(args.map((value) => String(value).toLowerCase())).toEqual([`0x${account}`, '1']);
});

it.each<[Sdk, string]>([
  ['viem', 'extractChain({ chains: Object.values(chains), id: 137 })'],
  ['curl', 'NODE=${NODE:?'],
])('the snippet for %s reads from a node where the gateway answers no reads', (sdk, text) => {
  const { chain } = place();
  expect(snippetOf(sdk, place({ chain: { ...chain, chainReads: false } }))).toContain(text);
});

it('knows which EntryPoints the accounts of an SDK are of', () => {
  expect(each.map((sdk) => versionsOf(sdk)[0])).toEqual(['0.7', '0.7', '0.6', '0.7']);
});

it.each<[string, boolean]>([
  ['mint(address,uint256)', true],
  ['set(bytes32[4][4],string)', true],
  ['functions(uint8[])', true],
  ['set(uint8[4000000000])', false],
  ['set(uint8[1000][1000],(bool[1000])[])', false],
  ['set(uint8,function)', false],
])('says of %s whether there are examples of its arguments', (signature, has) => {
  expect(hasExample(signature)).toBe(has);
});
