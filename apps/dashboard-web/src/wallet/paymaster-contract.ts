import { encodeFunctionData, parseAbi } from 'viem';

/** What an owner calls on the paymaster contract with his own wallet. */
const ABI = parseAbi([
  'function depositFor(address fundingWallet) payable',
  'function requestWithdrawal(uint256 amountWei)',
  'function cancelWithdrawal()',
  'function executeWithdrawal(address to)',
  'function withdrawalOf(address fundingWallet) view returns (uint256 amountWei, uint256 executableAt)',
  'function withdrawalDelaySeconds() view returns (uint256)',
]);

export const calls = {
  deposit: (wallet: `0x${string}`) => encodeFunctionData({ abi: ABI, functionName: 'depositFor', args: [wallet] }),
  requestWithdrawal: (amountWei: bigint) =>
    encodeFunctionData({ abi: ABI, functionName: 'requestWithdrawal', args: [amountWei] }),
  cancelWithdrawal: () => encodeFunctionData({ abi: ABI, functionName: 'cancelWithdrawal' }),
  executeWithdrawal: (to: `0x${string}`) =>
    encodeFunctionData({ abi: ABI, functionName: 'executeWithdrawal', args: [to] }),
};

export const PAYMASTER_CONTRACT_ABI = ABI;
