import { randomAddress, randomHex } from '@paymaster/domain/testing';
import type { UnsettledRecord } from './unsettled-records';
import { linesOf } from './unsettled-watch.service';

const record: UnsettledRecord = {
  ...{ contract: randomAddress(), wallet: randomAddress(), recordedWei: 0n, strandedWei: 5n },
  ...{ statement: undefined, creditableAtSeconds: undefined },
};

it('says another line when more of the money can be sent back', () => {
  const [[before]] = linesOf(1, record) as [[object, string]];
  const [[after]] = linesOf(1, { ...record, strandedWei: 7n }) as [[object, string]];
  expect(before).toEqual({ chainId: 1, contract: record.contract, wallet: record.wallet, strandedWei: '5' });
  expect(after).toEqual({ ...before, strandedWei: '7' });
});

it('says what is due, and what the owner has to state', () => {
  const userOpHash = randomHex(32);
  const statement = { returnedWei: 3n, operations: [{ userOpHash }] } as unknown as UnsettledRecord['statement'];
  const lines = linesOf(1, { ...record, strandedWei: 0n, recordedWei: 4n, statement, creditableAtSeconds: 0n });
  expect(lines).toEqual([
    [expect.objectContaining({ strandedWei: '0' }), expect.stringContaining('as soon as anybody sends the calls')],
    [
      expect.objectContaining({ recordedWei: '4', returnedWei: '3', operations: [userOpHash] }),
      expect.stringContaining('what the owner of the contract sends'),
    ],
  ]);
  expect(linesOf(1, { ...record, strandedWei: 0n, creditableAtSeconds: 9_999n })).toEqual([]);
});
