import { demoTokenAbi } from '@paymaster/contract-abis';
import { DashboardClient, readStack, rpc } from '@paymaster/devnet';
import type { Browser, Page } from 'playwright-core';
import type { Hex } from 'viem';
// Biconomy's accounts are on public chains. On the local chain stand-ins come to their addresses, as for the tests of clients.
// eslint-disable-next-line @nx/enforce-module-boundaries
import { placeAccountContracts } from '../../paymaster-rpc-e2e/src/clients/account-contracts';
import { openBrowser, openTab } from './support/browser';
import { goTo } from './support/go-to';
import { runSnippet } from './support/run-snippet';
import { signIn } from './support/sign-in';

interface Receipt {
  readonly logs: readonly { readonly address: string }[];
}
interface Grant {
  readonly result?: { readonly paymaster: Hex; readonly paymasterData: Hex };
}

/** All that send; JSON-RPC asks for a grant only. */
const SENDING = ['viem', 'permissionless', 'Biconomy'];
const LANDED = /landed in (0x[0-9a-f]{64})\n$/;

let browser: Browser;
let page: Page;
/** The path of the seeded paymaster, whose contract is the demo contract. */
let seeded: string;

beforeAll(async () => {
  await placeAccountContracts(readStack());
  browser = await openBrowser();
  ({ page } = await openTab(browser));
  seeded = await signIn(page);
});
afterAll(() => browser?.close());

/** The code for an SDK, as the page shows it. */
async function snippetFor(sdk: string): Promise<string> {
  await goTo(page, `${seeded}/keys`);
  await page.getByRole('radiogroup', { name: 'SDK' }).getByText(sdk, { exact: true }).click();
  await page.getByRole('button', { name: 'Put the main key into the code' }).click();
  await page.getByRole('button', { name: 'Take the main key out of the code' }).waitFor();
  return page.getByLabel('Code of your app', { exact: true }).innerText();
}

/** Who logged something in the transaction that the code printed. */
async function logsOf(printed: string): Promise<readonly string[]> {
  const [, hash] = LANDED.exec(printed) ?? [];
  const { logs } = await rpc<Receipt>(readStack().chainRpc, 'eth_getTransactionReceipt', [hash]);
  return logs.map(({ address }) => address);
}

describe('the code on the page, as it is', () => {
  it.each(SENDING)('has an operation land with %s', async (sdk) => {
    const snippet = await snippetFor(sdk);
    expect(snippet).toContain(readStack().demoContract.address.toLowerCase());
    expect(await runSnippet(sdk, snippet)).toMatch(LANDED);
  });

  it('gets a grant with nothing but a shell and curl', async () => {
    const { result } = JSON.parse(await runSnippet('JSON-RPC', await snippetFor('JSON-RPC'))) as Grant;
    const { paymasters } = readStack();
    expect(result?.paymaster.toLowerCase()).toBe(paymasters['0.7'].toLowerCase());
    expect(result?.paymasterData.length).toBeGreaterThan(200);
  });
});

describe('the code for a method with arguments that was registered last', () => {
  const token = () => readStack().tokens[0]?.address ?? '0x';
  const owner = () => new DashboardClient(readStack().dashboard, readStack().authToken);
  const { apiKey } = readStack().paymaster;

  beforeAll(() => {
    const abi = JSON.stringify(demoTokenAbi);
    const body = { name: 'Token of snippets', address: token(), abi, whitelistedMethods: ['mint(address,uint256)'] };
    return owner().call('post', '/smart-contract', { apiKey, body });
  });
  afterAll(() => owner().call('delete', '/smart-contract', { apiKey, body: { address: token() } }));

  it.each(SENDING)('has an operation of it land with %s', async (sdk) => {
    const printed = await runSnippet(sdk, await snippetFor(sdk));
    expect(await logsOf(printed)).toContain(token().toLowerCase());
  });

  it('gets a grant for it', async () => {
    const { result } = JSON.parse(await runSnippet('JSON-RPC', await snippetFor('JSON-RPC'))) as Grant;
    expect(result?.paymasterData.length).toBeGreaterThan(200);
  });
});

it('says that nothing is sponsored yet, and calls the demo contract of the chain meanwhile', async () => {
  const { demoContract } = readStack();
  await page.route('**/smart-contract', (route) => route.fulfill({ json: { statusCode: 200, message: '', data: [] } }));
  expect(await snippetFor('viem')).toContain(demoContract.address);
  await page.getByText('You sponsor no method yet').waitFor();
  await page.unroute('**/smart-contract');
});
