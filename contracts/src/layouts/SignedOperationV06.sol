// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {Calldata} from "./Calldata.sol";
import "./SignedOperation.sol";

/**
 * @title SignedOperationV06
 * @notice The EIP-712 struct that a signer signs for EntryPoint v0.6.
 */
library SignedOperationV06 {
    using Calldata for bytes;
    using SignedOperation for uint256[MEMBERS];

    bytes32 private constant _SPONSORED_TYPE_HASH =
        keccak256(
            "SponsoredUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas)"
        );
    bytes32 private constant _TOKEN_PAID_TYPE_HASH =
        keccak256(
            "TokenPaidUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas,uint8 way,address token,uint192 exchangeRate,uint32 premium,address feeReceiver,uint192 maxTokenCharge,bytes permit)"
        );

    uint256 internal constant CALL_GAS_LIMIT = 8;
    uint256 internal constant VERIFICATION_GAS_LIMIT = 9;
    uint256 internal constant PRE_VERIFICATION_GAS = 10;
    uint256 internal constant MAX_FEE_PER_GAS = 11;
    uint256 internal constant MAX_PRIORITY_FEE_PER_GAS = 12;

    /// @dev Writes what is not in the paymaster data; the mode is there.
    function write(
        uint256[MEMBERS] memory signed,
        address entryPoint,
        UserOperation calldata userOp
    ) internal view {
        address sender = userOp.sender;
        signed[TYPE_HASH] = uint256(signed.isTokenPaid() ? _TOKEN_PAID_TYPE_HASH : _SPONSORED_TYPE_HASH);
        signed[ENTRY_POINT] = uint160(entryPoint);
        signed[SENDER] = uint160(sender);
        signed[DELEGATE] = uint160(SignedOperation.delegateOf(sender));
        signed[NONCE] = userOp.nonce;
        signed[INIT_CODE_HASH] = uint256(userOp.initCode.hash());
        signed[CALL_DATA_HASH] = uint256(userOp.callData.hash());
        signed[CALL_GAS_LIMIT] = userOp.callGasLimit;
        signed[VERIFICATION_GAS_LIMIT] = userOp.verificationGasLimit;
        signed[PRE_VERIFICATION_GAS] = userOp.preVerificationGas;
        signed[MAX_FEE_PER_GAS] = userOp.maxFeePerGas;
        signed[MAX_PRIORITY_FEE_PER_GAS] = userOp.maxPriorityFeePerGas;
    }
}
