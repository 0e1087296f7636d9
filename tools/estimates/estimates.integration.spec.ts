import { landGranted, type Granted } from './granted';
import { measureOperations, type Measured } from './measure';
import { medianOf, MOST, verdictOf } from './report';
import { startEstimatesWorld } from './world';

/** Two of each family with published code; `npm run estimates` lands many more. */
const OPERATIONS = 36;
/** Three of each family; `npm run estimates -- --granted 3000` plays every story with each. */
const GRANTED = 57;

jest.setTimeout(600_000);

describe("the gateway's own estimates", () => {
  let measured: Measured[];
  let granted: Granted[];

  beforeAll(async () => {
    const world = await startEstimatesWorld();
    try {
      measured = await measureOperations(world, { count: OPERATIONS });
      granted = await landGranted(world, { count: GRANTED });
    } finally {
      await world.stop();
    }
  });

  it('land every operation of every family, and are hardly above what it takes', () => {
    expect(measured).toHaveLength(OPERATIONS);
    expect(measured.filter(({ landed }) => !landed)).toEqual([]);
    // The time of an estimate is for machines that do nothing else: `npm run estimates` judges it.
    expect(verdictOf(measured, [0])).toEqual([]);
  });

  it('land the first, second and third operation of every family, large ones too, with real signatures', () => {
    expect(granted).toHaveLength(GRANTED);
    expect(granted.filter(({ failure }) => failure !== undefined)).toEqual([]);
  });

  it('are closer than those of the bundler', () => {
    const excess = (limitOf: (each: Measured) => bigint | undefined) =>
      medianOf(measured.map((each) => Number((limitOf(each) ?? 0n) - each.callGasUsed) / Number(each.callGasUsed)));
    expect(excess((each) => each.callGasLimit)).toBeLessThan(excess((each) => each.bundler?.callGasLimit));
  });

  it('are told from limits that are too low, or too high', () => {
    const [first] = measured as [Measured];
    expect(verdictOf([{ ...first, landed: false }], [0])).toEqual([expect.stringContaining('did not land')]);
    const high = {
      ...first,
      callGasLimit: 3n * first.callGasUsed,
      verificationGasLimit: 2n * first.leastVerificationGas,
    };
    expect(verdictOf([high], [MOST.estimateMs + 1])).toHaveLength(3);
  });
});
