import type { Hex } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { LogsBloom } from './logs-bloom';

const log = { address: `0x${'11'.repeat(20)}` as Hex, topics: [`0x${'22'.repeat(32)}` as Hex] };
/** Low 11 bits of the first three pairs of bytes of keccak-256 of the address, and of the topic. */
const BITS_OF_ADDRESS = [704, 1028, 193];
const BITS_OF_TOPIC = [1213, 481, 327];

function bloomOf(bits: readonly number[]): LogsBloom {
  const bytes = Buffer.alloc(256);
  for (const bit of bits) bytes[255 - (bit >> 3)]! |= 1 << (bit & 7);
  return new LogsBloom(`0x${bytes.toString('hex')}`);
}

/** The integration specs show that real nodes make their filters in this way. */
describe('LogsBloom', () => {
  it('holds nothing when it is empty, and nothing is missing from it', () => {
    const bloom = bloomOf([]);
    expect(bloom.mayHold(randomAddress())).toBe(false);
    expect(bloom.isExplainedBy([])).toBe(true);
  });

  it('may hold everything when it is full', () => {
    const bloom = bloomOf(Array.from({ length: 2_048 }, (_, bit) => bit));
    expect(bloom.mayHoldLog({ address: randomAddress(), topics: [randomHex(32)] })).toBe(true);
    expect(bloom.isExplainedBy([log])).toBe(false);
  });

  it('holds a log whose address and topics are all in it', () => {
    expect(bloomOf([...BITS_OF_ADDRESS, ...BITS_OF_TOPIC]).mayHoldLog(log)).toBe(true);
    expect(bloomOf(BITS_OF_ADDRESS).mayHoldLog(log)).toBe(false);
    expect(bloomOf([...BITS_OF_ADDRESS.slice(1), ...BITS_OF_TOPIC]).mayHoldLog(log)).toBe(false);
  });

  it('is explained by the logs that set every bit of it, and by more', () => {
    const bloom = bloomOf([...BITS_OF_ADDRESS, ...BITS_OF_TOPIC]);
    expect(bloom.isExplainedBy([log])).toBe(true);
    expect(bloom.isExplainedBy([log, { address: randomAddress(), topics: [] }])).toBe(true);
    expect(bloom.isExplainedBy([{ ...log, topics: [] }])).toBe(false);
    expect(bloom.isExplainedBy([])).toBe(false);
  });
});
