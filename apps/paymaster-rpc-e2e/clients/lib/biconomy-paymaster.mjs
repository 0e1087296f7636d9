import { drive } from './drive.mjs';
import { hexOf, newSimpleAccount } from './simple-account.mjs';

const smartAccountInfo = { name: 'INFINITISM', version: '1.0.0' };

/** Quote, approval and final call with a `BiconomyPaymaster`, as its documentation writes them. */
export const driveBiconomyPaymaster = (BiconomyPaymaster) =>
  drive(async ({ mode, paymasterUrl }, world) => {
    const paymaster = new BiconomyPaymaster({ paymasterUrl });
    const account = await newSimpleAccount(world);
    async function send(calls, limits) {
      const own = hexOf(limits);
      const asSent = limits ? { calculateGasLimits: false } : {};
      const draft = { ...(await account.draft(calls)), ...own };
      if (mode === 'sponsored') {
        const terms = { mode: 'SPONSORED', smartAccountInfo, ...asSent };
        return account.send(draft, await paymaster.getPaymasterAndData(draft, terms));
      }
      const tokens = { tokenList: [world.token.address], preferredToken: world.token.address };
      const terms = { mode: 'ERC20', ...tokens, smartAccountInfo, ...asSent };
      const quotes = await paymaster.getPaymasterFeeQuotesOrData(draft, terms);
      const [feeQuote] = quotes.feeQuotes;
      const spender = quotes.tokenPaymasterAddress;
      const approval = await paymaster.buildTokenApprovalTransaction({ feeQuote, spender });
      // The operation offers the fees of its quote, as in the documentation: those of the chain may have risen since.
      const { maxFeePerGas, maxPriorityFeePerGas } = draft;
      const final = { ...(await account.draft([approval, ...calls])), ...own, maxFeePerGas, maxPriorityFeePerGas };
      const finalTerms = { mode: 'ERC20', feeTokenAddress: feeQuote.tokenAddress, smartAccountInfo, ...asSent };
      return account.send(final, await paymaster.getPaymasterAndData(final, finalTerms));
    }
    return { sender: account.sender, send, approvesItself: true };
  });
