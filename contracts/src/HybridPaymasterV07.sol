// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {HybridPaymasterCore} from "./core/HybridPaymasterCore.sol";
import {PackedHybridPaymaster} from "./core/PackedHybridPaymaster.sol";
import {VersionTerms, VersionTermsOf} from "./layouts/VersionTerms.sol";

/**
 * @title HybridPaymasterV07
 * @notice The paymaster for EntryPoint v0.7.
 * @dev This EntryPoint fines 10 % of the unused callGasLimit + paymasterPostOpGasLimit, works the fine out after
 *      `postOp`, and has no threshold: none of it is in `actualGasCost`. Left unbilled, a sender with generous limits
 *      drains the deposit.
 *
 *      The gas used before the user's call is not told to `postOp`; it is at most preVerificationGas plus both
 *      verification limits plus the EntryPoint's own steps between them. Taking that bound makes the used gas a lower
 *      bound and so the fine an upper bound. Counting the whole `unaccountedGas` as used is safe, because
 *      x + 10 % * (limit - x) grows with x.
 * @custom:security-contact See SECURITY.md in the repository of this source.
 */
contract HybridPaymasterV07 is PackedHybridPaymaster {
    /// @dev Steps of the EntryPoint in validation that no limit covers (measured below 600), with a margin.
    uint256 private constant _ENTRY_POINT_OVERHEAD = 2_000;
    uint256 private constant _PENALTY_DIVISOR = 10;

    constructor(
        IStakeManager entryPoint_,
        address owner_,
        address[] memory signers_,
        uint256 withdrawalDelaySeconds_
    ) HybridPaymasterCore(entryPoint_, owner_, signers_, withdrawalDelaySeconds_) {}

    /// @inheritdoc PackedHybridPaymaster
    function _versionTerms(
        uint256 preOperationGas,
        uint256 callGasLimit,
        uint256 postOpGasLimit
    ) internal pure override returns (VersionTerms) {
        unchecked {
            preOperationGas += _ENTRY_POINT_OVERHEAD;
            uint256 executionGasLimit = callGasLimit + postOpGasLimit;
            _requireGasInRange(preOperationGas | executionGasLimit);
            return VersionTermsOf.v07(preOperationGas, executionGasLimit);
        }
    }

    /// @inheritdoc PackedHybridPaymaster
    function _cost(
        uint256 unaccountedGas,
        VersionTerms versionTerms,
        uint256 actualGasCost,
        uint256 feePerGas
    ) internal pure override returns (uint256) {
        // A chain without fees: nothing is taken, and there is no price to divide by.
        if (feePerGas == 0) return actualGasCost;

        (uint256 preOperationGas, uint256 executionGasLimit) = versionTerms.asV07();
        // 88 bits of gas times 128 bits of price fit, and each difference is compared first.
        unchecked {
            uint256 gasUsed = actualGasCost / feePerGas + unaccountedGas;
            uint256 executionGasUsed = gasUsed > preOperationGas ? gasUsed - preOperationGas : 0;
            uint256 unusedGas = executionGasLimit > executionGasUsed ? executionGasLimit - executionGasUsed : 0;
            return actualGasCost + (unaccountedGas + unusedGas / _PENALTY_DIVISOR) * feePerGas;
        }
    }
}
