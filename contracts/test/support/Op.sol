// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// @notice A user operation without its version's packing.
struct Op {
    address sender;
    uint256 nonce;
    bytes initCode;
    bytes callData;
    uint256 callGasLimit;
    uint256 verificationGasLimit;
    uint256 preVerificationGas;
    uint256 maxFeePerGas;
    uint256 maxPriorityFeePerGas;
    uint256 paymasterVerificationGasLimit;
    uint256 paymasterPostOpGasLimit;
    uint8 mode;
    uint48 validUntil;
    uint48 validAfter;
    address fundingWallet;
    uint32 feeMarkup;
    uint32 unaccountedGas;
    /// @dev Token mode only, down to `permit`.
    uint8 way;
    /// @dev By how many quarters token mode's gas constants are raised, 0 to 15: the high half of the way's byte.
    uint8 gasQuarters;
    address token;
    uint192 exchangeRate;
    uint32 premium;
    address feeReceiver;
    uint192 maxTokenCharge;
    bytes permit;
    /// @dev Appended to the paymaster data: the paymaster's signature.
    bytes signature;
}

/// @notice What became of one operation of a bundle.
struct Outcome {
    bytes32 userOpHash;
    bool settled;
    bool success;
    /// @dev What the EntryPoint took, by its own event.
    uint256 takenWei;
    uint256 chargedWei;
    uint256 refundedWei;
    uint256 prechargedWei;
    uint256 feeWei;
    /// @dev How often `postOp` was called, and the cost and price it was told last.
    uint256 postOpCalls;
    uint256 toldCostWei;
    uint256 toldFeePerGas;
    bytes context;
    /// @dev v0.7 and v0.8: `postOp` reverted, and nothing of it is left.
    bool postOpReverted;
    /// @dev Token mode: what its events say. `paid` without a payment of tokens is a payment of zero.
    bool paid;
    uint256 chargedTokens;
    uint256 refundedTokens;
    bool isDue;
    uint256 dueTokens;
    bool callsSucceeded;
    address refundKeptFor;
    uint256 refundKept;
}
