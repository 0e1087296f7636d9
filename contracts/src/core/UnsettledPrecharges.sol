// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {HybridPaymasterCore} from "./HybridPaymasterCore.sol";

/**
 * @title UnsettledPrecharges
 * @notice What wallets paid for operations whose `postOp` reverted (v0.7, v0.8).
 * @dev A `postOp` that can't charge the sender reverts on purpose, and these EntryPoints don't call it again: the
 *      wallet's precharge stays taken, although the EntryPoint took less. The part that no EntryPoint can take is
 *      the stranded record (`FundingWallets`), which anyone returns. The other part, at most the prefund with its
 *      markup, is recorded here, and the owner returns what the EntryPoint left of it.
 *
 *      Trust: only the EntryPoint's events say what it took, and no contract can read them. So the owner states it,
 *      from the `UserOperationEvent` of the operation. What he returns goes to the wallet that paid, at most what was
 *      recorded for it and once: he can't take anything. He could return too much, and the ledger would promise more
 *      than the deposit holds, at the expense of whoever withdraws last. So he is the one who is trusted with this
 *      sum, never with more than the records.
 */
abstract contract UnsettledPrecharges is HybridPaymasterCore {
    /// @dev Records plus one wei, 0 where there never was one: only a wallet's first operation pays for a new slot.
    mapping(address fundingWallet => uint256) private _unsettledPlusOne;

    event UnsettledPrechargeReturned(address indexed fundingWallet, uint256 recordedWei, uint256 returnedWei);

    error UnsettledRecordTooLow(address fundingWallet, uint256 unsettledWei, uint256 recordedWei);
    error ReturnAboveRecord(uint256 returnedWei, uint256 recordedWei);

    /**
     * @notice Clears records of a wallet and gives it back what the EntryPoint did not take of them.
     * @dev Refused in a transaction that validated an operation: there a record may still be settled by `postOp`.
     * @param fundingWallet Who paid.
     * @param recordedWei The record of the operations this is about: each one's precharge without its stranded part.
     * @param returnedWei What of it the wallet gets back, at most `recordedWei`.
     */
    function returnUnsettled(address fundingWallet, uint256 recordedWei, uint256 returnedWei) external onlyOwner {
        _requireNothingInFlight();
        if (recordedWei == 0) revert ZeroAmount();
        uint256 unsettledWei = unsettledOf(fundingWallet);
        if (recordedWei > unsettledWei) revert UnsettledRecordTooLow(fundingWallet, unsettledWei, recordedWei);
        if (returnedWei > recordedWei) revert ReturnAboveRecord(returnedWei, recordedWei);
        _unsettledPlusOne[fundingWallet] -= recordedWei;
        _credit(fundingWallet, returnedWei, 0, 0);
        emit UnsettledPrechargeReturned(fundingWallet, recordedWei, returnedWei);
    }

    /// @notice Precharges of a wallet that no `postOp` settled, without their stranded parts, wei.
    function unsettledOf(address fundingWallet) public view returns (uint256) {
        uint256 plusOne = _unsettledPlusOne[fundingWallet];
        return plusOne == 0 ? 0 : plusOne - 1;
    }

    /// @dev Records, in validation, what would stay behind if `postOp` reverted.
    function _recordUnsettled(address fundingWallet, uint256 amountWei) internal {
        uint256 plusOne = _unsettledPlusOne[fundingWallet];
        _unsettledPlusOne[fundingWallet] = (plusOne == 0 ? 1 : plusOne) + amountWei;
    }

    /// @dev Takes the record off again in settlement.
    function _clearUnsettled(address fundingWallet, uint256 amountWei) internal {
        _unsettledPlusOne[fundingWallet] -= amountWei;
    }
}
