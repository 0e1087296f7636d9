// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Refusals} from "./Refusals.sol";

/// @notice Refusals as custom errors with arguments, for EntryPoints that relay revert data (v0.7 and later).
abstract contract NamedRefusals is Refusals {
    error SigningIsPaused();
    error InvalidPaymasterAndDataLength(uint256 actual, uint256 expected);
    error UnknownMode(uint256 mode);
    error InvalidValidityWindow(uint256 validUntil, uint256 validAfter);
    error ZeroFundingWallet();
    error FeeMarkupOutOfRange(uint256 feeMarkup);
    error UnaccountedGasTooLow(uint256 actual, uint256 minimum);
    error PostOpGasLimitTooLow(uint256 actual, uint256 minimum);
    error MalformedSignature();
    error FundingBalanceTooLow(uint256 balanceWei, uint256 prechargeWei);
    /// @dev The transaction returned a precharge or withdrew tokens before.
    error ReturnInSameTransaction();
    error UnknownChargingWay(uint256 way);
    error ZeroToken();
    error ZeroExchangeRate();
    error PremiumOutOfRange(uint256 premium);
    error ZeroFeeReceiver();
    error ZeroMaxTokenCharge();
    /// @dev No allowance, too little balance, or not a token.
    error TokenTransferFailed(address token, uint256 amount);
    /// @dev The token moved less than it was asked to, as one with a fee on transfers does.
    error TokenReceivedTooLittle(address token, uint256 amount);
    /// @dev After the user's calls, which are undone.
    error TokenChargeFailed(address token, uint256 amount);

    /// @inheritdoc Refusals
    function _refuse(Refusal refusal, uint256 actual, uint256 expected) internal pure override {
        if (refusal == Refusal.SigningPaused) revert SigningIsPaused();
        if (refusal == Refusal.DataLength) revert InvalidPaymasterAndDataLength(actual, expected);
        if (refusal == Refusal.UnknownMode) revert UnknownMode(actual);
        if (refusal == Refusal.ValidityWindow) revert InvalidValidityWindow(actual, expected);
        if (refusal == Refusal.FundingWallet) revert ZeroFundingWallet();
        if (refusal == Refusal.FeeMarkup) revert FeeMarkupOutOfRange(actual);
        if (refusal == Refusal.UnaccountedGas) revert UnaccountedGasTooLow(actual, expected);
        if (refusal == Refusal.GasLimit) revert PostOpGasLimitTooLow(actual, expected);
        if (refusal == Refusal.SignatureForm) revert MalformedSignature();
        if (refusal == Refusal.FundingBalance) revert FundingBalanceTooLow(actual, expected);
        if (refusal == Refusal.ReturnBefore) revert ReturnInSameTransaction();
        if (refusal == Refusal.ChargingWay) revert UnknownChargingWay(actual);
        if (refusal == Refusal.Token) revert ZeroToken();
        if (refusal == Refusal.ExchangeRate) revert ZeroExchangeRate();
        if (refusal == Refusal.Premium) revert PremiumOutOfRange(actual);
        if (refusal == Refusal.FeeReceiver) revert ZeroFeeReceiver();
        if (refusal == Refusal.MaxTokenCharge) revert ZeroMaxTokenCharge();
        if (refusal == Refusal.TokenTransfer) revert TokenTransferFailed(address(uint160(actual)), expected);
        if (refusal == Refusal.TokenReceived) revert TokenReceivedTooLittle(address(uint160(actual)), expected);
        revert TokenChargeFailed(address(uint160(actual)), expected);
    }
}
