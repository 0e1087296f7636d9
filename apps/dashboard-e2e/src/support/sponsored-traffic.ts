import { faker } from '@faker-js/faker';
import type { SponsoredOperation } from '@paymaster/chain/testing';
import { until } from '@paymaster/domain/testing';
import { openLedger, type Ledger, type ReserveRequest } from '@paymaster/ledger';
import { aBudgetClaim, aReserveRequest } from '@paymaster/ledger/testing';
import { CHAIN_ID, FINALITY_DEPTH, type EventsWorld } from './events-world';

const VERSION = '0.7';
const VALID_FOR_SECONDS = 300;
const PATIENCE_MS = 60_000;

/**
 * What happens on a platform that is in use: operations that are granted once or twice, refused, landed, reverted, and
 * never sent. Grants and refusals are written as the gateway does, the rest is done by settlement from the chain.
 */
export class SponsoredTraffic {
  private readonly ledger: Ledger;
  private running: Promise<void> | undefined;
  private stopped: Promise<void> | undefined;
  private ending = false;
  private rounds = 0;

  constructor(
    private readonly world: EventsWorld,
    private readonly paymasterIds: readonly string[],
  ) {
    this.ledger = openLedger({ databaseUrl: world.databaseUrl, deadlineMs: PATIENCE_MS, poolWaitMs: PATIENCE_MS });
  }

  /** One round after the other, until {@link stop}. */
  start(): void {
    this.running = this.run();
    // Whoever waits for rounds hears of it; nobody may.
    this.running.catch(() => undefined);
  }

  /** Waits for so many more. */
  async untilRounds(more: number): Promise<void> {
    const goal = this.rounds + more;
    const failed = (this.running ?? Promise.resolve()).then(() => Promise.reject(new Error('no rounds any more')));
    await Promise.race([until(() => this.rounds >= goal, `round ${goal}`), failed]);
  }

  /** Ends after the round that runs; what was never sent expires, and everything becomes final. */
  async settle(): Promise<void> {
    await this.stop();
    const { chain } = this.world;
    await chain.rpc('evm_increaseTime', VALID_FOR_SECONDS + 1);
    await chain.mine(FINALITY_DEPTH + 1);
    await until(async () => {
      const open = await this.world.query('SELECT 1 FROM ledger.reservations WHERE closed_at IS NULL LIMIT 1');
      return open.length === 0;
    }, 'reservations closed');
  }

  /** Ends after the round that runs, and writes the refusals that are left. Safe to call twice. */
  stop(): Promise<void> {
    this.ending = true;
    return (this.stopped ??= (this.running ?? Promise.resolve()).finally(() => this.ledger.close()));
  }

  private async run(): Promise<void> {
    while (!this.ending) {
      for (const paymasterId of this.paymasterIds) await this.round(paymasterId);
      this.rounds += 1;
    }
  }

  private async round(paymasterId: string): Promise<void> {
    const nowSeconds = await this.headTimeSeconds();
    const validUntilSeconds = nowSeconds + VALID_FOR_SECONDS;
    const operations = await Promise.all(
      [0, 1, 2, 3, 4].map((place) =>
        this.world.chain.sponsored({ version: VERSION, validUntilSeconds, reverts: place === 0 }),
      ),
    );
    const requests = operations.map((each) => this.request(each, { paymasterId, nowSeconds, validUntilSeconds }));
    const [first] = requests;
    if (!first) return;
    await Promise.all(requests.map((request) => this.ledger.reserve(request)));
    // Asked for again, as clients do.
    await this.ledger.reserve({ ...first, event: { ...first.event, requestId: faker.string.uuid() } });
    this.refuse(first);
    await this.world.chain.handleOps(VERSION, operations.slice(0, 3));
  }

  private request(
    { operation, wallet, prechargeWei }: SponsoredOperation,
    of: { paymasterId: string; nowSeconds: number; validUntilSeconds: number },
  ): ReserveRequest {
    const { entryPoint, paymaster } = this.world.chain.world.of(VERSION);
    return aReserveRequest({
      ...{ chainId: CHAIN_ID, contract: paymaster, wallet, entryPoint, entryPointVersion: VERSION, ...of },
      ...{ sender: operation.sender, nonce: operation.nonce, prechargeWei },
      claims: [aBudgetClaim({ key: `${of.paymasterId}/wei`, unit: 'wei', amount: prechargeWei, limit: 10n ** 30n })],
    });
  }

  private refuse({ event, paymasterId, sender }: ReserveRequest): void {
    const { chainId, mode, entryPointVersion, policyVersion, prechargeWei } = event;
    this.ledger.recordRefusal({
      ...{ kind: 'refused', chainId, paymasterId, mode, sender, nonce: '1', entryPointVersion, policyVersion },
      ...{ reservationId: null, requestId: faker.string.uuid(), prechargeWei, targets: [], trace: [], details: {} },
      ...{ reason: 'SPENDING_LIMIT_REACHED', message: 'the limit is reached' },
    });
  }

  private async headTimeSeconds(): Promise<number> {
    const { timestamp } = (await this.world.chain.rpc('eth_getBlockByNumber', 'latest', false)) as {
      timestamp: string;
    };
    return Number(timestamp);
  }
}
