// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Refusals} from "./Refusals.sol";

/// @notice Refusals as short strings: EntryPoint v0.6 shows `AA33 reverted: <string>` and drops everything else.
abstract contract StringRefusals is Refusals {
    /// @inheritdoc Refusals
    function _refuse(Refusal refusal, uint256, uint256) internal pure override {
        if (refusal == Refusal.SigningPaused) revert("PM signing paused");
        if (refusal == Refusal.DataLength) revert("PM data length");
        if (refusal == Refusal.UnknownMode) revert("PM unknown mode");
        if (refusal == Refusal.TokenMode) revert("PM token mode unavailable");
        if (refusal == Refusal.ValidityWindow) revert("PM validity window");
        if (refusal == Refusal.FundingWallet) revert("PM zero funding wallet");
        if (refusal == Refusal.FeeMarkup) revert("PM fee markup");
        if (refusal == Refusal.UnaccountedGas) revert("PM unaccounted gas low");
        if (refusal == Refusal.GasLimit) revert("PM verification gas low");
        if (refusal == Refusal.SignatureForm) revert("PM malformed signature");
        revert("PM funding balance low");
    }
}
