// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/**
 * @title IRefusals
 * @notice Why an operation is refused outright, unlike for a wrong signature. EntryPoints from v0.7 on relay what
 *         validation refuses as `FailedOpWithRevert` (AA33). What `postOp` refuses they put into their event
 *         `PostOpRevertReason`, and the bundle goes on. EntryPoint v0.6 relays strings only; the paymaster for it has a
 *         string in place of each.
 */
interface IRefusals {
    /// @notice The owner has stopped sponsoring.
    error SigningIsPaused();
    /// @notice `paymasterAndData` is too short or too long for its mode and way.
    error InvalidPaymasterAndDataLength(uint256 actual, uint256 expected);
    /// @notice The first byte of `paymasterData` is no mode.
    error UnknownMode(uint256 mode);
    /// @notice The signature would hold never, for ever, or for a range of blocks.
    error InvalidValidityWindow(uint256 validUntil, uint256 validAfter);
    /// @notice No wallet is named.
    error ZeroFundingWallet();
    /// @notice The markup is below none or above its greatest.
    error FeeMarkupOutOfRange(uint256 feeMarkup);
    /// @notice The signed gas does not cover settlement and the EntryPoint's tail.
    error UnaccountedGasTooLow(uint256 actual, uint256 minimum);
    /// @notice Settlement could run out of gas.
    error PostOpGasLimitTooLow(uint256 actual, uint256 minimum);
    /// @notice A limit or a price of the operation is more than there can be.
    error GasOutOfRange(uint256 actual);
    /// @notice The signature is none: nobody can have made it.
    error MalformedSignature();
    /// @notice The wallet's deposit does not cover the precharge.
    error FundingBalanceTooLow(uint256 balanceWei, uint256 prechargeWei);
    /// @notice The transaction returned a precharge or withdrew tokens before.
    error ReturnInSameTransaction();
    /// @notice No way to charge the sender has this number.
    error UnknownChargingWay(uint256 way);
    /// @notice No token is named.
    error ZeroToken();
    /// @notice The token would be worth nothing.
    error ZeroExchangeRate();
    /// @notice The premium is below none or above its greatest.
    error PremiumOutOfRange(uint256 premium);
    /// @notice Nobody is named who gets the tokens.
    error ZeroFeeReceiver();
    /// @notice The sender would pay nothing.
    error ZeroMaxTokenCharge();
    /// @notice No allowance, too little balance, or not a token.
    error TokenTransferFailed(address token, uint256 amount);
    /// @notice The token moved less than it was asked to, as one with a fee on transfers does.
    error TokenReceivedTooLittle(address token, uint256 amount);
    /// @notice The sender could not be charged after its calls, which are undone.
    error TokenChargeFailed(address token, uint256 amount);
}
