// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {HybridPaymasterCore} from "./core/HybridPaymasterCore.sol";
import {PackedHybridPaymaster} from "./core/PackedHybridPaymaster.sol";
import {VersionTerms, VersionTermsOf} from "./layouts/VersionTerms.sol";

/**
 * @title HybridPaymasterV08
 * @notice The paymaster for EntryPoint v0.8.
 * @dev The fine for unused call gas is already in `actualGasCost`; the fine for unused postOp gas comes after and is
 *      billed here. The EntryPoint takes no fine where at most 40,000 gas is unused; that is not passed on,
 *      because it depends on the gas `postOp` really used, which is only known to be at most `unaccountedGas`.
 *
 *      A `postOp` limit of at most `unaccountedGas` is billed no fine. Only sponsorship can have such a limit, because
 *      token mode's least limit is above `unaccountedGas`. Then limit and `unaccountedGas` are at least
 *      `MIN_POST_OP_GAS`, twice the gas that is measured, and what `unaccountedGas` bills too much is more than a tenth
 *      of the limit.
 * @custom:security-contact See SECURITY.md in the repository of this source.
 */
contract HybridPaymasterV08 is PackedHybridPaymaster {
    uint256 private constant _PENALTY_DIVISOR = 10;

    constructor(
        IStakeManager entryPoint_,
        address owner_,
        address[] memory signers_,
        uint256 withdrawalDelaySeconds_
    ) HybridPaymasterCore(entryPoint_, owner_, signers_, withdrawalDelaySeconds_) {}

    /// @inheritdoc PackedHybridPaymaster
    function _versionTerms(
        uint256,
        uint256,
        uint256 postOpGasLimit
    ) internal pure override returns (VersionTerms) {
        _requireGasInRange(postOpGasLimit);
        return VersionTermsOf.v08(postOpGasLimit);
    }

    /// @inheritdoc PackedHybridPaymaster
    function _cost(
        uint256 unaccountedGas,
        VersionTerms versionTerms,
        uint256 actualGasCost,
        uint256 feePerGas
    ) internal pure override returns (uint256) {
        uint256 postOpGasLimit = versionTerms.asV08();
        // 88 bits of gas times 128 bits of price fit.
        unchecked {
            uint256 unusedGas = postOpGasLimit > unaccountedGas ? postOpGasLimit - unaccountedGas : 0;
            return actualGasCost + (unaccountedGas + unusedGas / _PENALTY_DIVISOR) * feePerGas;
        }
    }
}
