import { numberToHex } from 'viem';
import type { EntryPointVersion, Hex } from '@paymaster/domain';
import { draftUserOperation, sendUserOperation, signUserOperation } from '../operations/user-operation';
import { askGateway } from './ask-gateway';
import type { TokenPayingSend } from './demonstrated';
import { approvalFor, describeQuote, quoteInToken, tokenMode } from './token-quote';

/** The final call's result in Biconomy's dialect on v0.6; the same members as in sponsored mode. */
interface TokenPaidResult {
  readonly paymasterAndData: Hex;
  readonly preVerificationGas: string;
  readonly verificationGasLimit: number;
  readonly callGasLimit: number;
}

/** Quote, approve in the batch, final call: what existing SDKs do, spoken with nothing but fetch. */
export const payWithPlainJsonRpc: TokenPayingSend = async (stack, { account, token, approveFor, say }) => {
  const version = account.entryPoint.version as EntryPointVersion;
  const increment = { to: stack.demoContract.address, data: stack.demoContract.callData };

  const quoted = await quoteInToken(stack, { account, calls: [increment], token });
  say('quote', `pm_getFeeQuoteOrData, mode ERC20: ${describeQuote(quoted)}`);
  const calls = [...approvalFor(approveFor, { quoted, token, say }), increment];
  const draft = await draftUserOperation(stack, { account, calls });
  const mode = tokenMode({ feeTokenAddress: token.address });
  const granted = await askGateway<TokenPaidResult>(stack, 'pm_sponsorUserOperation', [draft, mode]);
  say('verdict', `signed: paymasterAndData of ${granted.paymasterAndData.length / 2 - 1} bytes`);

  const operation = await signUserOperation(account, {
    ...draft,
    paymasterAndData: granted.paymasterAndData,
    callGasLimit: numberToHex(granted.callGasLimit),
    verificationGasLimit: numberToHex(granted.verificationGasLimit),
    preVerificationGas: numberToHex(BigInt(granted.preVerificationGas)),
  });
  return { userOpHash: await sendUserOperation(stack, { version, operation }), quotedMaximum: quoted.maximum };
};
