// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

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
 *  - back:  settlement returns the precharge less the charge, and books the markup as fee;
 *  - out:   the wallet withdraws after a delay, the owner withdraws fees. Nobody else is ever paid.
 * A signer spends balances on gas, and the owner can add one: it counts later than a wallet needs to leave
 * (`SignerSet`).
 *
 * Always: sum(balances) + sum(stranded) + fees <= the deposit in the EntryPoint, as far as the owner states no more
 * than was left of unsettled precharges (`UnsettledPrecharges`). What the accounting's upper bounds
 * take above the EntryPoint's real debit stays in the deposit as a reserve and is credited to nobody.
 *
 * Guards
 *  - Withdrawals wait (request, delay, execute), so that no signed operation meets an emptied wallet and gets the
 *    paymaster banned by bundlers. A requested amount stays debitable; execution pays what is then left.
 *  - A request can be executed for a window and is void afterwards: an old one would be a withdrawal without delay. It
 *    is cut to the balance of its day: a larger one would reach deposits made later.
 *  - No `receive`: ether sent by mistake is refused instead of lost. Ether given to the EntryPoint in this
 *    contract's name by `depositTo` adds to the reserve and is credited to nobody.
 *  - State changes before every payment, so a receiver that calls back meets a settled ledger.
 */
abstract contract FundingWallets is EntryPointStake, Refusals {
    /// @notice Greatest withdrawal delay: a wallet's money is never locked for longer.
    uint256 public constant MAX_WITHDRAWAL_DELAY_SECONDS = 7 days;
    /// @notice How long a due withdrawal can be executed.
    uint256 public constant WITHDRAWAL_WINDOW_SECONDS = 7 days;

    struct FundingWallet {
        /// @dev What the wallet can spend or withdraw, wei.
        uint96 balanceWei;
        /// @dev Part of the precharges of unsettled operations that no EntryPoint can take, wei.
        uint80 strandedWei;
        uint80 feesWei;
    }

    struct Withdrawal {
        /// @dev What the wallet asked for, at most its balance then, wei; 0 means there is no request.
        uint256 amountWei;
        /// @dev First second the request can be executed, unix time.
        uint256 executableAt;
    }

    mapping(address fundingWallet => FundingWallet) private _wallets;
    mapping(address fundingWallet => Withdrawal) private _withdrawals;
    /// @dev Fees plus one wei: settlement never pays the price of a zero slot becoming non-zero.
    uint256 private _feesPlusOne = 1;
    uint256 private immutable _withdrawalDelaySeconds;
    /// @dev What this transaction has done: nothing (0), `_VALIDATED` or `_RETURNED`; never both.
    uint256 private transient _activity;
    /// @dev It validated an operation: its precharge is in flight, not stranded.
    uint256 private constant _VALIDATED = 1;
    /// @dev It took a record or a balance away that validation would put there again.
    uint256 private constant _RETURNED = 2;

    event FundsDeposited(address indexed fundingWallet, address indexed from, uint256 amountWei);
    event WithdrawalRequested(address indexed fundingWallet, uint256 amountWei, uint256 executableAt);
    event WithdrawalCancelled(address indexed fundingWallet, uint256 amountWei);
    event WithdrawalExecuted(address indexed fundingWallet, address indexed to, uint256 amountWei);
    event StrandedPrechargeReturned(address indexed fundingWallet, uint256 amountWei);
    event FeesWithdrawn(address indexed to, uint256 amountWei);

    error WithdrawalDelayTooLong(uint256 delaySeconds, uint256 maximum);
    error ZeroAmount();
    error NoWithdrawalRequested(address fundingWallet);
    error WithdrawalNotDue(uint256 executableAt);
    error WithdrawalExpired(uint256 expiredAt);
    error NothingStranded(address fundingWallet);
    error OperationsInFlight();
    error FeeBalanceTooLow(uint256 feeBalanceWei, uint256 amountWei);

    constructor(uint256 withdrawalDelaySeconds_) {
        if (withdrawalDelaySeconds_ > MAX_WITHDRAWAL_DELAY_SECONDS) {
            revert WithdrawalDelayTooLong(withdrawalDelaySeconds_, MAX_WITHDRAWAL_DELAY_SECONDS);
        }
        _withdrawalDelaySeconds = withdrawalDelaySeconds_;
    }

    /// @notice Deposits the sent value into a wallet's gas deposit. Anyone may; only the wallet can withdraw it.
    function depositFor(address fundingWallet) external payable {
        if (fundingWallet == address(0)) revert ZeroAddress();
        if (msg.value == 0) revert ZeroAmount();
        _wallets[fundingWallet].balanceWei += uint96(msg.value);
        entryPoint().depositTo{value: msg.value}(address(this));
        emit FundsDeposited(fundingWallet, msg.sender, msg.value);
    }

    /**
     * @notice Asks for a withdrawal of the caller's deposit. A new request replaces the old one and its date.
     * @param amountWei What is asked for; more than the balance asks for the balance.
     */
    function requestWithdrawal(uint256 amountWei) external {
        amountWei = _min(amountWei, _wallets[msg.sender].balanceWei);
        if (amountWei == 0) revert ZeroAmount();
        uint256 executableAt = block.timestamp + _withdrawalDelaySeconds;
        _withdrawals[msg.sender] = Withdrawal(amountWei, executableAt);
        emit WithdrawalRequested(msg.sender, amountWei, executableAt);
    }

    /// @notice Takes the caller's request back.
    function cancelWithdrawal() external {
        uint256 amountWei = _withdrawals[msg.sender].amountWei;
        if (amountWei == 0) revert NoWithdrawalRequested(msg.sender);
        delete _withdrawals[msg.sender];
        emit WithdrawalCancelled(msg.sender, amountWei);
    }

    /**
     * @notice Pays the caller's due request: the amount asked for, or what is left of the balance if that is less.
     *         Refused from `WITHDRAWAL_WINDOW_SECONDS` after the request is due.
     */
    function executeWithdrawal(address payable to) external {
        if (to == address(0)) revert ZeroAddress();
        Withdrawal memory withdrawal = _withdrawals[msg.sender];
        if (withdrawal.amountWei == 0) revert NoWithdrawalRequested(msg.sender);
        if (block.timestamp < withdrawal.executableAt) revert WithdrawalNotDue(withdrawal.executableAt);
        uint256 expiredAt = withdrawal.executableAt + WITHDRAWAL_WINDOW_SECONDS;
        if (block.timestamp >= expiredAt) revert WithdrawalExpired(expiredAt);

        FundingWallet storage wallet = _wallets[msg.sender];
        uint256 amountWei = _min(withdrawal.amountWei, wallet.balanceWei);
        // The ledger never exceeds the deposit; if it ever did, a wallet still gets what there is.
        amountWei = _min(amountWei, entryPoint().balanceOf(address(this)));
        delete _withdrawals[msg.sender];
        wallet.balanceWei -= uint96(amountWei);
        emit WithdrawalExecuted(msg.sender, to, amountWei);
        entryPoint().withdrawTo(to, amountWei);
    }

    /**
     * @notice Gives a wallet back what is left of precharges that were never settled. Anyone may call, but not in an
     *         operation that this contract sponsors.
     * @dev An operation stays unsettled when the EntryPoint (v0.7, v0.8) finds the prefund too low after `postOp`
     *      and undoes it: it then takes the whole prefund. Only the part above the prefund and its markup was
     *      recorded, so what is returned here is certainly still in the deposit; it goes to the wallet it came from,
     *      once. Within a transaction that validated operations the record may still be needed by `postOp`, so
     *      a user's call inside the bundle can't take it.
     */
    function returnStranded(address fundingWallet) external {
        _requireNothingInFlight();
        FundingWallet storage wallet = _wallets[fundingWallet];
        uint96 amountWei = wallet.strandedWei;
        if (amountWei == 0) revert NothingStranded(fundingWallet);
        wallet.strandedWei = 0;
        wallet.balanceWei += amountWei;
        emit StrandedPrechargeReturned(fundingWallet, amountWei);
    }

    /// @notice Pays out fees. The only money of the deposit the owner can withdraw.
    function withdrawFees(address payable to, uint256 amountWei) external onlyOwner {
        if (to == address(0)) revert ZeroAddress();
        uint256 available = feeBalance();
        if (amountWei > available) revert FeeBalanceTooLow(available, amountWei);
        _feesPlusOne -= amountWei;
        emit FeesWithdrawn(to, amountWei);
        entryPoint().withdrawTo(to, amountWei);
    }

    /// @notice A wallet's gas deposit, wei. A requested withdrawal is still part of it.
    function balanceOf(address fundingWallet) external view returns (uint256) {
        return _wallets[fundingWallet].balanceWei;
    }

    /// @notice What `returnStranded` would credit to the wallet, wei.
    function strandedOf(address fundingWallet) external view returns (uint256) {
        return _wallets[fundingWallet].strandedWei;
    }

    /// @notice A wallet's withdrawal request; zeros when there is none. One that has expired stays until replaced.
    function withdrawalOf(address fundingWallet) external view returns (uint256 amountWei, uint256 executableAt) {
        Withdrawal memory withdrawal = _withdrawals[fundingWallet];
        return (withdrawal.amountWei, withdrawal.executableAt);
    }

    /// @notice Seconds between a withdrawal's request and its execution.
    function withdrawalDelaySeconds() external view returns (uint256) {
        return _withdrawalDelaySeconds;
    }

    /// @notice Markup income the owner may withdraw, wei.
    function feeBalance() public view returns (uint256) {
        return _feesPlusOne - 1;
    }

    /**
     * @dev Takes a precharge in validation.
     * @param fundingWallet Who pays.
     * @param prechargeWei The most the operation can cost the wallet.
     * @param strandedWei What of it would be left if the operation were never settled.
     */
    function _debit(address fundingWallet, uint256 prechargeWei, uint256 strandedWei) internal {
        FundingWallet memory wallet = _wallets[fundingWallet];
        if (prechargeWei > wallet.balanceWei) _refuse(Refusal.FundingBalance, wallet.balanceWei, prechargeWei);
        // Casts are safe: both amounts are at most the balance they are taken from.
        wallet.balanceWei -= uint96(prechargeWei);
        wallet.strandedWei += uint80(strandedWei);
        _wallets[fundingWallet] = wallet;
        // Else validation could give a slot the value that it had before the transaction, and settlement's write to it
        // would cost 2,900 gas instead of 100: more than the floor of `unaccountedGas` is for.
        if (_activity == _RETURNED) _refuse(Refusal.ReturnBefore, 0, 0);
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
        FundingWallet memory wallet = _wallets[fundingWallet];
        wallet.balanceWei += uint96(refundWei);
        wallet.strandedWei -= uint80(strandedWei);
        wallet.feesWei += uint80(feeWei);
        _wallets[fundingWallet] = wallet;
    }

    /**
     * @dev Refuses in a transaction that validated an operation: what `postOp` still needs must stay where it is.
     *      None is validated after it in the same transaction.
     */
    function _requireNothingInFlight() internal {
        if (_activity == _VALIDATED) revert OperationsInFlight();
        _activity = _RETURNED;
    }

    function _min(uint256 a, uint256 b) internal pure returns (uint256) {
        return a < b ? a : b;
    }
}
