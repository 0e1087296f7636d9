import { SimulationFailedError } from '@paymaster/domain';
import { randomAddress, userOperationV07Builder } from '@paymaster/domain/testing';
import { encodeFunctionData, parseAbi } from 'viem';
import { exampleCaller } from '../../testing/examples/example-world';
import { namingMissingCoins } from './naming-missing-coins';

const ABI = parseAbi(['function execute(address dest, uint256 value, bytes func)']);
const failed = new SimulationFailedError('EXECUTION_SIMULATION_FAILED', 'it reverts', { revertReason: 'it reverts' });

describe('namingMissingCoins', () => {
  const told = async (valueWei: bigint, balanceWei: bigint | Error, error: Error = failed): Promise<Error> => {
    const caller = exampleCaller();
    const balance = async () => {
      if (balanceWei instanceof Error) throw balanceWei;
      return balanceWei;
    };
    const args = [randomAddress(), valueWei, '0x'] as const;
    const operation = userOperationV07Builder()
      .with('callData', encodeFunctionData({ abi: ABI, args }))
      .build();
    const chain = { ...caller.chain, coins: { balanceWei: balance } };
    const asking = { ...caller, chain } as unknown as typeof caller;
    const question = { caller: asking, operation, account: undefined };
    return namingMissingCoins(question, Promise.reject(error)).catch((thrown: Error) => thrown) as Promise<Error>;
  };

  it('names what the account has, and what its calls send', async () => {
    expect(await told(10n, 7n)).toMatchObject({
      reason: 'EXECUTION_SIMULATION_FAILED',
      message: expect.stringMatching(/its calls send 10 wei, and the account has 7 wei$/),
      details: { revertReason: 'it reverts', balanceWei: '7', neededWei: '10' },
    });
  });

  it.each<[string, bigint, bigint | Error]>([
    ['has enough', 10n, 10n],
    ['sends nothing', 0n, 0n],
    ['has nobody knows how much', 10n, new Error('chain')],
  ])('leaves the failure as it is where the account %s', async (_what, valueWei, balanceWei) => {
    expect(await told(valueWei, balanceWei)).toBe(failed);
  });

  it('leaves a failed validation as it is', async () => {
    const ofValidation = new SimulationFailedError('VALIDATION_SIMULATION_FAILED', 'AA23');
    expect(await told(10n, 7n, ofValidation)).toBe(ofValidation);
  });
});
