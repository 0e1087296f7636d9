import { Wallet } from 'ethers';
import { recoverSigner } from './recover-signer';

describe('recoverSigner', () => {
  it('names the wallet that signed, in lower case', async () => {
    const wallet = Wallet.createRandom();
    expect(recoverSigner('text', await wallet.signMessage('text'))).toBe(wallet.address.toLowerCase());
  });

  it('names somebody else for another text', async () => {
    const wallet = Wallet.createRandom();
    expect(recoverSigner('text ', await wallet.signMessage('text'))).not.toBe(wallet.address.toLowerCase());
  });

  it.each([
    ['r that is on no curve point', `0x${'f'.repeat(64)}${'1'.repeat(64)}1b`],
    ['zero', `0x${'0'.repeat(128)}1b`],
    ['s above half of the order', `0x${'1'.repeat(64)}${'f'.repeat(64)}1b`],
    ['v of 29', `0x${'1'.repeat(128)}1d`],
    ['64 bytes', `0x${'1'.repeat(128)}`],
    ['nothing', ''],
  ])('is null for %s', (_title, signature) => {
    expect(recoverSigner('text', signature)).toBeNull();
  });
});
