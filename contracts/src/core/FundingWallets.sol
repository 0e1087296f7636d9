// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../interfaces/IHybridPaymaster.sol";
import {IRefusals} from "../interfaces/IRefusals.sol";
import {WalletWord, WalletWords} from "../layouts/WalletWord.sol";
import {EntryPointStake} from "./EntryPointStake.sol";
import {Refusals} from "./Refusals.sol";

/**
 * @title FundingWallets
 * @notice The gas deposits. All ether lies in the EntryPoint under this contract's name; this ledger says whose it is.
 *
 * Money flow
 *  - in:    `depositFor(wallet)` forwards the value to the EntryPoint and credits the wallet;
 *  - held:  validation takes the operation's maximum cost (the precharge) from the wallet, so that two operations of
 *           one wallet in one bundle can't both count on the same ether;
 *  - spent: the EntryPoint takes the prefund out of the deposit before validation. After `postOp` it puts back what the
 *           operation did not cost, and pays the bundler;
 *  - back:  settlement returns the precharge less the charge, and books the markup as fee;
 *  - out:   the wallet withdraws after a delay, the owner withdraws fees. This contract pays nobody else.
 * A signer spends balances on gas, and the owner can add one: it counts later than a wallet needs to leave
 * (`SignerSet`).
 *
 * Always: sum(balances) + sum(stranded) + sum(fees) <= the deposit in the EntryPoint, as far as the owner states no more
 * than was left of unsettled precharges (`UnsettledPrecharges`). What the accounting's upper bounds
 * take above the EntryPoint's real debit stays in the deposit as a reserve and is credited to nobody.
 *
 * Guards
 *  - Withdrawals wait (request, delay, execute), so that no signed operation meets an emptied wallet and gets the
 *    paymaster banned by bundlers. A requested amount stays debitable; execution pays what is then left.
 *  - A request can be executed for a window and is void afterwards: an old one would be a withdrawal without delay. It
 *    is cut to the balance of its day, so that it reaches no more than that much of deposits made later.
 *  - No `receive`: ether sent by mistake is refused instead of lost. Ether given to the EntryPoint in this
 *    contract's name by `depositTo` adds to the reserve and is credited to nobody.
 *  - State changes before every payment, so a receiver that calls back meets a settled ledger.
 */
abstract contract FundingWallets is EntryPointStake, Refusals {
    /// @dev Least withdrawal delay: without one, a signed operation would meet an emptied wallet.
    uint256 internal constant MIN_WITHDRAWAL_DELAY_SECONDS = 1 hours;
    /// @dev Greatest withdrawal delay: a wallet's money is never locked for longer.
    uint256 internal constant MAX_WITHDRAWAL_DELAY_SECONDS = 7 days;
    /// @inheritdoc IHybridPaymaster
    uint256 public constant WITHDRAWAL_WINDOW_SECONDS = 7 days;

    struct Withdrawal {
        /// @dev What the wallet asked for, at most its balance then, wei; 0 means there is no request.
        uint256 amountWei;
        /// @dev First second the request can be executed, unix time.
        uint256 executableAt;
    }

    mapping(address fundingWallet => WalletWord) private _wallets;
    mapping(address fundingWallet => Withdrawal) private _withdrawals;
    uint256 private _collectedFeesWei;
    uint256 private immutable _withdrawalDelaySeconds;
    /// @dev What this transaction has done: nothing (0), `_VALIDATED` or `_RETURNED`; never both.
    uint256 private transient _activity;
    /// @dev It validated an operation: its precharge is in flight, not stranded.
    uint256 private constant _VALIDATED = 1;
    /// @dev It took a record or a balance away that validation would put there again.
    uint256 private constant _RETURNED = 2;

    constructor(uint256 withdrawalDelaySeconds_) {
        if (withdrawalDelaySeconds_ < MIN_WITHDRAWAL_DELAY_SECONDS) {
            revert WithdrawalDelayTooShort(withdrawalDelaySeconds_, MIN_WITHDRAWAL_DELAY_SECONDS);
        }
        if (withdrawalDelaySeconds_ > MAX_WITHDRAWAL_DELAY_SECONDS) {
            revert WithdrawalDelayTooLong(withdrawalDelaySeconds_, MAX_WITHDRAWAL_DELAY_SECONDS);
        }
        _withdrawalDelaySeconds = withdrawalDelaySeconds_;
    }

    /// @inheritdoc IHybridPaymaster
    function depositFor(address fundingWallet) external payable {
        if (fundingWallet == address(0)) revert ZeroAddress();
        if (msg.value == 0) revert ZeroAmount();
        WalletWord wallet = _wallets[fundingWallet];
        uint256 balanceWei = wallet.balanceWei() + msg.value;
        if (balanceWei > WalletWords.MAX_BALANCE_WEI) revert DepositTooLarge(balanceWei);
        _wallets[fundingWallet] = wallet.withBalance(balanceWei);
        entryPoint().depositTo{value: msg.value}(address(this));
        emit FundsDeposited(fundingWallet, msg.sender, msg.value);
    }

    /// @inheritdoc IHybridPaymaster
    function requestWithdrawal(uint256 amountWei) external {
        amountWei = _min(amountWei, balanceOf(msg.sender));
        if (amountWei == 0) revert ZeroAmount();
        uint256 executableAt = block.timestamp + _withdrawalDelaySeconds;
        _withdrawals[msg.sender] = Withdrawal(amountWei, executableAt);
        emit WithdrawalRequested(msg.sender, amountWei, executableAt);
    }

    /// @inheritdoc IHybridPaymaster
    function cancelWithdrawal() external {
        uint256 amountWei = _withdrawals[msg.sender].amountWei;
        if (amountWei == 0) revert NoWithdrawalRequested(msg.sender);
        delete _withdrawals[msg.sender];
        emit WithdrawalCancelled(msg.sender, amountWei);
    }

    /// @inheritdoc IHybridPaymaster
    function executeWithdrawal(address payable to) external {
        if (to == address(0)) revert ZeroAddress();
        Withdrawal memory withdrawal = _withdrawals[msg.sender];
        if (withdrawal.amountWei == 0) revert NoWithdrawalRequested(msg.sender);
        if (block.timestamp < withdrawal.executableAt) revert WithdrawalNotDue(withdrawal.executableAt);
        uint256 expiredAt = withdrawal.executableAt + WITHDRAWAL_WINDOW_SECONDS;
        if (block.timestamp >= expiredAt) revert WithdrawalExpired(expiredAt);

        WalletWord wallet = _wallets[msg.sender];
        uint256 amountWei = _min(withdrawal.amountWei, wallet.balanceWei());
        // The ledger never exceeds the deposit; if it ever did, a wallet still gets what there is.
        amountWei = _min(amountWei, entryPoint().balanceOf(address(this)));
        delete _withdrawals[msg.sender];
        _wallets[msg.sender] = wallet.withBalance(wallet.balanceWei() - amountWei);
        emit WithdrawalExecuted(msg.sender, to, amountWei);
        entryPoint().withdrawTo(to, amountWei);
    }

    /// @inheritdoc IHybridPaymaster
    /// @dev An operation stays unsettled when `postOp` reverts, or when the EntryPoint (from v0.7 on) finds the prefund
    ///      too low after it and undoes it: it then takes the whole prefund. Only the part above the prefund and its markup was
    ///      recorded, so what is returned here is certainly still in the deposit; it goes to the wallet it came from,
    ///      once. Within a transaction that validated operations the record may still be needed by `postOp`, so
    ///      a user's call inside the bundle can't take it.
    function returnStranded(address fundingWallet) external {
        _startReturnForAnyone();
        WalletWord wallet = _wallets[fundingWallet];
        uint256 strandedWei = wallet.strandedWei();
        if (strandedWei == 0) revert NothingStranded(fundingWallet);
        _wallets[fundingWallet] = wallet.withStrandedReturned();
        emit StrandedPrechargeReturned(fundingWallet, strandedWei);
    }

    /// @inheritdoc IHybridPaymaster
    function collectFees(address[] calldata fundingWallets) external {
        for (uint256 i = 0; i < fundingWallets.length; i++) {
            WalletWord wallet = _wallets[fundingWallets[i]];
            _wallets[fundingWallets[i]] = wallet.withFeesCollected();
            _collectedFeesWei += wallet.feesWei();
            emit FeesCollected(fundingWallets[i], wallet.feesWei());
        }
    }

    /// @inheritdoc IHybridPaymaster
    function withdrawFees(address payable to, uint256 amountWei) external onlyOwner {
        if (to == address(0)) revert ZeroAddress();
        uint256 available = _collectedFeesWei;
        if (amountWei > available) revert FeeBalanceTooLow(available, amountWei);
        _collectedFeesWei = available - amountWei;
        emit FeesWithdrawn(to, amountWei);
        entryPoint().withdrawTo(to, amountWei);
    }

    /// @inheritdoc IHybridPaymaster
    function balanceOf(address fundingWallet) public view returns (uint256 balanceWei) {
        return _wallets[fundingWallet].balanceWei();
    }

    /// @inheritdoc IHybridPaymaster
    function strandedOf(address fundingWallet) external view returns (uint256 strandedWei) {
        return _wallets[fundingWallet].strandedWei();
    }

    /// @inheritdoc IHybridPaymaster
    function withdrawalOf(address fundingWallet) external view returns (uint256 amountWei, uint256 executableAt) {
        Withdrawal memory withdrawal = _withdrawals[fundingWallet];
        return (withdrawal.amountWei, withdrawal.executableAt);
    }

    /// @inheritdoc IHybridPaymaster
    function withdrawalDelaySeconds() external view returns (uint256) {
        return _withdrawalDelaySeconds;
    }

    /// @inheritdoc IHybridPaymaster
    function feeBalance() external view returns (uint256) {
        return _collectedFeesWei;
    }

    /// @inheritdoc IHybridPaymaster
    function feesOf(address fundingWallet) external view returns (uint256 feesWei) {
        return _wallets[fundingWallet].feesWei();
    }

    /**
     * @dev Takes a precharge in validation.
     * @param fundingWallet Who pays.
     * @param prechargeWei The most the operation can cost the wallet.
     * @param strandedWei What of it would be left if the operation were never settled.
     */
    function _debit(address fundingWallet, uint256 prechargeWei, uint256 strandedWei) internal {
        WalletWord wallet = _wallets[fundingWallet];
        if (!wallet.covers(prechargeWei, strandedWei)) {
            _refuse(
                "PM funding balance low",
                IRefusals.FundingBalanceTooLow.selector,
                wallet.balanceWei(),
                prechargeWei
            );
        }
        _wallets[fundingWallet] = wallet.debited(prechargeWei, strandedWei);
        // A return takes the stranded bits, a record or tokens out of a slot, and validation could put the same value
        // there again. Then the slot has the value from before the transaction, and settlement's write to it costs 2,900
        // gas instead of 100: more than the floor of `unaccountedGas` is for.
        if (_activity == _RETURNED) {
            _refuse("PM return in same transaction", IRefusals.ReturnInSameTransaction.selector);
        }
        _activity = _VALIDATED;
    }

    /**
     * @dev Gives back in settlement what the operation did not cost.
     * @param fundingWallet Who paid the precharge.
     * @param refundWei The precharge less the charge.
     * @param strandedWei What `_debit` recorded for this operation.
     * @param feeWei The markup's part of the charge.
     */
    function _credit(address fundingWallet, uint256 refundWei, uint256 strandedWei, uint256 feeWei) internal {
        _wallets[fundingWallet] = _wallets[fundingWallet].credited(refundWei, strandedWei, feeWei);
    }

    /**
     * @dev Marks the transaction as one that takes a record or a balance away: no operation is validated after it in
     *      the same transaction. Refused where one was validated before: what `postOp` still needs must stay where it
     *      is.
     */
    function _startReturn() internal {
        if (_activity == _VALIDATED) revert OperationsInFlight();
        _activity = _RETURNED;
    }

    /**
     * @dev The same where anyone may ask: only straight from the transaction's sender. Else an account could ask in its
     *      own validation, and the operations behind it in the bundle would be refused at this contract's expense: a
     *      bundler counts an AA33 against the paymaster.
     */
    function _startReturnForAnyone() internal {
        _startReturn();
        if (msg.sender != tx.origin) revert NotTransactionSender(msg.sender);
    }

    function _min(uint256 a, uint256 b) internal pure returns (uint256) {
        return a < b ? a : b;
    }
}
