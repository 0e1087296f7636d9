/** The EIP-712 strings of docs/architecture/paymaster-data.md, section "The digest". */
export const DOMAIN_NAME = 'HybridPaymaster';
export const DOMAIN_VERSION = '1';
export const DOMAIN_TYPE = 'EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)';

const OPERATION_HEAD =
  'address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData';
const SPONSOR_TAIL = 'uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas';

const TOKEN_TAIL =
  'uint8 way,address token,uint192 exchangeRate,uint32 premium,address feeReceiver,uint192 maxTokenCharge,bytes permit';

const MEMBERS_V06 =
  `${OPERATION_HEAD},` +
  `uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,` +
  `uint256 maxPriorityFeePerGas,${SPONSOR_TAIL}`;
const MEMBERS_V07 =
  `${OPERATION_HEAD},` +
  `bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,` +
  `uint128 paymasterVerificationGasLimit,uint128 paymasterPostOpGasLimit,${SPONSOR_TAIL}`;

export const SPONSORED_OPERATION_TYPE_V06 = `SponsoredUserOperation(${MEMBERS_V06})`;
export const SPONSORED_OPERATION_TYPE_V07 = `SponsoredUserOperation(${MEMBERS_V07})`;

/** Token mode has a type of its own, so that no signature can be read in the other mode. */
export const TOKEN_PAID_OPERATION_TYPE_V06 = `TokenPaidUserOperation(${MEMBERS_V06},${TOKEN_TAIL})`;
export const TOKEN_PAID_OPERATION_TYPE_V07 = `TokenPaidUserOperation(${MEMBERS_V07},${TOKEN_TAIL})`;
