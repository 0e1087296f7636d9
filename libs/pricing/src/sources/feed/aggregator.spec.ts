import type { Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { readDecimals, readLatestRound } from './aggregator';
import type { ContractCall, ContractReader } from './contract-reader';

/**
 * Answers as the test says. It records errors thrown inside `parse` separately, because a node would be blamed for
 * them.
 */
function nodeSaying(returned: unknown) {
  const calls: ContractCall[] = [];
  const blamed: unknown[] = [];
  const reader: ContractReader = {
    async ethCall(call, parse) {
      calls.push(call);
      try {
        return parse(returned);
      } catch (error) {
        blamed.push(error);
        throw error;
      }
    },
  };
  return { reader, calls, blamed };
}

const WORD = `0x${'0'.repeat(63)}8` as const;

describe.each([
  ['latestRoundData', readLatestRound],
  ['decimals', readDecimals],
])('%s of a feed', (_, read) => {
  it.each<[string, Hex]>([
    ['no code', '0x'],
    ['half a word', '0x00'],
    ['two words', `0x${'00'.repeat(64)}`],
    ['kilobytes', `0x${'00'.repeat(10_000)}`],
  ])('is refused as no feed, the node not blamed, when the answer is %s', async (__, returned) => {
    const { reader, blamed } = nodeSaying(returned);
    await expect(read(reader, randomAddress())).rejects.toThrow('the contract is no price feed');
    expect(blamed).toEqual([]);
  });

  it.each([null, 8, 'eight', '0x1', '0xzz'])(
    'blames the node for an answer that is not bytes: %j',
    async (returned) => {
      const { reader, blamed } = nodeSaying(returned);
      await expect(read(reader, randomAddress())).rejects.toThrow('not bytes');
      expect(blamed).toHaveLength(1);
    },
  );

  it('may use no more than 500,000 gas, because the owner who names a feed may have written it', async () => {
    const { reader, calls } = nodeSaying(WORD);
    await read(reader, randomAddress()).catch(() => undefined);
    expect(calls).toMatchObject([{ gas: 500_000n }]);
  });
});
