import type { Address, EntryPointVersion } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { signersHealth } from './signers-health';

const first = { name: 'kms', address: randomAddress(), isUp: true, downBecause: undefined };
const second = { name: 'vault', address: randomAddress(), isUp: true, downBecause: undefined };
const out = { isUp: false, downBecause: 'timeout' } as const;

describe('signersHealth', () => {
  /** Both signers on one chain with two contracts. */
  const healthOf = (
    changes: {
      signers?: Array<{ name: string; address: Address; isUp: boolean; downBecause: 'timeout' | undefined }>;
      strangers?: Record<string, EntryPointVersion[]>;
      unsignable?: EntryPointVersion[];
      trouble?: string;
    } = {},
  ) => {
    const { signers = [first, second], strangers = {}, unsignable = [], trouble } = changes;
    const signer = { strangerTo: (address: Address) => strangers[address] ?? [], unsignable: () => unsignable };
    const chain = { config: { chainId: 10, entryPoints: { '0.6': {}, '0.7': {} } }, signer };
    return signersHealth({ signers: { report: () => signers }, chains: [chain], trouble });
  };

  it('is up when every signer is and every contract knows it', () => {
    expect(healthOf()).toEqual({
      status: 'up',
      detail: `kms ${first.address} up; vault ${second.address} up`,
    });
  });

  it('is degraded, naming the signer, when one is down or unknown to a contract, or the file was refused', () => {
    expect(healthOf({ signers: [first, { ...second, ...out }] })).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining(`vault ${second.address} down (timeout)`),
    });
    expect(healthOf({ strangers: { [first.address]: ['0.7'] }, unsignable: ['0.7'] })).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining(`kms ${first.address} in no signer set of 10:v0.7`),
    });
    expect(healthOf({ trouble: 'signers.0.url must be https' })).toMatchObject({
      status: 'degraded',
      detail: expect.stringContaining('file refused: signers.0.url must be https'),
    });
  });

  it('is down when no signer can sign for any contract', () => {
    const signers = [
      { ...first, ...out },
      { ...second, ...out },
    ];
    expect(healthOf({ signers, unsignable: ['0.6', '0.7'] }).status).toBe('down');
  });
});
