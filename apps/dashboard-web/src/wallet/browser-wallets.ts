import type { EIP1193Provider } from 'viem';

/** A wallet of the browser. `id` is stable while the page is open. */
export interface BrowserWallet {
  readonly id: string;
  readonly name: string;
  readonly icon?: string;
  readonly provider: EIP1193Provider;
}

interface Announcement {
  readonly info: { readonly uuid: string; readonly name: string; readonly icon?: string };
  readonly provider: EIP1193Provider;
}

const found = new Map<string, BrowserWallet>();
const listeners = new Set<() => void>();
let list: readonly BrowserWallet[] = [];

/** The wallets that announced themselves (EIP-6963); before any has, the one that older wallets leave in `window`. */
export const browserWallets = {
  list: (): readonly BrowserWallet[] => list,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** Asks wallets to announce themselves, and hears those that come later. Call it once. */
export function findWallets(): void {
  window.addEventListener('eip6963:announceProvider', (event) => {
    const { info, provider } = (event as CustomEvent<Announcement>).detail;
    // Only images that the policy of the page lets through, and no other address.
    const icon = info.icon?.startsWith('data:image/') ? info.icon : undefined;
    found.set(info.uuid, { id: info.uuid, name: info.name.slice(0, 40), provider, ...(icon && { icon }) });
    changed();
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  changed();
}

function changed(): void {
  const injected = (window as { ethereum?: EIP1193Provider }).ethereum;
  list =
    found.size === 0 && injected
      ? [{ id: 'injected', name: 'Browser wallet', provider: injected }]
      : [...found.values()];
  for (const listener of listeners) listener();
}
