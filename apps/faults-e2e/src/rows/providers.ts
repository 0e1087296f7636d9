import { setTimeout as sleep } from 'node:timers/promises';
import { lies, type Mutators } from '@paymaster/chain/testing';
import type { Measured, Row } from './row';
import { p99Ms, successPercent, type FaultScene } from '../world/fault-scene';

const { backwardsHeads, misbehaves, oldFee, staleHead, swappedBalance, wrongChainId } = lies;
/** Of the world's chains.json, and two blocks. */
const OLDEST_HEAD_SECONDS = 10 + 2;
const LASTS = { short: 6, long: 60 };

interface Verdicts {
  readonly success: number;
  /** Decided otherwise than with honest providers. */
  readonly wrong: number;
  /** Requests whose verdict needs the chain that were told to ask again, as a share of them; percent. */
  readonly undecidedPercent: number;
  readonly p99Ms: number;
  readonly oldestHeadSeconds: number;
}

/** Sponsored requests, and beside them requests whose verdict needs a look at the chain. */
async function watch(
  scene: FaultScene,
  input: { seconds: number; careful: string; verdict: string; perSecond: number },
): Promise<Verdicts> {
  const { seconds, careful, verdict, perSecond } = input;
  const { gateways } = scene.world;
  const looks: Awaited<ReturnType<FaultScene['ask']>>[] = [];
  return scene.underLoad(
    async (load) => {
      const startedMs = performance.now();
      let oldest = 0;
      while (performance.now() - startedMs < seconds * 1_000) {
        const gateway = gateways[looks.length % gateways.length]!;
        looks.push(await scene.ask(gateway.url, { apiKey: careful }));
        const newest = load.answers.filter(({ outcome }) => outcome === 'signed').at(-1);
        if (newest) oldest = Math.max(oldest, scene.headAgeSeconds(newest, await scene.chainSeconds()));
        await sleep(100);
      }
      return {
        success: successPercent(load.since(startedMs)),
        wrong: looks.filter((look) => look.detail !== verdict && !isUndecided(look)).length,
        undecidedPercent: (100 * looks.filter(isUndecided).length) / looks.length,
        p99Ms: p99Ms(looks),
        oldestHeadSeconds: oldest,
      };
    },
    { perSecond },
  );
}

/** Told honestly that the chain cannot be asked now. */
const isUndecided = ({ detail }: { detail: string }): boolean => detail.startsWith('-32011');

function providerRow(row: {
  id: string;
  fault: string;
  /** What each of the three providers does, one spell after the other. */
  spells: ReadonlyArray<readonly Mutators[]>;
  leastSuccess?: number;
  /** Sponsored requests a second. */
  perSecond?: number;
  /** Percent of the requests whose verdict needs the chain. */
  mostUndecided?: number;
  /** Milliseconds. */
  mostAddedMs?: number;
}): Row {
  const { id, fault, spells, perSecond = 10, leastSuccess = 99.9, mostUndecided = 0, mostAddedMs = 500 } = row;
  return {
    ...{ id, fault, lastsSeconds: LASTS },
    async play(scene, lastsSeconds): Promise<readonly Measured[]> {
      const careful = await scene.carefulPaymaster();
      const { detail: verdict } = await scene.ask(scene.world.gateways[0]!.url, { apiKey: careful });
      const watched = { careful, verdict, perSecond };
      const before = await watch(scene, { seconds: 2, ...watched });
      const during: Verdicts[] = [];
      for (const spell of spells) {
        spell.forEach((mutators, index) => scene.world.providers[index]!.lie(mutators));
        during.push(await watch(scene, { seconds: lastsSeconds / spells.length, ...watched }));
        for (const provider of scene.world.providers) provider.beHonest();
      }
      const worst = (of: (verdicts: Verdicts) => number) => Math.max(...during.map(of));
      return [
        {
          what: 'RPC success',
          value: Math.min(...during.map(({ success }) => success)),
          unit: '%',
          atLeast: leastSuccess,
        },
        { what: 'wrong verdicts', value: before.wrong + worst(({ wrong }) => wrong), atMost: 0 },
        {
          what: 'undecided',
          value: worst((each) => each.undecidedPercent),
          unit: '%',
          atMost: mostUndecided,
        },
        {
          what: 'added p99',
          value: Math.max(0, worst((each) => each.p99Ms) - before.p99Ms),
          unit: 'ms',
          atMost: mostAddedMs,
        },
        { what: 'oldest head', value: worst((each) => each.oldestHeadSeconds), unit: 's', atMost: OLDEST_HEAD_SECONDS },
      ];
    },
  };
}

const HONEST: Mutators = {};

export const PROVIDER_ROWS: readonly Row[] = [
  providerRow({ id: 'B27', fault: 'one of three providers down', spells: [[misbehaves('reset')]] }),
  providerRow({ id: 'B28', fault: 'one of three providers hangs', spells: [[misbehaves('hang')]] }),
  providerRow({
    id: 'B29',
    fault: 'one provider lags 50 blocks, then one goes back and forth',
    spells: [[staleHead(50)], [HONEST, backwardsHeads(3)]],
  }),
  providerRow({
    id: 'B30',
    fault: 'one of three lies: chain, fees, balances and code',
    spells: [
      [wrongChainId(1)],
      [{ ...oldFee(1n), ...swappedBalance(1n), eth_getCode: () => '0x6001', eth_getStorageAt: () => '0x01' }],
    ],
  }),
  providerRow({
    id: 'B31',
    fault: 'two of three providers answer 429 to every second call',
    leastSuccess: 99,
    // So many that one of a hundred may fail.
    perSecond: 20,
    // Two have to agree: now and then both refuse within the patience that a client has.
    mostUndecided: 10,
    // As long as a provider asks for patience.
    mostAddedMs: 2_000,
    spells: [[everySecond(misbehaves('http429')), everySecond(misbehaves('http429'))]],
  }),
];

/** Lies at every second call. */
function everySecond(mutators: Mutators): Mutators {
  let calls = 0;
  const lie = mutators['*']!;
  return { '*': (call) => (calls++ % 2 === 0 ? call.truth() : lie(call)) };
}
