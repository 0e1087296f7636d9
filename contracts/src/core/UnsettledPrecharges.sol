// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPackedHybridPaymaster} from "../interfaces/IPackedHybridPaymaster.sol";
import {FundingWallets} from "./FundingWallets.sol";
import {KeptAmount, KeptAmounts} from "./KeptAmount.sol";
import {SignerSet} from "./SignerSet.sol";

/**
 * @title UnsettledPrecharges
 * @notice What wallets paid for operations whose `postOp` reverted (from v0.7 on).
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
 *
 *      Each statement has its own date, so a later one delays no earlier one: who makes operations fail again and again
 *      keeps nobody's money. A wallet has a bounded number of them at a time, so crediting them is never too dear. What
 *      is recorded while the list is full is stated in one statement later.
 */
abstract contract UnsettledPrecharges is IPackedHybridPaymaster, FundingWallets, SignerSet {
    using KeptAmounts for KeptAmount;

    /// @inheritdoc IPackedHybridPaymaster
    uint256 public constant MAX_WAITING_STATEMENTS = 16;

    /// @dev What the owner has stated of a wallet's records, until it is credited.
    struct Statement {
        uint256 recordedWei;
        uint256 returnedWei;
        /// @dev First second it can be credited, unix time.
        uint256 creditableAt;
    }

    /// @dev A wallet's statements, the oldest first: from `first` up to, and not including, `end`. All have waited for the
    ///      same delay, so the oldest is due first.
    struct Statements {
        uint256 first;
        uint256 end;
        mapping(uint256 index => Statement) at;
    }

    mapping(address fundingWallet => KeptAmount) private _unsettled;
    mapping(address fundingWallet => Statements) private _statements;

    /// @inheritdoc IPackedHybridPaymaster
    /// @dev Refused in a transaction that validated an operation: there a record may still be settled by `postOp`.
    function returnUnsettled(address fundingWallet, uint256 recordedWei, uint256 returnedWei) external onlyOwner {
        _startReturn();
        if (recordedWei == 0) revert ZeroAmount();
        uint256 unsettledWei = unsettledOf(fundingWallet);
        if (recordedWei > unsettledWei) revert UnsettledRecordTooLow(fundingWallet, unsettledWei, recordedWei);
        if (returnedWei > recordedWei) revert ReturnAboveRecord(returnedWei, recordedWei);
        _creditDue(fundingWallet);
        Statements storage statements = _statements[fundingWallet];
        (uint256 first, uint256 end) = (statements.first, statements.end);
        if (end - first == MAX_WAITING_STATEMENTS) revert TooManyStatements(statements.at[first].creditableAt);
        _unsettled[fundingWallet].subtract(recordedWei);
        uint256 creditableAt = block.timestamp + signerDelaySeconds();
        statements.at[end] = Statement(recordedWei, returnedWei, creditableAt);
        statements.end = end + 1;
        emit UnsettledPrechargeStated(fundingWallet, recordedWei, returnedWei, creditableAt);
    }

    /// @inheritdoc IPackedHybridPaymaster
    function creditUnsettled(address fundingWallet) external {
        if (_creditDue(fundingWallet)) return;
        Statements storage statements = _statements[fundingWallet];
        revert StatementNotDue(statements.at[statements.first].creditableAt);
    }

    /// @inheritdoc IPackedHybridPaymaster
    function unsettledOf(address fundingWallet) public view returns (uint256) {
        return _unsettled[fundingWallet].value();
    }

    /**
     * @dev Credits a wallet's statements that are due.
     * @return Whether there were any.
     */
    function _creditDue(address fundingWallet) private returns (bool) {
        Statements storage statements = _statements[fundingWallet];
        (uint256 first, uint256 end) = (statements.first, statements.end);
        uint256 recordedWei;
        uint256 returnedWei;
        while (first < end && statements.at[first].creditableAt <= block.timestamp) {
            recordedWei += statements.at[first].recordedWei;
            returnedWei += statements.at[first].returnedWei;
            delete statements.at[first];
            first += 1;
        }
        if (recordedWei == 0) return false;
        statements.first = first;
        _credit(fundingWallet, returnedWei, 0, 0);
        emit UnsettledPrechargeReturned(fundingWallet, recordedWei, returnedWei);
        return true;
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
