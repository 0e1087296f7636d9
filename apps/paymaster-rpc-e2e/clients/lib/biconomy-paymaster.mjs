import { drive } from './drive.mjs';
import { newSimpleAccount } from './simple-account.mjs';

const smartAccountInfo = { name: 'INFINITISM', version: '1.0.0' };

/** Quote, approval and final call with a `BiconomyPaymaster`, as its documentation writes them. */
export const driveBiconomyPaymaster = (BiconomyPaymaster) =>
  drive(async ({ mode, paymasterUrl }, world) => {
    const paymaster = new BiconomyPaymaster({ paymasterUrl });
    const account = await newSimpleAccount(world);
    const draft = await account.draft([world.increment]);
    if (mode === 'sponsored') {
      return account.send(draft, await paymaster.getPaymasterAndData(draft, { mode: 'SPONSORED', smartAccountInfo }));
    }
    await world.giveTokens(account.sender);
    const tokens = { tokenList: [world.token.address], preferredToken: world.token.address };
    const quotes = await paymaster.getPaymasterFeeQuotesOrData(draft, { mode: 'ERC20', ...tokens, smartAccountInfo });
    const [feeQuote] = quotes.feeQuotes;
    const spender = quotes.tokenPaymasterAddress;
    const approval = await paymaster.buildTokenApprovalTransaction({ feeQuote, spender });
    // The operation offers the fees of its quote, as in the documentation: those of the chain may have risen since.
    const { maxFeePerGas, maxPriorityFeePerGas } = draft;
    const final = { ...(await account.draft([approval, world.increment])), maxFeePerGas, maxPriorityFeePerGas };
    const terms = { mode: 'ERC20', feeTokenAddress: feeQuote.tokenAddress, smartAccountInfo };
    return account.send(final, await paymaster.getPaymasterAndData(final, terms));
  });
