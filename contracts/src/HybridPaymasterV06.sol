// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v06/interfaces/IPaymaster.sol";
import {UserOperation} from "@account-abstraction/contracts-v06/interfaces/UserOperation.sol";
import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {HybridPaymasterCore} from "./core/HybridPaymasterCore.sol";
import {StringRefusals} from "./core/StringRefusals.sol";

/**
 * @title HybridPaymasterV06
 * @notice The paymaster for EntryPoint v0.6.
 * @dev This EntryPoint has no unused-gas penalty. `verificationGasLimit` also limits `postOp`, so its lower bound
 *      stands in for the postOp limit of later versions: a `postOp` out of gas here reverts the whole bundle. The
 *      EntryPoint doesn't say its price per gas to `postOp`; it is worked out the same way from the signed fees and
 *      the base fee (the bundler's `tx.gasprice` is the bundler's to choose). When the first `postOp` is undone, the
 *      second call finds the ledger as validation left it and settles in the same way.
 */
contract HybridPaymasterV06 is HybridPaymasterCore, StringRefusals, IPaymaster {
    /// @notice Least `verificationGasLimit`: it also limits `postOp`, which must never run out of gas.
    uint256 public constant MIN_VERIFICATION_GAS = 40_000;
    /// @notice Least `unaccountedGas`: settlement and the EntryPoint's tail, measured, with a margin.
    uint256 public constant MIN_UNACCOUNTED_GAS = 15_000;

    uint256 private constant _PREFIX_LENGTH = 20;

    bytes32 private constant _SPONSORED_USER_OPERATION_TYPEHASH =
        keccak256(
            "SponsoredUserOperation(address entryPoint,uint8 mode,address sender,uint256 nonce,bytes initCode,bytes callData,uint256 callGasLimit,uint256 verificationGasLimit,uint256 preVerificationGas,uint256 maxFeePerGas,uint256 maxPriorityFeePerGas,uint48 validUntil,uint48 validAfter,address fundingWallet,uint32 feeMarkup,uint32 unaccountedGas)"
        );

    struct Fees {
        /// @dev The operation's highest price per gas.
        uint256 maxFeePerGas;
        /// @dev The operation's tip per gas; equal to the price on chains without a base fee.
        uint256 maxPriorityFeePerGas;
    }

    constructor(
        IStakeManager entryPoint_,
        address owner_,
        address[] memory signers_,
        uint256 withdrawalDelaySeconds_
    ) HybridPaymasterCore(entryPoint_, owner_, signers_, withdrawalDelaySeconds_) {}

    /// @inheritdoc IPaymaster
    function validatePaymasterUserOp(
        UserOperation calldata userOp,
        bytes32 userOpHash,
        uint256 maxCost
    ) external override onlyEntryPoint returns (bytes memory context, uint256 validationData) {
        SponsorData memory data = _parse(userOp.paymasterAndData, _PREFIX_LENGTH, MIN_UNACCOUNTED_GAS);
        if (userOp.verificationGasLimit < MIN_VERIFICATION_GAS) {
            _refuse(Refusal.GasLimit, userOp.verificationGasLimit, MIN_VERIFICATION_GAS);
        }
        Precharge memory precharge;
        (precharge, validationData) = _precharge(
            data,
            _structHash(userOp, data),
            userOpHash,
            userOp.sender,
            maxCost,
            userOp.maxFeePerGas
        );
        context = abi.encode(precharge, Fees(userOp.maxFeePerGas, userOp.maxPriorityFeePerGas));
    }

    /// @inheritdoc IPaymaster
    function postOp(PostOpMode, bytes calldata context, uint256 actualGasCost) external override onlyEntryPoint {
        // A reverted operation costs the same, so the mode doesn't matter.
        (Precharge memory precharge, Fees memory fees) = abi.decode(context, (Precharge, Fees));
        _settle(precharge, actualGasCost + precharge.unaccountedGas * _feePerGas(fees));
    }

    /// @notice The digest a signer signs. Reverts where validation would refuse the paymaster data.
    function getDigest(UserOperation calldata userOp) external view returns (bytes32) {
        SponsorData memory data = _parse(userOp.paymasterAndData, _PREFIX_LENGTH, MIN_UNACCOUNTED_GAS);
        return _hashTypedDataV4(_structHash(userOp, data));
    }

    /// @dev The EntryPoint's price per gas, equal fees being its legacy case.
    function _feePerGas(Fees memory fees) private view returns (uint256) {
        if (fees.maxFeePerGas == fees.maxPriorityFeePerGas) return fees.maxFeePerGas;
        return _min(fees.maxFeePerGas, fees.maxPriorityFeePerGas + block.basefee);
    }

    function _structHash(UserOperation calldata userOp, SponsorData memory data) private view returns (bytes32) {
        // Two halves, because one `abi.encode` of all members is too deep for the stack.
        bytes memory operation = abi.encode(
            _SPONSORED_USER_OPERATION_TYPEHASH,
            entryPoint(),
            MODE_SPONSOR,
            userOp.sender,
            userOp.nonce,
            keccak256(userOp.initCode),
            keccak256(userOp.callData),
            userOp.callGasLimit,
            userOp.verificationGasLimit,
            userOp.preVerificationGas
        );
        bytes memory sponsorship = abi.encode(
            userOp.maxFeePerGas,
            userOp.maxPriorityFeePerGas,
            data.validUntil,
            data.validAfter,
            data.fundingWallet,
            data.feeMarkup,
            data.unaccountedGas
        );
        return keccak256(bytes.concat(operation, sponsorship));
    }
}
