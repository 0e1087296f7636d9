// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";

/**
 * @title IHybridPaymaster
 * @notice What the paymasters of all EntryPoint versions have in common: gas deposits, withdrawals, signing keys, the
 *         stake, token balances, and the events of operations. All amounts of ether are wei, all amounts of tokens are
 *         base units, all dates are unix time in seconds.
 */
interface IHybridPaymaster {
    // Operations

    /// @notice Validation took a precharge, the most that an operation can cost, from a wallet.
    event UserOperationPrecharged(
        bytes32 indexed userOpHash,
        address indexed fundingWallet,
        uint256 prechargeWei
    );
    /// @notice Settlement charged a wallet for an operation and gave back the rest of the precharge. The operation's sender
    ///         is in the EntryPoint's `UserOperationEvent`.
    /// @param feeWei The markup's part of the charge.
    event UserOperationSponsored(
        bytes32 indexed userOpHash,
        address indexed fundingWallet,
        uint256 chargedWei,
        uint256 feeWei
    );
    /// @notice A sender paid for its operation in a token.
    /// @param refunded What of the payment that was taken in validation is the sender's again: sent back or kept for it.
    ///        Zero where the token refused it and left no gas to keep it; then `charged` is all that was taken.
    event UserOperationPaidInToken(
        bytes32 indexed userOpHash,
        address indexed token,
        address indexed sender,
        address feeReceiver,
        uint256 charged,
        uint256 refunded
    );
    /// @notice A sender could not be charged after its calls, and the calls could not be undone either.
    /// @param callsSucceeded Whether the calls had succeeded (v0.6 only, where they were undone with `postOp`).
    event TokenPaymentDue(
        bytes32 indexed userOpHash,
        address indexed token,
        address indexed sender,
        uint256 due,
        bool callsSucceeded
    );
    /// @notice A token refused a refund. It is booked for the sender, who can withdraw it.
    event TokenRefundKept(
        bytes32 indexed userOpHash,
        address indexed token,
        address indexed account,
        uint256 amount
    );

    /// @notice Least signed `unaccountedGas` of a sponsorship: settlement and the EntryPoint's tail, measured, with a
    ///         margin.
    function MIN_UNACCOUNTED_GAS() external view returns (uint256);

    /// @notice Least signed `unaccountedGas` of token mode: settlement, bookkeeping and the EntryPoint's tail, measured,
    ///         with a margin. What is signed above it is the gas limit of the one token call in `postOp`. The high half
    ///         of the signed `way` raises it by as many quarters, for a chain whose fork made gas dearer.
    function TOKEN_POST_OP_BASE_GAS() external view returns (uint256);

    /// @notice What `postOp` gets on top in token mode, for the EntryPoint's shortfall when it has to copy a long revert
    ///         reason. It depends on the EntryPoint's version.
    function TOKEN_POST_OP_MARGIN() external view returns (uint256);

    /// @notice Least gas limit of `postOp` in token mode: `paymasterPostOpGasLimit`, on v0.6 `verificationGasLimit`.
    /// @param unaccountedGas The signed one.
    function minTokenPostOpGas(uint256 unaccountedGas) external view returns (uint256);

    // Gas deposits

    /// @notice Somebody deposited for a wallet.
    event FundsDeposited(address indexed fundingWallet, address indexed from, uint256 amountWei);
    /// @notice A wallet asked for a withdrawal.
    event WithdrawalRequested(address indexed fundingWallet, uint256 amountWei, uint256 executableAt);
    /// @notice A wallet took its request back.
    event WithdrawalCancelled(address indexed fundingWallet, uint256 amountWei);
    /// @notice A wallet was paid what it had asked for.
    event WithdrawalExecuted(address indexed fundingWallet, address indexed to, uint256 amountWei);
    /// @notice A wallet got back what was left of precharges that were never settled.
    event StrandedPrechargeReturned(address indexed fundingWallet, uint256 amountWei);
    /// @notice The fees that a wallet had paid were gathered for the owner.
    event FeesCollected(address indexed fundingWallet, uint256 amountWei);
    /// @notice The owner withdrew collected fees.
    event FeesWithdrawn(address indexed to, uint256 amountWei);

    /// @notice With the constructor's withdrawal delay, signed operations would meet emptied wallets.
    error WithdrawalDelayTooShort(uint256 delaySeconds, uint256 minimum);
    /// @notice The constructor's withdrawal delay would lock money for too long.
    error WithdrawalDelayTooLong(uint256 delaySeconds, uint256 maximum);
    /// @notice There is nothing to deposit, to ask for or to return.
    error ZeroAmount();
    /// @notice An address that must be given is zero.
    error ZeroAddress();
    /// @notice The wallet has not asked for a withdrawal.
    error NoWithdrawalRequested(address fundingWallet);
    /// @notice The request waits until then.
    error WithdrawalNotDue(uint256 executableAt);
    /// @notice The request's window closed then; the wallet has to ask again.
    error WithdrawalExpired(uint256 expiredAt);
    /// @notice Nothing of the wallet's precharges was left behind.
    error NothingStranded(address fundingWallet);
    /// @notice This transaction has validated an operation, and its settlement may need what would be taken away.
    error OperationsInFlight();
    /// @notice Only the sender of a transaction may call this, and directly: no contract may.
    error NotTransactionSender(address caller);
    /// @notice The balance would not fit into the 96 bits that it has.
    error DepositTooLarge(uint256 balanceWei);
    /// @notice The owner asks for more than was collected.
    error FeeBalanceTooLow(uint256 feeBalanceWei, uint256 amountWei);

    /// @notice Deposits the sent value into a wallet's gas deposit. Anyone may; only the wallet can withdraw it.
    function depositFor(address fundingWallet) external payable;

    /**
     * @notice Asks for a withdrawal of the caller's deposit. A new request replaces the old one and its date.
     * @param amountWei What is asked for; more than the balance asks for the balance.
     */
    function requestWithdrawal(uint256 amountWei) external;

    /// @notice Takes the caller's request back.
    function cancelWithdrawal() external;

    /**
     * @notice Pays the caller's due request: the amount asked for, or what is left of the balance if that is less.
     *         Refused from `WITHDRAWAL_WINDOW_SECONDS` after the request is due.
     */
    function executeWithdrawal(address payable to) external;

    /**
     * @notice Gives a wallet back what is left of precharges that were never settled. Anyone may call in a transaction
     *         of his own; no contract may, so no operation can.
     */
    function returnStranded(address fundingWallet) external;

    /// @notice Gathers the fees that wallets have paid, so that the owner can withdraw them. Anyone may call.
    function collectFees(address[] calldata fundingWallets) external;

    /// @notice Pays out collected fees. The only money of the deposit that the owner can withdraw.
    function withdrawFees(address payable to, uint256 amountWei) external;

    /// @notice A wallet's gas deposit. A requested withdrawal is still part of it.
    function balanceOf(address fundingWallet) external view returns (uint256 balanceWei);

    /// @notice What `returnStranded` would credit to the wallet.
    function strandedOf(address fundingWallet) external view returns (uint256 strandedWei);

    /// @notice What `collectFees` would collect of the wallet.
    function feesOf(address fundingWallet) external view returns (uint256 feesWei);

    /// @notice A wallet's withdrawal request; zeros when there is none. One that has expired stays until replaced.
    function withdrawalOf(address fundingWallet) external view returns (uint256 amountWei, uint256 executableAt);

    /// @notice Collected fees, which the owner may withdraw.
    function feeBalance() external view returns (uint256);

    /// @notice Seconds between a withdrawal's request and its execution.
    function withdrawalDelaySeconds() external view returns (uint256);

    /// @notice How long a due withdrawal can be executed.
    function WITHDRAWAL_WINDOW_SECONDS() external view returns (uint256);

    // Signing keys

    /// @notice The owner added a key.
    event SignerAdded(address indexed signer);
    /// @notice The owner removed a key.
    event SignerRemoved(address indexed signer);
    /// @notice The owner stopped sponsoring.
    event Paused(address account);
    /// @notice The owner let sponsoring go on.
    event Unpaused(address account);

    /// @notice No key can have this address.
    error InvalidSigner(address signer);
    /// @notice The key is in the set.
    error SignerAlreadyAdded(address signer);
    /// @notice The key is not in the set.
    error SignerNotFound(address signer);
    /// @notice The set must not become empty.
    error LastSigner(address signer);
    /// @notice Without an owner no key could be rotated and no stake unlocked.
    error OwnerRequired();

    /// @notice Adds a signing key. It counts after `signerDelaySeconds`, also when it was a signer before.
    function addSigner(address signer) external;

    /// @notice Removes a signing key at once; operations it signed stop being valid. The last key stays.
    function removeSigner(address signer) external;

    /// @notice Stops sponsoring new operations. Operations already validated settle; withdrawals go on.
    function pause() external;

    /// @notice Sponsors again.
    function unpause() external;

    /// @notice Whether sponsoring is stopped.
    function paused() external view returns (bool);

    /// @notice Whether the key counts now, for every EntryPoint version. In a pause it counts too, and nothing that it
    ///         signed is accepted: ask `paused`.
    function isSigner(address signer) external view returns (bool);

    /// @notice From when on the key's signatures count: 0 if it was not added, 1 if in the constructor.
    function signerActiveFrom(address signer) external view returns (uint256 activeFrom);

    /// @notice How many keys there are, those that are not active yet included.
    function signerCount() external view returns (uint256);

    /// @notice Seconds between a key's addition and its first signature that counts.
    function signerDelaySeconds() external view returns (uint256);

    // The EntryPoint and the owner's stake in it

    /// @notice The owner added to the stake.
    event StakeAdded(uint256 amountWei, uint32 unstakeDelaySeconds);
    /// @notice The unstake delay began.
    event StakeUnlocked();
    /// @notice The owner got the stake back.
    event StakeWithdrawn(address indexed to);

    /// @notice There is no contract at the constructor's EntryPoint.
    error EntryPointHasNoCode(address entryPoint);
    /// @notice Only the EntryPoint validates and settles.
    error NotEntryPoint(address caller);

    /// @notice The EntryPoint this contract serves.
    function entryPoint() external view returns (IStakeManager);

    /// @notice Adds the sent value to the stake.
    function addStake(uint32 unstakeDelaySeconds) external payable;

    /// @notice Starts the unstake delay; bundlers stop serving the paymaster from here on.
    function unlockStake() external;

    /// @notice Pays out the stake after its delay.
    function withdrawStake(address payable to) external;

    // Tokens

    /// @notice An account was sent its balance of a token, or a part of it.
    event TokensWithdrawn(address indexed token, address indexed account, uint256 amount);
    /// @notice After a withdrawal of a part: so much is still the account's.
    event TokensStillOwed(address indexed token, address indexed account, uint256 amount);

    /// @notice The account has nothing of this token here, or the caller asked for nothing.
    error NoTokenBalance(address token, address account);
    /// @notice The contract owes so much of this token to the account, and has nothing of it.
    error NoTokensHeld(address token, address account, uint256 amount);
    /// @notice The token refused the transfer.
    error TokenWithdrawalFailed(address token, address account, uint256 amount);

    /**
     * @notice Sends an account its balance of a token, as far as the contract has that much: a token may have taken some
     *         away since (rebasing). The rest stays the account's. Anyone may call in a transaction of his own; no
     *         contract may, so no operation can.
     */
    function withdrawTokens(address token, address account) external;

    /**
     * @notice The same for a part of the balance: the way out where the token takes more from the contract than it is
     *         told to move, and therefore refuses to move all.
     * @param amount What is sent at most, base units.
     */
    function withdrawSomeTokens(address token, address account, uint256 amount) external;

    /// @notice An account's tokens in this contract. Settled only outside a bundle.
    function tokenBalanceOf(address token, address account) external view returns (uint256);
}
