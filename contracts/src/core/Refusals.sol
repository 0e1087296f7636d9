// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @title Refusals
 * @notice Why an operation may be refused outright (a revert, unlike a wrong signer): in validation, and in `postOp`
 *         when it can't charge the sender. Each function reverts, always.
 * @dev How a refusal reads is the version's business: EntryPoint v0.6 relays only `Error(string)`, later versions relay
 *      any revert data. `IPackedHybridPaymaster` says what each one means.
 */
abstract contract Refusals {
    function _signingIsPaused() internal pure virtual;

    function _invalidPaymasterAndDataLength(uint256 actual, uint256 expected) internal pure virtual;

    function _unknownMode(uint256 mode) internal pure virtual;

    function _invalidValidityWindow(uint256 validUntil, uint256 validAfter) internal pure virtual;

    function _zeroFundingWallet() internal pure virtual;

    function _feeMarkupOutOfRange(uint256 feeMarkup) internal pure virtual;

    function _unaccountedGasTooLow(uint256 actual, uint256 minimum) internal pure virtual;

    function _postOpGasLimitTooLow(uint256 actual, uint256 minimum) internal pure virtual;

    function _gasOutOfRange(uint256 actual) internal pure virtual;

    function _malformedSignature() internal pure virtual;

    function _fundingBalanceTooLow(uint256 balanceWei, uint256 prechargeWei) internal pure virtual;

    function _returnInSameTransaction() internal pure virtual;

    function _unknownChargingWay(uint256 way) internal pure virtual;

    function _zeroToken() internal pure virtual;

    function _zeroExchangeRate() internal pure virtual;

    function _premiumOutOfRange(uint256 premium) internal pure virtual;

    function _zeroFeeReceiver() internal pure virtual;

    function _zeroMaxTokenCharge() internal pure virtual;

    function _tokenTransferFailed(address token, uint256 amount) internal pure virtual;

    function _tokenReceivedTooLittle(address token, uint256 amount) internal pure virtual;

    function _tokenChargeFailed(address token, uint256 amount) internal pure virtual;
}
