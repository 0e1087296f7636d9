import type { LedgerCursor } from '@paymaster/ledger';
import type { PaymasterRpcConfig } from '../config/paymaster-rpc.config';
import { LedgerHealth } from './ledger-health';
import { LedgerTrouble } from './ledger-trouble';
import type { ServedChain } from './served-chain';
import type { ServedChains } from './served-chains';

const NOW = 1_800_000_000;
const at = (headTimeSeconds: number, haltedReason: string | null = null): LedgerCursor => ({
  headTimeSeconds,
  haltedReason,
});

/** The check over chains with these cursors, on a database that is up unless said otherwise. */
function health(cursors: Record<number, LedgerCursor | undefined>, { isUp = true } = {}) {
  const chains = Object.keys(cursors).map((id) => ({
    config: { chainId: Number(id) },
    head: { ageSeconds: () => 1, nowSeconds: () => NOW },
  })) as unknown as ServedChain[];
  const trouble = new LedgerTrouble();
  const target = new LedgerHealth(
    { isUp: () => isUp, cursor: async (chainId: number) => cursors[chainId] } as never,
    { all: () => chains } as unknown as ServedChains,
    { ledgerMaxLagSeconds: 600 } as PaymasterRpcConfig,
    trouble,
  );
  return { target, trouble };
}

describe('LedgerHealth', () => {
  it('is up while settlement is within its bound on every chain', async () => {
    expect(await health({ 1: at(NOW), 10: at(NOW - 600) }).target.check()).toEqual({ status: 'up' });
  });

  it.each([
    ['has no books', undefined, 'no settlement has opened the books of chain 1'],
    ['lags', at(NOW - 601), 'settlement is 601 s behind chain 1'],
    ['is halted', at(NOW, 'a reorg too deep'), 'chain 1 is halted: a reorg too deep'],
  ])('is down when the only chain %s, and degraded when another one is well', async (_title, cursor, detail) => {
    expect(await health({ 1: cursor }).target.check()).toEqual({ status: 'down', detail });
    expect(await health({ 1: cursor, 10: at(NOW) }).target.check()).toEqual({ status: 'degraded', detail });
  });

  it('is down without the database, and says what it heard of it', async () => {
    const { target, trouble } = health({ 1: at(NOW) }, { isUp: false });
    expect(await target.check()).toEqual({ status: 'down', detail: 'not connected yet' });
    trouble.heard(new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:5432'), new Error('::1')]));
    expect(await target.check()).toEqual({ status: 'down', detail: 'connect ECONNREFUSED 127.0.0.1:5432' });
  });
});
