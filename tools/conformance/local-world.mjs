import { createServer } from 'node:http';
import { Interface, Wallet } from 'ethers';
import { SIMPLE_7702_ACCOUNT } from './world/accounts.mjs';

/** Operations that the second paymaster sponsors. */
const LIMIT = 5;
const ABI = ['function increment()', 'function add(uint256 amount)', 'function reset()', 'function tip() payable'];

/**
 * The arguments for a paymaster of the local world, made as an owner makes one: default settings, one contract with two
 * allowed methods, and a webhook that is asked. A second one has a limit, a third one sponsors delegated accounts.
 *
 * @param {object} stack what stack.json says
 */
export async function localArguments(stack) {
  const webhook = await startWebhook();
  const { url, apiKey } = await newPaymaster(stack, 'conformance');
  await dashboard(stack, 'POST', 'webhook', { apiKey, body: { webhookUrl: webhook.url, requestType: 'GET' } });
  const limit = { scope: 'PAYMASTER', measure: 'COUNT', amount: `${LIMIT}`, cycle: 'MONTH' };
  // Own bound: the kit is one client, whose share of a limit would be less than the limit.
  const limited = await paymasterWithRules(stack, { limits: [limit] }, { clientSharePercent: 100 });
  const delegating = await paymasterWithRules(stack, { eip7702Delegates: [SIMPLE_7702_ACCOUNT] });
  const values = {
    ...{ url, rpc: stack.chainRpc, bundler: stack.bundler, token: stack.tokens[0].address, webhook: true },
    ...{ to: stack.demoContract.address, data: stack.demoContract.callData },
    ...{ 'unlisted-data': new Interface(ABI).encodeFunctionData('reset') },
    ...{ 'delegate-url': delegating.url, 'limited-url': limited.url, limit: `${LIMIT}` },
    ...{ 'entry-points': Object.keys(stack.entryPoints).sort().join(',') },
  };
  return { values, end: webhook.end };
}

async function paymasterWithRules(stack, policyData, settings) {
  const made = await newPaymaster(stack, `conformance, ${Object.keys(policyData)}`);
  const { apiKey } = made;
  const body = { name: 'rules', policyType: 'RULES', policyData };
  await dashboard(stack, 'POST', 'paymaster-policy', { apiKey, body });
  if (settings) await dashboard(stack, 'PATCH', 'paymaster-settings', { apiKey, body: settings });
  return made;
}

async function newPaymaster(stack, name) {
  const { chainId, demoContract, devKeys, paymasterRpc } = stack;
  const made = { name: `${name} ${Date.now()}`, type: 'HYBRID', chainId, version: '2.0.0' };
  const { apiKey } = await dashboard(stack, 'POST', 'paymaster', { body: made });
  const abi = new Interface(ABI).formatJson();
  const contract = {
    name: 'Demo counter',
    address: demoContract.address,
    abi,
    whitelistedMethods: ['increment', 'add'],
  };
  await dashboard(stack, 'POST', 'smart-contract', { apiKey, body: contract });
  const { fundingMessage, paymasterId } = await dashboard(stack, 'GET', 'funding-message', { apiKey });
  const { address, privateKey } = devKeys.fundingWallet;
  const signature = await new Wallet(privateKey).signMessage(fundingMessage);
  await dashboard(stack, 'PATCH', 'paymaster', {
    apiKey,
    body: { paymasterId, type: 'paymasterFundingId', signature, address },
  });
  return { apiKey, url: `${paymasterRpc}/api/v2/${chainId}/${apiKey}` };
}

async function dashboard(stack, method, path, { apiKey, body } = {}) {
  const response = await fetch(`${stack.dashboard}/api/v2/public/sdk/${path}`, {
    method,
    headers: {
      authToken: stack.authToken,
      ...(apiKey && { apiKey }),
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
  });
  const { message, data } = await response.json();
  if (!response.ok) throw new Error(`dashboard: ${method} ${path} answered ${response.status} ${message}`);
  return data;
}

/** A server of an owner that allows everything it is asked. */
function startWebhook() {
  const server = createServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ arePoliciesVerified: true }));
  });
  const end = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve({ url: `http://127.0.0.1:${server.address().port}/decide`, end })),
  );
}
