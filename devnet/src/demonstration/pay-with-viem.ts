import { http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { chainReader, viemChain } from '../operations/simple-account';
import { gatewayOf } from './ask-gateway';
import type { TokenPayingSend } from './demonstrated';
import { approvalFor, describeQuote, quoteInToken } from './token-quote';

/** ERC-7677: viem's own clients are told the token, and approve it in the same batch. */
export const payWithViem: TokenPayingSend = async (stack, { account, token, approveFor, say }) => {
  const increment = { to: stack.demoContract.address, data: stack.demoContract.callData };
  const quoted = await quoteInToken(stack, { account, calls: [increment], token });
  say('quote', `pm_getFeeQuoteOrData, mode ERC20: ${describeQuote(quoted)}`);
  const calls = [...approvalFor(approveFor, { quoted, token, say }), increment];

  const paymaster = createPaymasterClient({
    transport: http(gatewayOf(stack), {
      onFetchRequest: async (request) => {
        const { method } = (await request.clone().json()) as { method: string };
        say('request', `${method}, context { token: ${token.address} }`);
      },
    }),
  });
  const wallet = createBundlerClient({
    account,
    chain: viemChain(stack),
    client: chainReader(stack),
    transport: http(stack.bundler),
    paymaster,
    paymasterContext: { token: token.address },
  });
  const { maxFeePerGas, maxPriorityFeePerGas } = quoted.draft;
  const userOpHash = await wallet.sendUserOperation({
    calls,
    // Left to itself viem takes twice the fees of the moment, which no quote of the moment covers.
    maxFeePerGas: BigInt(maxFeePerGas ?? 0),
    maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas ?? 0),
  });
  return { userOpHash, quotedMaximum: quoted.maximum };
};
