// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Refusals} from "./Refusals.sol";

/// @notice Refusals as custom errors with arguments, for EntryPoints that relay revert data (v0.7 and later).
abstract contract NamedRefusals is Refusals {
    error SigningIsPaused();
    error InvalidPaymasterAndDataLength(uint256 actual, uint256 expected);
    error UnknownMode(uint256 mode);
    error TokenModeNotAvailable();
    error InvalidValidityWindow(uint256 validUntil, uint256 validAfter);
    error ZeroFundingWallet();
    error FeeMarkupOutOfRange(uint256 feeMarkup);
    error UnaccountedGasTooLow(uint256 actual, uint256 minimum);
    error PostOpGasLimitTooLow(uint256 actual, uint256 minimum);
    error MalformedSignature();
    error FundingBalanceTooLow(uint256 balanceWei, uint256 prechargeWei);

    /// @inheritdoc Refusals
    function _refuse(Refusal refusal, uint256 actual, uint256 expected) internal pure override {
        if (refusal == Refusal.SigningPaused) revert SigningIsPaused();
        if (refusal == Refusal.DataLength) revert InvalidPaymasterAndDataLength(actual, expected);
        if (refusal == Refusal.UnknownMode) revert UnknownMode(actual);
        if (refusal == Refusal.TokenMode) revert TokenModeNotAvailable();
        if (refusal == Refusal.ValidityWindow) revert InvalidValidityWindow(actual, expected);
        if (refusal == Refusal.FundingWallet) revert ZeroFundingWallet();
        if (refusal == Refusal.FeeMarkup) revert FeeMarkupOutOfRange(actual);
        if (refusal == Refusal.UnaccountedGas) revert UnaccountedGasTooLow(actual, expected);
        if (refusal == Refusal.GasLimit) revert PostOpGasLimitTooLow(actual, expected);
        if (refusal == Refusal.SignatureForm) revert MalformedSignature();
        revert FundingBalanceTooLow(actual, expected);
    }
}
