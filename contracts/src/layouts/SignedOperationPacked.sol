// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {Calldata} from "./Calldata.sol";
import "./SignedOperation.sol";

/**
 * @title SignedOperationPacked
 * @notice The EIP-712 struct that a signer signs for EntryPoint v0.7 and later.
 */
library SignedOperationPacked {
    using Calldata for bytes;
    using SignedOperation for uint256[MEMBERS];

    bytes32 private constant _SPONSORED_TYPE_HASH =
        keccak256(
            "SponsoredUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint128 paymasterVerificationGasLimit,uint128 paymasterPostOpGasLimit,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas)"
        );
    bytes32 private constant _TOKEN_PAID_TYPE_HASH =
        keccak256(
            "TokenPaidUserOperation(address entryPoint,uint8 mode,address sender,address delegate,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,uint128 paymasterVerificationGasLimit,uint128 paymasterPostOpGasLimit,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas,uint8 way,address token,uint192 exchangeRate,uint32 premium,address feeReceiver,uint192 maxTokenCharge,bytes permit)"
        );

    /// @dev Two limits in one word: verification (128 bits), the calls (128 bits).
    uint256 internal constant ACCOUNT_GAS_LIMITS = 8;
    uint256 internal constant PRE_VERIFICATION_GAS = 9;
    /// @dev Two prices in one word: maxPriorityFeePerGas (128 bits), maxFeePerGas (128 bits).
    uint256 internal constant GAS_FEES = 10;
    uint256 internal constant PAYMASTER_VERIFICATION_GAS_LIMIT = 11;
    uint256 internal constant PAYMASTER_POST_OP_GAS_LIMIT = 12;

    // Where the two limits are in `paymasterAndData`, and their size: behind the paymaster (20), before the rest.
    uint256 private constant _VERIFICATION_GAS_LIMIT_AT = 20;
    uint256 private constant _POST_OP_GAS_LIMIT_AT = 36;
    uint256 private constant _GAS_LIMIT_LENGTH = 16;

    /// @dev Writes what is not in the paymaster data; the mode is there.
    function write(
        uint256[MEMBERS] memory signed,
        address entryPoint,
        PackedUserOperation calldata userOp,
        bytes calldata paymasterAndData
    ) internal view {
        address sender = userOp.sender;
        signed[TYPE_HASH] = uint256(signed.isTokenPaid() ? _TOKEN_PAID_TYPE_HASH : _SPONSORED_TYPE_HASH);
        signed[ENTRY_POINT] = uint160(entryPoint);
        signed[SENDER] = uint160(sender);
        signed[DELEGATE] = uint160(SignedOperation.delegateOf(sender));
        signed[NONCE] = userOp.nonce;
        signed[INIT_CODE_HASH] = uint256(_initCodeHash(userOp.initCode));
        signed[CALL_DATA_HASH] = uint256(userOp.callData.hash());
        signed[ACCOUNT_GAS_LIMITS] = uint256(userOp.accountGasLimits);
        signed[PRE_VERIFICATION_GAS] = userOp.preVerificationGas;
        signed[GAS_FEES] = uint256(userOp.gasFees);
        signed[PAYMASTER_VERIFICATION_GAS_LIMIT] = paymasterAndData.uintAt(
            _VERIFICATION_GAS_LIMIT_AT,
            _GAS_LIMIT_LENGTH
        );
        signed[PAYMASTER_POST_OP_GAS_LIMIT] = paymasterAndData.uintAt(_POST_OP_GAS_LIMIT_AT, _GAS_LIMIT_LENGTH);
    }

    /// @dev EntryPoints from v0.8 on take the EIP-7702 marker with and without its zeros, and bundlers send either for the same
    ///      operation: what is shorter than an address counts as padded. EntryPoint v0.7 refuses it.
    function _initCodeHash(bytes calldata initCode) private pure returns (bytes32) {
        if (initCode.length == 0 || initCode.length >= 20) return initCode.hash();
        return keccak256(abi.encodePacked(bytes20(initCode)));
    }
}
