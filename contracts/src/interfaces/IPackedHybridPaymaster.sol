// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v07/interfaces/IPaymaster.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {IHybridPaymaster} from "./IHybridPaymaster.sol";

/**
 * @title IPackedHybridPaymaster
 * @notice The paymaster of EntryPoint v0.7 and later: packed operations, named refusals, and what is left behind when
 *         a `postOp` that these EntryPoints do not call again reverts.
 */
interface IPackedHybridPaymaster is IHybridPaymaster, IPaymaster {
    // Refusals: the EntryPoint relays them as `FailedOpWithRevert`, AA33 in validation and AA50 in `postOp`

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

    /// @notice Least `paymasterPostOpGasLimit`: settlement must never run out of gas, or the user's call is undone.
    function MIN_POST_OP_GAS() external view returns (uint256);

    /// @notice The digest a signer signs. Reverts where the paymaster data is malformed.
    function getDigest(PackedUserOperation calldata userOp) external view returns (bytes32);

    // Precharges that no `postOp` settled

    /// @notice The owner stated what the EntryPoint left of a wallet's unsettled precharges.
    event UnsettledPrechargeStated(
        address indexed fundingWallet,
        uint256 recordedWei,
        uint256 returnedWei,
        uint256 creditableAt
    );
    /// @notice A wallet got back what the owner had stated, in one statement or in several.
    event UnsettledPrechargeReturned(address indexed fundingWallet, uint256 recordedWei, uint256 returnedWei);

    /// @notice The statement is about more than was recorded.
    error UnsettledRecordTooLow(address fundingWallet, uint256 unsettledWei, uint256 recordedWei);
    /// @notice No more comes back than was recorded.
    error ReturnAboveRecord(uint256 returnedWei, uint256 recordedWei);
    /// @notice The oldest statement waits until then; 0: nothing is stated.
    error StatementNotDue(uint256 creditableAt);
    /// @notice `MAX_WAITING_STATEMENTS` of this wallet wait. There is room again from then on, when the oldest is due.
    error TooManyStatements(uint256 creditableAt);

    /**
     * @notice Clears records of a wallet and states what the EntryPoint did not take of them; `creditUnsettled` gives
     *         that back after `signerDelaySeconds`. Each statement waits for itself. Credits first what is due.
     * @param fundingWallet Who paid.
     * @param recordedWei The record of the operations this is about: each one's precharge without its stranded part.
     * @param returnedWei What of it the wallet gets back, at most `recordedWei`.
     */
    function returnUnsettled(address fundingWallet, uint256 recordedWei, uint256 returnedWei) external;

    /// @notice Gives a wallet back what `returnUnsettled` stated, as far as it is due. Anyone may call.
    function creditUnsettled(address fundingWallet) external;

    /// @notice How many statements of a wallet can wait at a time.
    function MAX_WAITING_STATEMENTS() external view returns (uint256);

    /// @notice Precharges of a wallet that no `postOp` settled, without their stranded parts.
    function unsettledOf(address fundingWallet) external view returns (uint256);
}
