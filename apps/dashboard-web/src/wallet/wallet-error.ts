const USER_REJECTED = 4001;
const ALREADY_PENDING = -32002;
const CHAIN_UNKNOWN = 4902;

/** What went wrong in a wallet, as a sentence for its owner. The page never shows a wallet's raw answer as markup. */
export function walletSentence(error: unknown): string {
  const { code, message } = (error ?? {}) as { code?: number; message?: string };
  if (code === USER_REJECTED) return 'You declined in the wallet. Nothing was signed and nothing was sent.';
  if (code === ALREADY_PENDING) return 'The wallet is waiting for an answer to an earlier question. Open it.';
  if (code === CHAIN_UNKNOWN)
    return 'The wallet does not know this chain. Add the chain in the wallet, then try again.';
  return message ? `The wallet answered: ${message}` : 'The wallet did not answer.';
}
