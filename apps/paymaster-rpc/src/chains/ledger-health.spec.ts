import type { LedgerCursor } from '@paymaster/ledger';
import type { PaymasterRpcConfig } from '../platform/config/paymaster-rpc.config';
import { LedgerHealth } from './ledger-health';
import { LastLedgerFault } from './open-gateway-ledger';
import type { ServedChain } from './served-chain';
import type { ServedChains } from './served-chains';

const NOW = 1_800_000_000;
const at = (headTimeSeconds: number, haltedReason: string | null = null): LedgerCursor => ({
  headTimeSeconds,
  haltedReason,
});
/** The cursor of books whose head settlement has confirmed this long ago as the chain's newest block. */
const checked = (headTimeSeconds: number, checkedSecondsAgo: number): LedgerCursor => ({
  ...at(headTimeSeconds),
  checkedSecondsAgo,
});

/** The health check over chains with these cursors; the database is up by default. */
function health(
  cursors: Record<number, LedgerCursor | undefined>,
  { isUp = true, headTimeSeconds = NOW }: { isUp?: boolean; headTimeSeconds?: number } = {},
) {
  const chains = Object.keys(cursors).map((id) => ({
    config: { chainId: Number(id) },
    head: { ageSeconds: () => 1, nowSeconds: () => NOW, latest: () => ({ timestampSeconds: headTimeSeconds }) },
  })) as unknown as ServedChain[];
  const trouble = new LastLedgerFault();
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

  it('is up on a chain that stands still, as long as settlement confirms it', async () => {
    const standsStill = { headTimeSeconds: NOW - 5_000 };
    expect(await health({ 1: checked(NOW - 5_000, 599) }, standsStill).target.check()).toEqual({ status: 'up' });
    const lagging = { status: 'down', detail: 'settlement is 5000 s behind chain 1' };
    expect(await health({ 1: checked(NOW - 5_000, 600) }, standsStill).target.check()).toEqual(lagging);
    expect(await health({ 1: at(NOW - 5_000) }, standsStill).target.check()).toEqual(lagging);
  });

  it('is down when this gateway knows a block that settlement does not see', async () => {
    const { target } = health({ 1: checked(NOW - 5_000, 1) }, { headTimeSeconds: NOW - 4_000 });
    expect(await target.check()).toEqual({ status: 'down', detail: 'settlement is 1000 s behind chain 1' });
  });

  it('is down without the database, with the last error in its detail', async () => {
    const { target, trouble } = health({ 1: at(NOW) }, { isUp: false });
    expect(await target.check()).toEqual({ status: 'down', detail: 'not connected yet' });
    trouble.heard(new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:5432'), new Error('::1')]));
    expect(await target.check()).toEqual({ status: 'down', detail: 'connect ECONNREFUSED 127.0.0.1:5432' });
  });
});
