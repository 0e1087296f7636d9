// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Refusals} from "./Refusals.sol";

/**
 * @notice Refusals as short strings: EntryPoint v0.6 shows `AA33 reverted: <string>` and drops everything else.
 * @dev Never less than 32 bytes of revert data: with less, a reverting `postOp` takes the whole bundle with it.
 */
abstract contract StringRefusals is Refusals {
    /// @inheritdoc Refusals
    function _refuse(Refusal refusal, uint256, uint256) internal pure override {
        if (refusal == Refusal.SigningPaused) revert("PM signing paused");
        if (refusal == Refusal.DataLength) revert("PM data length");
        if (refusal == Refusal.UnknownMode) revert("PM unknown mode");
        if (refusal == Refusal.ValidityWindow) revert("PM validity window");
        if (refusal == Refusal.FundingWallet) revert("PM zero funding wallet");
        if (refusal == Refusal.FeeMarkup) revert("PM fee markup");
        if (refusal == Refusal.UnaccountedGas) revert("PM unaccounted gas low");
        if (refusal == Refusal.GasLimit) revert("PM verification gas low");
        if (refusal == Refusal.SignatureForm) revert("PM malformed signature");
        if (refusal == Refusal.FundingBalance) revert("PM funding balance low");
        if (refusal == Refusal.ReturnBefore) revert("PM return in same transaction");
        if (refusal == Refusal.ChargingWay) revert("PM unknown charging way");
        if (refusal == Refusal.Token) revert("PM zero token");
        if (refusal == Refusal.ExchangeRate) revert("PM zero exchange rate");
        if (refusal == Refusal.Premium) revert("PM premium");
        if (refusal == Refusal.FeeReceiver) revert("PM zero fee receiver");
        if (refusal == Refusal.MaxTokenCharge) revert("PM zero token charge");
        if (refusal == Refusal.TokenTransfer) revert("PM token transfer failed");
        if (refusal == Refusal.TokenReceived) revert("PM token received low");
        revert("PM token charge failed");
    }
}
