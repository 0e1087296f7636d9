// @biconomy/account 3 (ethers v5) with its bundler and its paymaster, as its documentation writes them.
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { drive } from './lib/drive.mjs';
import { alternating, untilClientSaysLanded } from './lib/biconomy-account.mjs';

const require = createRequire(import.meta.url);
const ofClient = createRequire(require.resolve('@biconomy/account-3'));
/** In a project that has this client alone ethers is version 5, also for packages that don't say so. */
const ethers5 = dirname(ofClient.resolve('ethers/package.json'));
const resolve = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => resolve(request.replace(/^ethers(?=\/|$)/, ethers5), ...rest);

const { BiconomySmartAccountV2, DEFAULT_ENTRYPOINT_ADDRESS } = require('@biconomy/account-3');
const { Bundler } = require('@biconomy/bundler');
const { BiconomyPaymaster } = require('@biconomy/paymaster');
const { Wallet, providers } = ofClient('ethers');

const smartAccountInfo = { name: 'BICONOMY', version: '2.0.0' };

await drive(async (job, world) => {
  const { mode, paymasterUrl } = job;
  const { chainId, chainRpc } = world.stack;
  const paymaster = new BiconomyPaymaster({ paymasterUrl });
  const account = await BiconomySmartAccountV2.create({
    ...{ chainId, rpcUrl: chainRpc, entryPointAddress: DEFAULT_ENTRYPOINT_ADDRESS, paymaster },
    signer: new Wallet(world.newKey(), new providers.JsonRpcProvider(chainRpc)),
    bundler: new Bundler({ bundlerUrl: paymasterUrl, chainId, entryPointAddress: DEFAULT_ENTRYPOINT_ADDRESS }),
  });
  const estimatesItself = alternating(job);
  async function send(calls) {
    const isOwn = estimatesItself();
    const how = isOwn ? { skipBundlerGasEstimation: false } : { paymasterServiceData: { mode: 'SPONSORED' } };
    let operation = await account.buildUserOp(calls, how);
    let terms = { mode: 'SPONSORED', smartAccountInfo, calculateGasLimits: !isOwn };
    if (mode === 'token') {
      const tokens = { tokenList: [world.token.address], preferredToken: world.token.address };
      const quotes = await paymaster.getPaymasterFeeQuotesOrData(operation, { mode: 'ERC20', ...tokens });
      const [feeQuote] = quotes.feeQuotes;
      const request = { feeQuote, spender: quotes.tokenPaymasterAddress, maxApproval: false };
      operation = await account.buildTokenPaymasterUserOp(operation, request);
      terms = { mode: 'ERC20', feeTokenAddress: feeQuote.tokenAddress, smartAccountInfo, calculateGasLimits: true };
    }
    const { paymasterAndData, ...limits } = await paymaster.getPaymasterAndData(operation, terms);
    Object.assign(operation, { paymasterAndData }, limits.callGasLimit && limits);
    return untilClientSaysLanded(job, await account.sendUserOp(operation));
  }
  return { sender: await account.getAccountAddress(), send, approvesItself: true };
});
