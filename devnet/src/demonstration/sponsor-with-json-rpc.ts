import { numberToHex } from 'viem';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { draftUserOperation, sendUserOperation, signUserOperation } from '../operations/user-operation';
import { askGateway } from './ask-gateway';
import type { SponsoredSend } from './demonstrated';

/** The sponsored-mode result of Biconomy's dialect (service-interface, section A). */
interface SponsoredResult {
  readonly mode: string;
  readonly paymasterAndData: Hex;
  readonly preVerificationGas: string;
  readonly verificationGasLimit: number;
  readonly callGasLimit: number;
}

/** The mode object of a sponsored operation; `smartAccountInfo` only hints at the account's kind. */
export const SPONSORED_MODE = {
  mode: 'SPONSORED',
  calculateGasLimits: true,
  sponsorshipInfo: { webhookData: {}, smartAccountInfo: { name: 'INFINITISM', version: '1.0.0' } },
};

/** Biconomy's dialect, spoken with nothing but fetch. */
export const sponsorWithPlainJsonRpc: SponsoredSend = async (stack, { account, say }) => {
  const version = account.entryPoint.version as EntryPointVersion;
  const { address: to, callData: data } = stack.demoContract;
  const draft = await draftUserOperation(stack, { account, calls: [{ to, data }] });
  const gateway = `${stack.paymasterRpc}/api/v2/${stack.chainId}`;
  say('request', `pm_sponsorUserOperation, mode SPONSORED, DemoCounter.increment() -> ${gateway}/<apiKey>`);

  const granted = await askGateway<SponsoredResult>(stack, 'pm_sponsorUserOperation', [draft, SPONSORED_MODE]);
  say(
    'verdict',
    `sponsored: paymasterAndData of ${granted.paymasterAndData.length / 2 - 1} bytes, ` +
      `callGasLimit ${granted.callGasLimit}, verificationGasLimit ${granted.verificationGasLimit}, ` +
      `preVerificationGas ${granted.preVerificationGas}`,
  );
  const operation = await signUserOperation(account, {
    ...draft,
    paymasterAndData: granted.paymasterAndData,
    callGasLimit: numberToHex(granted.callGasLimit),
    verificationGasLimit: numberToHex(granted.verificationGasLimit),
    preVerificationGas: numberToHex(BigInt(granted.preVerificationGas)),
  });
  return sendUserOperation(stack, { version, operation });
};
