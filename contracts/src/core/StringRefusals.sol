// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Refusals} from "./Refusals.sol";

/**
 * @title StringRefusals
 * @notice Refusals as short strings: EntryPoint v0.6 shows `AA33 reverted: <string>` and drops everything else.
 * @dev Never less than 32 bytes of revert data: with less, a reverting `postOp` takes the whole bundle with it.
 */
abstract contract StringRefusals is Refusals {
    function _signingIsPaused() internal pure override {
        revert("PM signing paused");
    }

    function _invalidPaymasterAndDataLength(uint256, uint256) internal pure override {
        revert("PM data length");
    }

    function _unknownMode(uint256) internal pure override {
        revert("PM unknown mode");
    }

    function _invalidValidityWindow(uint256, uint256) internal pure override {
        revert("PM validity window");
    }

    function _zeroFundingWallet() internal pure override {
        revert("PM zero funding wallet");
    }

    function _feeMarkupOutOfRange(uint256) internal pure override {
        revert("PM fee markup");
    }

    function _unaccountedGasTooLow(uint256, uint256) internal pure override {
        revert("PM unaccounted gas low");
    }

    function _postOpGasLimitTooLow(uint256, uint256) internal pure override {
        revert("PM verification gas low");
    }

    function _gasOutOfRange(uint256) internal pure override {
        revert("PM gas out of range");
    }

    function _malformedSignature() internal pure override {
        revert("PM malformed signature");
    }

    function _fundingBalanceTooLow(uint256, uint256) internal pure override {
        revert("PM funding balance low");
    }

    function _returnInSameTransaction() internal pure override {
        revert("PM return in same transaction");
    }

    function _unknownChargingWay(uint256) internal pure override {
        revert("PM unknown charging way");
    }

    function _zeroToken() internal pure override {
        revert("PM zero token");
    }

    function _zeroExchangeRate() internal pure override {
        revert("PM zero exchange rate");
    }

    function _premiumOutOfRange(uint256) internal pure override {
        revert("PM premium");
    }

    function _zeroFeeReceiver() internal pure override {
        revert("PM zero fee receiver");
    }

    function _zeroMaxTokenCharge() internal pure override {
        revert("PM zero token charge");
    }

    function _tokenTransferFailed(address, uint256) internal pure override {
        revert("PM token transfer failed");
    }

    function _tokenReceivedTooLittle(address, uint256) internal pure override {
        revert("PM token received low");
    }

    function _tokenChargeFailed(address, uint256) internal pure override {
        revert("PM token charge failed");
    }
}
