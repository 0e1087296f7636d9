// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPackedHybridPaymaster} from "../interfaces/IPackedHybridPaymaster.sol";
import {FundingWallets} from "./FundingWallets.sol";
import {KeptAmount, KeptAmounts} from "./KeptAmount.sol";
import {SignerSet} from "./SignerSet.sol";

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
 *      than the deposit holds, at the expense of whoever withdraws last. So what he states counts as late as a signer
 *      that he adds: anyone can compare it with the operation's event, and withdraw before.
 */
abstract contract UnsettledPrecharges is IPackedHybridPaymaster, FundingWallets, SignerSet {
    using KeptAmounts for KeptAmount;

    /// @dev What the owner has stated of a wallet's records, until it is credited.
    struct Statement {
        uint256 recordedWei;
        uint256 returnedWei;
        /// @dev First second it can be credited, unix time; 0 when nothing is stated.
        uint256 creditableAt;
    }

    mapping(address fundingWallet => KeptAmount) private _unsettled;
    mapping(address fundingWallet => Statement) private _statements;

    /// @inheritdoc IPackedHybridPaymaster
    /// @dev Refused in a transaction that validated an operation: there a record may still be settled by `postOp`.
    function returnUnsettled(address fundingWallet, uint256 recordedWei, uint256 returnedWei) external onlyOwner {
        _requireNothingInFlight();
        if (recordedWei == 0) revert ZeroAmount();
        uint256 unsettledWei = unsettledOf(fundingWallet);
        if (recordedWei > unsettledWei) revert UnsettledRecordTooLow(fundingWallet, unsettledWei, recordedWei);
        if (returnedWei > recordedWei) revert ReturnAboveRecord(returnedWei, recordedWei);
        _unsettled[fundingWallet].subtract(recordedWei);
        Statement storage statement = _statements[fundingWallet];
        uint256 creditableAt = block.timestamp + signerDelaySeconds();
        statement.recordedWei += recordedWei;
        statement.returnedWei += returnedWei;
        statement.creditableAt = creditableAt;
        emit UnsettledPrechargeStated(fundingWallet, recordedWei, returnedWei, creditableAt);
    }

    /// @inheritdoc IPackedHybridPaymaster
    function creditUnsettled(address fundingWallet) external {
        Statement memory statement = _statements[fundingWallet];
        uint256 creditableAt = statement.creditableAt;
        if (creditableAt == 0 || block.timestamp < creditableAt) revert StatementNotDue(creditableAt);
        delete _statements[fundingWallet];
        _credit(fundingWallet, statement.returnedWei, 0, 0);
        emit UnsettledPrechargeReturned(fundingWallet, statement.recordedWei, statement.returnedWei);
    }

    /// @inheritdoc IPackedHybridPaymaster
    function unsettledOf(address fundingWallet) public view returns (uint256) {
        return _unsettled[fundingWallet].value();
    }

    /// @dev Records, in validation, what would stay behind if `postOp` reverted.
    function _recordUnsettled(address fundingWallet, uint256 amountWei) internal {
        _unsettled[fundingWallet].add(amountWei);
    }

    /// @dev Takes the record off again in settlement.
    function _clearUnsettled(address fundingWallet, uint256 amountWei) internal {
        _unsettled[fundingWallet].subtract(amountWei);
    }
}
