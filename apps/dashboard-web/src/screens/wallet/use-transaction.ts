import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Hex } from 'viem';
import { keyOf } from '../../api/queries';
import { useScope } from '../../shell/use-scope';
import type { BrowserWallet } from '../../wallet/browser-wallets';
import { connect, landed, send, type WalletTransaction } from '../../wallet/use-wallet';

export interface Wanted extends Omit<WalletTransaction, 'from'> {
  readonly wallet: BrowserWallet;
  /** The wallet has to hold this address; another one could lock money up or be refused by the contract. */
  readonly from?: string | undefined;
}

/** Sends a transaction with a wallet of the browser, and waits until it is in a block. */
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
    mutationFn: async ({ wallet, from, ...transaction }: Wanted): Promise<Hex> => {
      const address = await connect(wallet);
      if (from && address.toLowerCase() !== from.toLowerCase()) {
        throw new Error(`choose the address ${from} in the wallet; it shows ${address} now`);
      }
      const hash = await send(wallet, { ...transaction, from: address });
      if (!(await landed(wallet, hash, leaving.current.signal))) throw new Error('the transaction reverted');
      return hash;
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: [...keyOf(scope), 'wallet'] });
      onDone?.();
    },
  });
}
