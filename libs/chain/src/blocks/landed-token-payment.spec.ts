import type { Address } from '@paymaster/domain';
import { randomAddress, randomHex } from '@paymaster/domain/testing';
import { Interface } from 'ethers';
import { landedTokenPayment } from './landed-token-payment';

const CONTRACT = new Interface([
  'event UserOperationPaidInToken(bytes32 indexed userOpHash, address indexed token, address indexed sender, address feeReceiver, uint256 charged, uint256 refunded)',
]);
const [PAYMASTER, TOKEN] = [randomAddress(), randomAddress()];
const [USER_OP, TRANSACTION] = [randomHex(32).toLowerCase(), randomHex(32).toLowerCase()];

function log({ address = PAYMASTER, userOpHash = USER_OP }: { address?: Address; userOpHash?: string } = {}) {
  const values = [userOpHash, TOKEN, randomAddress(), randomAddress(), 8_928_576n, 11n];
  const mined = { blockNumber: '0x1', blockHash: randomHex(32), transactionHash: TRANSACTION, logIndex: '0x0' };
  return { address, ...CONTRACT.encodeEventLog('UserOperationPaidInToken', values), ...mined };
}

/** @param receipt what the node answers; null: it has none */
const read = (receipt: unknown) =>
  landedTokenPayment(
    { ask: async <T>(_method: string, _params: unknown, parse: (value: unknown) => T) => parse(receipt) },
    { transactionHash: TRANSACTION, userOpHash: USER_OP, paymasters: [PAYMASTER] },
  );

describe('landedTokenPayment', () => {
  it('says which token was paid, and how much of it was kept', async () => {
    const logs = [{ address: randomAddress(), data: 'of another form' }, log({ userOpHash: randomHex(32) }), log()];
    expect(await read({ logs })).toEqual({ token: TOKEN, amount: 8_928_576n });
  });

  it.each<[string, unknown]>([
    ['the node has no receipt', null],
    ['another operation of the bundle paid', { logs: [log({ userOpHash: randomHex(32) })] }],
    ['a stranger made the event', { logs: [log({ address: randomAddress() })] }],
  ])('knows none where %s', async (_title, receipt) => {
    expect(await read(receipt)).toBeNull();
  });

  it.each<[string, unknown]>([
    ['no list of logs', { logs: 7 }],
    ['an event that is cut off', { logs: [{ ...log(), data: '0x12' }] }],
  ])('believes no receipt with %s', async (_title, receipt) => {
    await expect(read(receipt)).rejects.toThrow();
  });
});
