// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {HybridPaymasterCore} from "./core/HybridPaymasterCore.sol";
import {PackedHybridPaymaster} from "./core/PackedHybridPaymaster.sol";

/**
 * @title HybridPaymasterV08
 * @notice The paymaster for EntryPoint v0.8.
 * @dev The fine for unused call gas is already in `actualGasCost`; the fine for unused postOp gas comes after and is
 *      billed here. The EntryPoint waives fines up to 40,000 gas; that is not passed on, because the waiver depends
 *      on the gas `postOp` really used, which is only known to be at most `unaccountedGas`.
 *
 *      A `postOp` limit of at most `unaccountedGas` is billed no fine. Only sponsorship has that, because token mode's
 *      least limit is above `unaccountedGas`. There both are at least `MIN_POST_OP_GAS`, twice the gas that is
 *      measured, and what `unaccountedGas` bills too much is more than a tenth of the limit.
 */
contract HybridPaymasterV08 is PackedHybridPaymaster {
    uint256 private constant _PENALTY_DIVISOR = 10;
    /// @dev `initCode` starting with this, padded to 20 bytes, names an EIP-7702 account.
    bytes20 private constant _EIP7702_MARKER = bytes20(bytes2(0x7702));
    /// @dev Code of a delegated account: this prefix and the delegate's address.
    bytes3 private constant _EIP7702_PREFIX = 0xef0100;

    error SenderNotDelegated(address sender);

    constructor(
        IStakeManager entryPoint_,
        address owner_,
        address[] memory signers_,
        uint256 withdrawalDelaySeconds_
    ) HybridPaymasterCore(entryPoint_, owner_, signers_, withdrawalDelaySeconds_) {}

    /// @inheritdoc PackedHybridPaymaster
    function _cost(
        uint256 unaccountedGas,
        GasLimits memory gasLimits,
        uint256 actualGasCost,
        uint256 feePerGas
    ) internal pure override returns (uint256) {
        uint256 postOpGasLimit = gasLimits.paymasterPostOpGasLimit;
        uint256 unusedGas = postOpGasLimit > unaccountedGas ? postOpGasLimit - unaccountedGas : 0;
        return actualGasCost + (unaccountedGas + unusedGas / _PENALTY_DIVISOR) * feePerGas;
    }

    /**
     * @inheritdoc PackedHybridPaymaster
     * @dev For an EIP-7702 account the delegate's address stands for the marker, as in the EntryPoint's own hash:
     *      a sender can't swap its delegate after the operation was sponsored.
     */
    function _initCodeHash(PackedUserOperation calldata userOp) internal view override returns (bytes32) {
        bytes calldata initCode = userOp.initCode;
        // Like the EntryPoint, a marker shorter than 20 bytes counts as padded with zeros.
        if (initCode.length < 2 || bytes20(initCode) != _EIP7702_MARKER) return keccak256(initCode);

        address sender = userOp.sender;
        bytes32 code;
        assembly ("memory-safe") {
            mstore(0, 0)
            extcodecopy(sender, 0, 0, 23)
            code := mload(0)
        }
        if (bytes3(code) != _EIP7702_PREFIX) revert SenderNotDelegated(sender);
        bytes20 delegate = bytes20(code << 24);
        return keccak256(initCode.length <= 20 ? abi.encodePacked(delegate) : bytes.concat(delegate, initCode[20:]));
    }
}
