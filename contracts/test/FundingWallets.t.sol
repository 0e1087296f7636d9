// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {Version} from "./support/Version.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/// @notice Calls back into the paymaster while it is being paid.
contract ReenteringWallet {
    IHybridPaymaster private immutable _paymaster;
    uint256 public received;
    bool public secondPaymentRefused;

    constructor(IHybridPaymaster paymaster_) {
        _paymaster = paymaster_;
    }

    function request(uint256 amount) external {
        _paymaster.requestWithdrawal(amount);
    }

    function execute() external {
        _paymaster.executeWithdrawal(payable(address(this)));
    }

    receive() external payable {
        received += msg.value;
        try _paymaster.executeWithdrawal(payable(address(this))) {} catch {
            secondPaymentRefused = true;
        }
        _paymaster.depositFor{value: 1}(address(this));
    }
}

/// @notice Deposits, delayed withdrawals, and their races with operations.
abstract contract FundingWalletsTest is World {
    address payable private constant TO = payable(address(0x70));

    function test_depositFor_creditsTheWalletAndTheEntryPoint() public {
        uint256 deposit = version.depositWei();
        paymaster.depositFor{value: 3 ether}(WALLET_2);
        assertEq(paymaster.balanceOf(WALLET_2), 3 ether, "wallet");
        assertEq(version.depositWei(), deposit + 3 ether, "deposit");
    }

    function test_depositFor_zeroWalletOrNothing_isRefused() public {
        vm.expectRevert(IHybridPaymaster.ZeroAddress.selector);
        paymaster.depositFor{value: 1}(address(0));
        vm.expectRevert(IHybridPaymaster.ZeroAmount.selector);
        paymaster.depositFor(WALLET);
    }

    function test_plainTransfer_isRefused() public {
        (bool ok, ) = address(paymaster).call{value: 1 ether}("");
        assertTrue(!ok, "plain transfer");
        (ok, ) = address(paymaster).call{value: 1 ether}(hex"12345678");
        assertTrue(!ok, "unknown function");
    }

    function test_donationThroughTheEntryPoint_creditsNobody() public {
        uint256 balance = paymaster.balanceOf(WALLET);
        version.entryPoint().depositTo{value: 5 ether}(address(paymaster));
        assertEq(paymaster.balanceOf(WALLET), balance, "wallet");
        assertEq(_feesWei(), 0, "fees");
        _assertSolvent();
    }

    function test_withdrawal_waitsForItsDelayAndPaysOnce() public {
        vm.prank(WALLET);
        paymaster.requestWithdrawal(400 ether);
        (uint256 amount, uint256 due) = paymaster.withdrawalOf(WALLET);
        assertEq(amount, 400 ether, "requested");
        assertEq(due, block.timestamp + DELAY, "due");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether, "still debitable");

        vm.warp(due - 1);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.WithdrawalNotDue.selector, due));
        vm.prank(WALLET);
        paymaster.executeWithdrawal(TO);

        vm.warp(due);
        vm.prank(WALLET);
        paymaster.executeWithdrawal(TO);
        assertEq(TO.balance, 400 ether, "paid");
        assertEq(paymaster.balanceOf(WALLET), 600 ether, "rest");
        _assertSolvent();

        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.NoWithdrawalRequested.selector, WALLET));
        vm.prank(WALLET);
        paymaster.executeWithdrawal(TO);
    }

    function test_withdrawal_ofMoreThanTheBalance_asksForTheBalance() public {
        vm.prank(WALLET);
        paymaster.requestWithdrawal(type(uint256).max);
        (uint256 amount, ) = paymaster.withdrawalOf(WALLET);
        assertEq(amount, 1000 ether, "cut to the balance");
        paymaster.depositFor{value: 1 ether}(WALLET);
        vm.warp(block.timestamp + DELAY);
        vm.prank(WALLET);
        paymaster.executeWithdrawal(TO);
        assertEq(TO.balance, 1000 ether, "paid");
        assertEq(paymaster.balanceOf(WALLET), 1 ether, "what came later waits for a request of its own");
    }

    /// @dev A request kept in store would withdraw at once, under an operation that was signed meanwhile.
    function test_withdrawal_of300DaysAgo_isVoid() public {
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1000 ether);
        (, uint256 due) = paymaster.withdrawalOf(WALLET);
        uint256 expiredAt = due + paymaster.WITHDRAWAL_WINDOW_SECONDS();
        vm.warp(block.timestamp + 300 days);
        Op memory op = _signed(_op());
        vm.prank(WALLET);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.WithdrawalExpired.selector, expiredAt));
        paymaster.executeWithdrawal(TO);
        assertTrue(version.send(op).success, "the live operation lands");

        vm.prank(WALLET);
        paymaster.cancelWithdrawal();
    }

    function test_withdrawal_isOpenUntilItsWindowEnds() public {
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1 ether);
        uint256 expiredAt = block.timestamp + DELAY + paymaster.WITHDRAWAL_WINDOW_SECONDS();
        uint256 state = vm.snapshotState();
        vm.warp(expiredAt - 1);
        vm.prank(WALLET);
        paymaster.executeWithdrawal(TO);
        assertEq(TO.balance, 1 ether, "in its last second");

        vm.revertToState(state);
        vm.warp(expiredAt);
        vm.prank(WALLET);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.WithdrawalExpired.selector, expiredAt));
        paymaster.executeWithdrawal(TO);
    }

    function test_withdrawal_leavesTheFeesWhereTheyAre() public {
        uint256 feeWei = version.send(_signed(_op())).feeWei;
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1 ether);
        vm.warp(block.timestamp + DELAY);
        vm.prank(WALLET);
        paymaster.executeWithdrawal(TO);
        assertTrue(feeWei > 0, "there are fees");
        assertEq(paymaster.feesOf(WALLET), feeWei, "they stay the owner's");
    }

    function test_withdrawal_neverPaysMoreThanTheEntryPointHolds() public {
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1000 ether);
        vm.warp(block.timestamp + DELAY);
        // Never happens by the ledger's rule; an EntryPoint that lost money stands in for the unforeseen.
        IStakeManager entryPoint = version.entryPoint();
        vm.prank(address(paymaster));
        entryPoint.withdrawTo(payable(address(0xDEAD)), 300 ether);
        vm.prank(WALLET);
        paymaster.executeWithdrawal(TO);
        assertEq(TO.balance, 700 ether, "paid");
        assertEq(paymaster.balanceOf(WALLET), 300 ether, "the rest stays owed");
    }

    function test_withdrawal_newRequestRestartsTheDelay() public {
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1 ether);
        vm.warp(block.timestamp + DELAY);
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1000 ether);
        vm.prank(WALLET);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.WithdrawalNotDue.selector, block.timestamp + DELAY));
        paymaster.executeWithdrawal(TO);
    }

    function test_withdrawal_cancelled_isGone() public {
        vm.prank(WALLET);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.NoWithdrawalRequested.selector, WALLET));
        paymaster.cancelWithdrawal();
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1 ether);
        vm.prank(WALLET);
        paymaster.cancelWithdrawal();
        (uint256 amount, uint256 due) = paymaster.withdrawalOf(WALLET);
        assertEq(amount + due, 0, "no request");
        vm.warp(block.timestamp + DELAY);
        vm.prank(WALLET);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.NoWithdrawalRequested.selector, WALLET));
        paymaster.executeWithdrawal(TO);
    }

    function test_withdrawal_zeroAmountOrZeroReceiver_isRefused() public {
        vm.expectRevert(IHybridPaymaster.ZeroAmount.selector);
        paymaster.requestWithdrawal(0);
        vm.expectRevert(IHybridPaymaster.ZeroAmount.selector);
        vm.prank(WALLET_2);
        paymaster.requestWithdrawal(1);
        vm.prank(WALLET);
        vm.expectRevert(IHybridPaymaster.ZeroAddress.selector);
        paymaster.executeWithdrawal(payable(address(0)));
    }

    function test_withdrawal_byAnotherCaller_reachesOnlyTheirOwnMoney() public {
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1000 ether);
        vm.warp(block.timestamp + DELAY);
        vm.prank(WALLET_2);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.NoWithdrawalRequested.selector, WALLET_2));
        paymaster.executeWithdrawal(TO);
    }

    function test_events_tellEveryMoveOfAWallet() public {
        uint256 due = block.timestamp + DELAY;
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.FundsDeposited(WALLET_2, address(this), 3 ether);
        paymaster.depositFor{value: 3 ether}(WALLET_2);
        vm.prank(WALLET_2);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.WithdrawalRequested(WALLET_2, 1 ether, due);
        paymaster.requestWithdrawal(1 ether);
        vm.prank(WALLET_2);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.WithdrawalCancelled(WALLET_2, 1 ether);
        paymaster.cancelWithdrawal();

        vm.prank(WALLET_2);
        paymaster.requestWithdrawal(2 ether);
        vm.warp(due);
        vm.prank(WALLET_2);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.WithdrawalExecuted(WALLET_2, TO, 2 ether);
        paymaster.executeWithdrawal(TO);
    }

    function test_delay_isBounded() public {
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.WithdrawalDelayTooLong.selector, 7 days + 1, uint256(7 days))
        );
        version.newPaymaster(OWNER, _list(OWNER), 7 days + 1);
        IHybridPaymaster longest = version.newPaymaster(OWNER, _list(OWNER), 7 days);
        assertEq(longest.withdrawalDelaySeconds(), 7 days, "delay");
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.WithdrawalDelayTooShort.selector, 1 hours - 1, uint256(1 hours))
        );
        version.newPaymaster(OWNER, _list(OWNER), 1 hours - 1);
        IHybridPaymaster shortest = version.newPaymaster(OWNER, _list(OWNER), 1 hours);
        assertEq(shortest.withdrawalDelaySeconds(), 1 hours, "delay");
    }

    // --- races

    function test_requestedAmount_isDebitedUntilExecuted() public {
        Op memory op = _op();
        op.fundingWallet = WALLET_2;
        op = _signed(op);
        uint256 precharge = version.prechargeWei(op);
        paymaster.depositFor{value: precharge}(WALLET_2);
        vm.prank(WALLET_2);
        paymaster.requestWithdrawal(precharge);

        Outcome memory outcome = version.send(op);
        assertTrue(outcome.success, "the signed operation lands");

        vm.warp(block.timestamp + DELAY);
        vm.prank(WALLET_2);
        paymaster.executeWithdrawal(TO);
        assertEq(TO.balance, precharge - outcome.chargedWei, "what is left is paid");
        _assertSolvent();
    }

    /// @dev Signed to the limit, withdrawal asked for at once, the last operation lands at its last second.
    function test_delayLongerThanTheValidity_leavesNoSignedOperationPoor() public {
        Op memory op = _op();
        op.validUntil = uint48(block.timestamp + DELAY - 1 hours);
        op.fundingWallet = WALLET_2;
        op = _signed(op);
        paymaster.depositFor{value: version.prechargeWei(op)}(WALLET_2);
        vm.prank(WALLET_2);
        paymaster.requestWithdrawal(type(uint256).max);

        vm.warp(op.validUntil);
        vm.prank(WALLET_2);
        (bool early, ) = address(paymaster).call(abi.encodeCall(paymaster.executeWithdrawal, (TO)));
        assertTrue(!early, "not due while a signature holds");
        assertTrue(version.send(op).success, "the last operation lands");
    }

    /// @dev The wallet is the sender and withdraws in the very operation it sponsors.
    function test_withdrawalInsideItsOwnOperation_cannotTakeThePrecharge() public {
        address wallet = address(account);
        Op memory op = _op();
        op.fundingWallet = wallet;
        op.callData = abi.encodeCall(
            TestAccount.execute,
            (address(paymaster), 0, abi.encodeCall(paymaster.executeWithdrawal, (TO)))
        );
        op.callGasLimit = 300_000;
        op = _signed(op);
        uint256 precharge = version.prechargeWei(op);
        paymaster.depositFor{value: precharge + 1 ether}(wallet);
        vm.prank(wallet);
        paymaster.requestWithdrawal(type(uint256).max);
        vm.warp(op.validUntil);
        op.validUntil = uint48(block.timestamp + 2 days);
        op = _signed(op);
        vm.warp(block.timestamp + DELAY);

        Outcome memory outcome = version.send(op);

        assertTrue(outcome.success, "lands");
        assertEq(TO.balance, 1 ether, "only what the precharge left");
        assertEq(paymaster.balanceOf(wallet), outcome.refundedWei, "the refund comes after");
        _assertSolvent();
    }

    function test_reenteringReceiver_isPaidOnce() public {
        ReenteringWallet wallet = new ReenteringWallet(paymaster);
        paymaster.depositFor{value: 10 ether}(address(wallet));
        wallet.request(4 ether);
        vm.warp(block.timestamp + DELAY);
        wallet.execute();
        assertEq(wallet.received(), 4 ether, "paid once");
        assertTrue(wallet.secondPaymentRefused(), "second payment refused");
        assertEq(paymaster.balanceOf(address(wallet)), 6 ether + 1, "rest and its deposit");
    }

    function test_failingReceiver_changesNothing() public {
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1 ether);
        vm.warp(block.timestamp + DELAY);
        vm.prank(WALLET);
        (bool ok, ) = address(paymaster).call(
            abi.encodeCall(paymaster.executeWithdrawal, (payable(address(paymaster))))
        );
        assertTrue(!ok, "the paymaster itself takes no ether");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether, "balance");
        (uint256 amount, ) = paymaster.withdrawalOf(WALLET);
        assertEq(amount, 1 ether, "request");
    }

    function test_returnStranded_withNothingStranded_isRefused() public {
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.NothingStranded.selector, WALLET));
        _byAnybody();
        paymaster.returnStranded(WALLET);
    }

    /// @dev A user's call in the bundle can't take a record that settlement still needs.
    function test_returnStranded_insideABundle_isRefused() public {
        Op memory op = _op();
        op.callData = abi.encodeCall(
            TestAccount.execute,
            (address(paymaster), 0, abi.encodeCall(paymaster.returnStranded, (WALLET)))
        );
        op.callGasLimit = 300_000;
        Outcome memory outcome = version.send(_signed(op));
        assertTrue(outcome.settled && !outcome.success, "the call is refused, the operation settles");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether - outcome.chargedWei, "charged in full");
    }
}

contract FundingWalletsV06Test is FundingWalletsTest, OnV06 {}

contract FundingWalletsV07Test is FundingWalletsTest, OnV07 {}

contract FundingWalletsV08Test is FundingWalletsTest, OnV08 {}

contract FundingWalletsV09Test is FundingWalletsTest, OnV09 {}
