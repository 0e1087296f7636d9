import type { Hex } from '@paymaster/domain';
import { randomAddress } from '@paymaster/domain/testing';
import { AccountDeployment } from './account-deployment';

describe('AccountDeployment', () => {
  it('remembers a deployed account', async () => {
    const code = jest.fn(async (): Promise<Hex> => '0x6080');
    const accounts = new AccountDeployment({ code });
    const account = randomAddress();
    await expect(accounts.isDeployed(account)).resolves.toBe(true);
    await expect(accounts.isDeployed(account)).resolves.toBe(true);
    expect(code).toHaveBeenCalledTimes(1);
  });

  it('asks again for one that was not there a moment ago', async () => {
    let deployed: Hex = '0x';
    let nowMs = 0;
    const accounts = new AccountDeployment({ code: async () => deployed }, { clock: () => nowMs });
    const account = randomAddress();
    await expect(accounts.isDeployed(account)).resolves.toBe(false);
    deployed = '0x6080';
    nowMs = 1_000;
    await expect(accounts.isDeployed(account)).resolves.toBe(true);
  });
});
