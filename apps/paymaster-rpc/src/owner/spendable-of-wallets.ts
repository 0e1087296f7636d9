import { ServedContracts } from '@paymaster/chain';
import { DependencyUnavailableError, InvalidParamsError } from '@paymaster/domain';
import type { Ledger } from '@paymaster/ledger';
import { MAX_ASKED_WALLETS, type AskedWallet, type GatewayAnswers, type GatewayQuestions } from '@paymaster/messaging';
import type { ServedChains } from '../chains/served-chains';

interface Parts {
  readonly chains: Pick<ServedChains, 'all'>;
  readonly ledger: Pick<Ledger, 'spendableWei'>;
}

/**
 * What funding wallets can spend, over all paymaster contracts of their chains; wei.
 *
 * @throws {InvalidParamsError} for too many wallets
 */
export function spendableOfWallets(
  { chains, ledger }: Parts,
  { wallets }: GatewayQuestions['wallets'],
): Promise<GatewayAnswers['wallets']> {
  if (wallets.length > MAX_ASKED_WALLETS) {
    throw new InvalidParamsError('wallets', `wallets must be at most ${MAX_ASKED_WALLETS}`);
  }
  const contracts = new Map(
    [...chains.all()].map(({ config }) => [config.chainId, new ServedContracts(config.entryPoints).paymasters]),
  );
  const spendable = async ({ chainId, wallet }: AskedWallet): Promise<string | null> => {
    const asked = contracts.get(chainId)?.map((contract) => ledger.spendableWei({ chainId, contract, wallet }));
    try {
      return asked ? (await Promise.all(asked)).reduce((sum, each) => sum + each, 0n).toString() : null;
    } catch (error) {
      if (error instanceof DependencyUnavailableError) return null;
      throw error;
    }
  };
  return Promise.all(wallets.map(spendable));
}
