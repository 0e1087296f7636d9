import { AbiCoder, concat, Interface, toBeHex, zeroPadValue } from 'ethers';

/** Canonical EntryPoints, and the SimpleAccountFactory of each: the same addresses on every chain. */
export const ENTRY_POINTS = {
  0.6: '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  0.7: '0x0000000071727de22e5e9d8baf0edac6f37da032',
  0.8: '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  0.9: '0x433709009b8330fda32311df1c2afa402ed8d009',
};
export const ACCOUNT_FACTORIES = {
  0.6: '0x9406cc6185a346906296840746125a0e44976454',
  0.7: '0x91e60e0613810449d098b0b5ec8b51a0fe8c8985',
  0.8: '0x13e9ed32155810fdbd067d4522c492d6f68e5944',
  0.9: '0xedd9667c46f5fc5115ec33940df899ad4eae5949',
};
export const VERSIONS = Object.keys(ENTRY_POINTS).sort();

/** What stands behind paymasterData on v0.9, with the signature's length in front, where there is a paymasterSignature. */
const SIGNATURE_MAGIC = '0x22e325a297439656';
const BENEFICIARY = '0x00000000000000000000000000000000000000ee';

const OPERATION_V06 =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,' +
  'uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,bytes paymasterAndData,bytes signature)';
const PACKED_OPERATION =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,' +
  'bytes32 gasFees,bytes paymasterAndData,bytes signature)';

const interfaceOf = (operation) =>
  new Interface([
    `function handleOps(${operation}[] ops, address beneficiary)`,
    `function getUserOpHash(${operation} op) view returns (bytes32)`,
    'error FailedOp(uint256 opIndex, string reason)',
    'error FailedOpWithRevert(uint256 opIndex, string reason, bytes inner)',
    'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  ]);
const OF_V06 = interfaceOf(OPERATION_V06);
const OF_PACKED = interfaceOf(PACKED_OPERATION);

/** @param {string} version */
export const entryPointAbi = (version) => (version === '0.6' ? OF_V06 : OF_PACKED);

const number = (value) => BigInt(value ?? 0);
const word = (value, bytes) => zeroPadValue(toBeHex(number(value)), bytes);

/** `paymasterAndData` of an answer or an operation, as the EntryPoint sees it. */
export function packPaymasterAndData(version, fields) {
  if (version === '0.6') return fields.paymasterAndData ?? '0x';
  if (!fields.paymaster) return '0x';
  const signature = fields.paymasterSignature;
  return concat([
    fields.paymaster,
    word(fields.paymasterVerificationGasLimit, 16),
    word(fields.paymasterPostOpGasLimit, 16),
    fields.paymasterData ?? '0x',
    ...(signature ? [signature, word((signature.length - 2) / 2, 2), SIGNATURE_MAGIC] : []),
  ]);
}

/** The operation as a tuple of the EntryPoint's ABI. */
function tupleOf(version, operation) {
  const { sender, callData, signature = '0x' } = operation;
  const paymasterAndData = packPaymasterAndData(version, operation);
  const [callGas, verificationGas, preVerificationGas, fee, tip] = [
    'callGasLimit',
    'verificationGasLimit',
    'preVerificationGas',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
  ].map((name) => number(operation[name]));
  const nonce = number(operation.nonce);
  if (version === '0.6') {
    const { initCode = '0x' } = operation;
    const gas = [callGas, verificationGas, preVerificationGas, fee, tip];
    return [sender, nonce, initCode, callData, ...gas, paymasterAndData, signature];
  }
  const initCode = operation.factory ? concat([operation.factory, operation.factoryData ?? '0x']) : '0x';
  const [limits, fees] = [
    concat([word(verificationGas, 16), word(callGas, 16)]),
    concat([word(tip, 16), word(fee, 16)]),
  ];
  return [sender, nonce, initCode, callData, limits, preVerificationGas, fees, paymasterAndData, signature];
}

export function handleOpsData(version, operation, beneficiary = BENEFICIARY) {
  return entryPointAbi(version).encodeFunctionData('handleOps', [[tupleOf(version, operation)], beneficiary]);
}

export function userOpHashData(version, operation) {
  return entryPointAbi(version).encodeFunctionData('getUserOpHash', [tupleOf(version, operation)]);
}

/** `AA34 signature error` and the like, of the data that a node returns with a revert. */
export function revertReason(version, data) {
  try {
    const error = entryPointAbi(version).parseError(data);
    if (error?.args.reason) return error.args.reason;
    return `${error?.name}(${error?.args.join(', ')})`;
  } catch {
    return data && data !== '0x' ? `revert with ${data.slice(0, 10)}` : 'revert without data';
  }
}

export const abiCoder = AbiCoder.defaultAbiCoder();
