import * as generated from '@paymaster/contract-abis';
import { randomAddress } from '@paymaster/domain/testing';
import { Interface, type InterfaceAbi } from 'ethers';
import { WALLET_FUNCTIONS, walletTransactions } from './wallet-transactions';

const [contract, fundingWallet] = [randomAddress(), randomAddress()];
const entryPoints = { '0.6': { entryPoint: randomAddress(), paymaster: contract } };

describe('walletTransactions', () => {
  it('pays the amount for a deposit, and asks for it in a withdrawal to the wallet', () => {
    const [of] = walletTransactions({ entryPoints }, { fundingWallet, amountWei: 7n });
    const read = ({ data }: { data: string }) => WALLET_FUNCTIONS.parseTransaction({ data });
    expect(of).toMatchObject({ entryPointVersion: '0.6', deposit: { to: contract, valueWei: 7n } });
    expect(String(read(of!.deposit)?.args[0]).toLowerCase()).toBe(fundingWallet);
    expect(of?.requestWithdrawal).toMatchObject({ to: contract, valueWei: 0n });
    expect(read(of!.requestWithdrawal)?.args).toEqual([7n]);
    expect(String(read(of!.executeWithdrawal)?.args[0]).toLowerCase()).toBe(fundingWallet);
    expect(read(of!.cancelWithdrawal)?.name).toBe('cancelWithdrawal');
  });

  it.each([
    'hybridPaymasterV06Abi',
    'hybridPaymasterV07Abi',
    'hybridPaymasterV08Abi',
    'hybridPaymasterV09Abi',
  ] as const)('calls functions that %s has', (name) => {
    const contractInterface = new Interface(generated[name] as InterfaceAbi);
    WALLET_FUNCTIONS.forEachFunction(({ selector, payable }) => {
      expect(contractInterface.getFunction(selector)).toMatchObject({ selector, payable });
    });
  });
});
