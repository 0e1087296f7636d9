import { http } from 'viem';
import { createBundlerClient, createPaymasterClient } from 'viem/account-abstraction';
import { chainReader, viemChain } from '../operations/simple-account';
import type { SponsoredSend } from './demonstrated';

/** ERC-7677, spoken by viem's own clients without a line of ours between. */
export const sponsorWithViem: SponsoredSend = async (stack, { account, say }) => {
  const gateway = `${stack.paymasterRpc}/api/v2/${stack.chainId}`;
  let asked = '';
  const paymaster = createPaymasterClient({
    transport: http(`${gateway}/${stack.paymaster.apiKey}`, {
      onFetchRequest: async (request) => {
        ({ method: asked } = (await request.clone().json()) as { method: string });
        say('request', `${asked}, DemoCounter.increment() -> ${gateway}/<apiKey>`);
      },
      onFetchResponse: async (response) => say('verdict', describe(asked, (await response.clone().json()) as Answer)),
    }),
  });
  const wallet = createBundlerClient({
    account,
    chain: viemChain(stack),
    client: chainReader(stack),
    transport: http(stack.bundler),
    paymaster,
  });
  const { address: to, callData: data } = stack.demoContract;
  return wallet.sendUserOperation({ calls: [{ to, data }] });
};

interface Answer {
  readonly result?: { readonly paymasterData?: string };
  readonly error?: { readonly code: number; readonly message: string };
}

function describe(method: string, { result, error }: Answer): string {
  if (error) return `refused: ${error.message} (${error.code})`;
  const size = `${(result?.paymasterData?.length ?? 2) / 2 - 1} bytes`;
  return method === 'pm_getPaymasterStubData'
    ? `would be sponsored; stub paymasterData of ${size} for the estimation`
    : `sponsored: signed paymasterData of ${size}`;
}
