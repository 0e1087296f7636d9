import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { getAddress, isHex, type Hex } from 'viem';
import { keyOf, transactionsQuery, type Schemas } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import type { BrowserWallet } from '../../wallet/browser-wallets';
import { connect, landed, send } from '../../wallet/use-wallet';

export type Deed = Exclude<keyof Schemas['WalletTransactionsView'], 'entryPointVersion'>;

export interface Wanted {
  readonly wallet: BrowserWallet;
  readonly deed: Deed;
  readonly entryPointVersion: string;
  readonly amountWei: string;
  /** The wallet has to hold this address; another one could lock money up or be refused by the contract. */
  readonly from?: string | undefined;
}

/** Sends a transaction, which the dashboard encodes, with a wallet of the browser, and waits until it is in a block. */
export function useTransaction(onDone?: () => void) {
  const scope = useScope();
  const queries = useQueryClient();
  const leaving = useRef(new AbortController());
  useEffect(() => {
    const controller = new AbortController();
    leaving.current = controller;
    return () => controller.abort(new Error('the page was left; the transaction goes on'));
  }, []);
  return useMutation({
    mutationFn: async ({ wallet, deed, entryPointVersion, amountWei, from }: Wanted): Promise<Hex> => {
      const { chainId, accounts } = await queries.fetchQuery(transactionsQuery(scope, amountWei));
      const transaction = accounts.find((each) => each.entryPointVersion === entryPointVersion)?.[deed];
      if (!transaction || !isHex(transaction.data)) throw new Error('the dashboard has no transaction for it');
      const address = await connect(wallet);
      if (from && address.toLowerCase() !== from.toLowerCase()) {
        throw new Error(`choose the address ${from} in the wallet; it shows ${address} now`);
      }
      const { to, data, value } = transaction;
      const hash = await send(wallet, { chainId, from: address, to: getAddress(to), data, value: BigInt(value) });
      if (!(await landed(wallet, hash, leaving.current.signal))) throw new Error('the transaction reverted');
      return hash;
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [...keyOf(scope), 'wallet'] });
      onDone?.();
    },
  });
}
