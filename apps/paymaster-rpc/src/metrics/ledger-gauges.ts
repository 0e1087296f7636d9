import { Inject, Injectable } from '@nestjs/common';
import type { Ledger } from '@paymaster/ledger';
import { Metrics, watchPool } from '@paymaster/nest-kit';
import { LEDGER } from '../chains/open-gateway-ledger';

/** How this process uses the ledger's database. */
@Injectable()
export class LedgerGauges {
  constructor(metrics: Metrics, @Inject(LEDGER) ledger: Ledger) {
    watchPool(metrics, () => ledger.usage?.().pool);
    const up = { name: 'paymaster_ledger_up', help: '1 while the database of the ledger answers this process' };
    metrics.gauge(up, () => (ledger.isUp() ? 1 : 0));
    const dropped = { name: 'paymaster_refusals_dropped_total', help: 'Refusals that were not recorded: too many' };
    metrics.total(dropped, () => ledger.usage?.().droppedRefusals);
    const unwritten = {
      name: 'paymaster_sent_changes_dropped_total',
      help: 'Changes of sent operations that were not written: the database was away too long, or did not take them',
    };
    metrics.total(unwritten, () => ledger.usage?.().droppedSentChanges);
  }
}
