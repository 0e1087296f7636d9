// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPackedHybridPaymaster} from "../interfaces/IPackedHybridPaymaster.sol";
import {Refusals} from "./Refusals.sol";

/// @title NamedRefusals
/// @notice Refusals as custom errors with arguments, for EntryPoints that relay revert data (v0.7 and later).
abstract contract NamedRefusals is IPackedHybridPaymaster, Refusals {
    function _signingIsPaused() internal pure override {
        revert SigningIsPaused();
    }

    function _invalidPaymasterAndDataLength(uint256 actual, uint256 expected) internal pure override {
        revert InvalidPaymasterAndDataLength(actual, expected);
    }

    function _unknownMode(uint256 mode) internal pure override {
        revert UnknownMode(mode);
    }

    function _invalidValidityWindow(uint256 validUntil, uint256 validAfter) internal pure override {
        revert InvalidValidityWindow(validUntil, validAfter);
    }

    function _zeroFundingWallet() internal pure override {
        revert ZeroFundingWallet();
    }

    function _feeMarkupOutOfRange(uint256 feeMarkup) internal pure override {
        revert FeeMarkupOutOfRange(feeMarkup);
    }

    function _unaccountedGasTooLow(uint256 actual, uint256 minimum) internal pure override {
        revert UnaccountedGasTooLow(actual, minimum);
    }

    function _postOpGasLimitTooLow(uint256 actual, uint256 minimum) internal pure override {
        revert PostOpGasLimitTooLow(actual, minimum);
    }

    function _gasOutOfRange(uint256 actual) internal pure override {
        revert GasOutOfRange(actual);
    }

    function _malformedSignature() internal pure override {
        revert MalformedSignature();
    }

    function _fundingBalanceTooLow(uint256 balanceWei, uint256 prechargeWei) internal pure override {
        revert FundingBalanceTooLow(balanceWei, prechargeWei);
    }

    function _returnInSameTransaction() internal pure override {
        revert ReturnInSameTransaction();
    }

    function _unknownChargingWay(uint256 way) internal pure override {
        revert UnknownChargingWay(way);
    }

    function _zeroToken() internal pure override {
        revert ZeroToken();
    }

    function _zeroExchangeRate() internal pure override {
        revert ZeroExchangeRate();
    }

    function _premiumOutOfRange(uint256 premium) internal pure override {
        revert PremiumOutOfRange(premium);
    }

    function _zeroFeeReceiver() internal pure override {
        revert ZeroFeeReceiver();
    }

    function _zeroMaxTokenCharge() internal pure override {
        revert ZeroMaxTokenCharge();
    }

    function _tokenTransferFailed(address token, uint256 amount) internal pure override {
        revert TokenTransferFailed(token, amount);
    }

    function _tokenReceivedTooLittle(address token, uint256 amount) internal pure override {
        revert TokenReceivedTooLittle(token, amount);
    }

    function _tokenChargeFailed(address token, uint256 amount) internal pure override {
        revert TokenChargeFailed(token, amount);
    }
}
