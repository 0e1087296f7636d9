// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPaymaster} from "@account-abstraction/contracts-v07/interfaces/IPaymaster.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {IHybridPaymaster} from "./IHybridPaymaster.sol";
import {IRefusals} from "./IRefusals.sol";

/**
 * @title IPackedHybridPaymaster
 * @notice The paymaster of EntryPoint v0.7 and later: packed operations, named refusals, and what is left behind when
 *         a `postOp` that these EntryPoints do not call again reverts.
 */
interface IPackedHybridPaymaster is IHybridPaymaster, IPaymaster, IRefusals {
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
     * @notice States what the EntryPoint did not take of a wallet's records, and clears these. The money comes back
     *         later: `creditUnsettled` gives it back after `signerDelaySeconds`. Each statement waits for itself. Credits
     *         first what is due.
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
