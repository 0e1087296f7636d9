// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../src/interfaces/IPackedHybridPaymaster.sol";
import {IRefusals} from "../src/interfaces/IRefusals.sol";
import {MeteredToken} from "./support/MeteredToken.sol";
import {Op, Outcome} from "./support/Op.sol";
import {Refused} from "./support/Refused.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";

/// @notice Who pays what when calls revert, tokens refuse, and the EntryPoint undoes what `postOp` did.
abstract contract TokenSettlementTest is TokenWorld {
    // --- ways allowance and permit: paid before

    function test_revertedCalls_arePaidAllTheSame() public {
        for (uint8 way = ALLOWANCE; way <= PERMIT; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _payableOp(way);
            op.callData = abi.encodeCall(TestAccount.revertWith, (100));
            Outcome memory outcome = version.send(_signed(op));
            assertTrue(!outcome.success && outcome.settled && outcome.paid, "reverted and paid");
            assertEq(outcome.chargedTokens, version.inTokens(op, outcome.chargedWei), "charge");
            assertEq(token.balanceOf(op.sender), TOKENS - outcome.chargedTokens, "the rest comes back");
            vm.revertToState(state);
        }
    }

    function test_refusedRefund_isBookedForTheSender() public {
        (Op memory op, MeteredToken metered) = _meteredOp(ALLOWANCE, MeteredToken.Payout.Refuses);
        Outcome memory outcome = version.send(_signed(op));
        assertTrue(outcome.success && outcome.paid, "the user's calls stay");
        assertEq(outcome.refundKeptFor, op.sender, "for the sender");
        assertEq(outcome.refundKept, outcome.refundedTokens, "all of it");
        assertEq(paymaster.tokenBalanceOf(address(metered), op.sender), outcome.refundKept, "booked");
        assertEq(paymaster.tokenBalanceOf(address(metered), RECEIVER), outcome.chargedTokens, "charged");
        uint256 held = metered.balanceOf(address(paymaster));
        assertEq(held, outcome.refundKept + outcome.chargedTokens, "held");
    }

    /// @dev The gas that the refused call leaves over does not pay for a new slot, but for one that is there.
    function test_refusedRefundWithLittleGas_isBookedForASenderThatHasABalanceSlot() public {
        (Op memory op, MeteredToken metered) = _meteredOp(ALLOWANCE, MeteredToken.Payout.Refuses);
        _setTokenGas(op, 15_000);
        assertEq(version.send(_signed(op)).refundedTokens, 0, "no slot");

        op.nonce = version.nonceOf(op.sender, 0);
        _setTokenGas(op, 60_000);
        assertEq(version.send(_signed(op)).refundKeptFor, op.sender, "enough for a slot");

        _setTokenGas(op, 15_000);
        op.nonce = version.nonceOf(op.sender, 0);
        uint256 before = paymaster.tokenBalanceOf(address(metered), op.sender);
        Outcome memory outcome = version.send(_signed(op));
        assertEq(outcome.refundKeptFor, op.sender, "the slot is there");
        assertEq(
            paymaster.tokenBalanceOf(address(metered), op.sender),
            before + outcome.refundedTokens,
            "booked for the sender"
        );
    }

    /// @dev Its slot is there since the sender was booked nothing, as the receiver of an operation without fees.
    function test_refusedRefundWithLittleGas_isBookedForASenderWhoseBalanceIsZero() public {
        (Op memory op, MeteredToken metered) = _meteredOp(ALLOWANCE, MeteredToken.Payout.Refuses);
        _setTokenGas(op, 15_000);
        (uint256 maxFee, uint256 tip) = (op.maxFeePerGas, op.maxPriorityFeePerGas);
        (op.maxFeePerGas, op.maxPriorityFeePerGas, op.feeReceiver) = (0, 0, op.sender);
        vm.fee(0);
        assertTrue(version.send(_signed(op)).paid, "without fees");
        assertEq(paymaster.tokenBalanceOf(address(metered), op.sender), 0, "nothing is booked");

        (op.maxFeePerGas, op.maxPriorityFeePerGas, op.feeReceiver) = (maxFee, tip, RECEIVER);
        op.nonce = version.nonceOf(op.sender, 0);
        vm.fee(7 gwei);
        assertEq(version.send(_signed(op)).refundKeptFor, op.sender, "the slot is there");
    }

    function test_refundThatBurnsItsGas_staysWithTheReceiver() public {
        (Op memory op, MeteredToken metered) = _meteredOp(ALLOWANCE, MeteredToken.Payout.BurnsEverything);
        Outcome memory outcome = version.send(_signed(op));
        assertTrue(outcome.success && outcome.paid, "the user's calls stay");
        assertEq(outcome.refundKeptFor, address(0), "kept for nobody");
        assertEq(outcome.refundedTokens, 0, "nothing goes back");
        uint256 held = metered.balanceOf(address(paymaster));
        assertEq(held, outcome.chargedTokens, "the event says all that was taken");
        assertEq(held, version.inTokens(op, version.prechargeWei(op)), "held");
        assertEq(paymaster.tokenBalanceOf(address(metered), RECEIVER), held, "all of it");
        assertEq(paymaster.tokenBalanceOf(address(metered), op.sender), 0, "none");
    }

    // --- way batch approval: paid after

    function test_revertedCallsOfABatchThatCanPay_arePaid() public {
        Op memory op = _payableOp(ALLOWANCE);
        op = _tokenOp(BATCH_APPROVAL);
        op.callData = abi.encodeCall(TestAccount.revertWith, (100));
        Outcome memory outcome = version.send(_signed(op));
        assertTrue(!outcome.success && outcome.settled && outcome.paid && !outcome.isDue, "reverted and paid");
        assertEq(token.balanceOf(RECEIVER), version.inTokens(op, outcome.chargedWei), "charge");
    }

    function test_revertedCallsOfABatchThatCannotPay_areDue() public {
        Op memory op = _tokenOp(BATCH_APPROVAL);
        op.callData = abi.encodeCall(TestAccount.revertWith, (100));
        Outcome memory outcome = version.send(_signed(op));
        assertTrue(!outcome.success && outcome.settled && !outcome.paid, "reverted, settled, not paid");
        assertTrue(outcome.isDue && !outcome.callsSucceeded, "due, after reverted calls");
        assertEq(outcome.dueTokens, version.inTokens(op, outcome.chargedWei), "what is due");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether - outcome.chargedWei, "the wallet has its rest back");
        assertEq(token.balanceOf(op.sender), TOKENS, "nothing is taken");
        _assertNothingUnsettled();
        _assertSolvent();
    }

    /// @dev The calls succeed and take the allowance away: they are undone, and the wallet's ether is spent.
    function test_batchThatTakesTheTokenAway_isUndone() public {
        Op memory op = _payableOp(BATCH_APPROVAL);
        op.callData = _approval(0);
        op = _signed(op);
        Outcome memory outcome = version.send(op);
        assertTrue(!outcome.success && !outcome.paid, "undone, not paid");
        assertEq(token.balanceOf(op.sender), TOKENS, "nothing is taken");
        _assertSolvent();
        _assertBornByTheWallet(op, outcome);
    }

    function _assertBornByTheWallet(Op memory op, Outcome memory outcome) internal virtual;

    /// @dev Nothing may be left of a record once an operation is settled.
    function _assertNothingUnsettled() internal view virtual {}

    // --- every way

    function test_settlement_equalsTheModelInEveryWayAndMode() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            for (uint8 mode = 0; mode < 3; mode++) {
                uint256 state = vm.snapshotState();
                // Batch approval: the allowance the calls would have given.
                if (way == BATCH_APPROVAL) _payableOp(ALLOWANCE);
                _settleAndCheck(way == BATCH_APPROVAL ? _tokenOp(way) : _payableOp(way), mode, 1e15, 9 gwei);
                vm.revertToState(state);
            }
        }
    }

    function testFuzz_settlement_equalsTheModelForAnyCostAndRate(
        uint256 cost,
        uint256 price,
        uint256 rate,
        uint256 terms
    ) public {
        Op memory op = _payableOp(ALLOWANCE);
        op.way = terms % 2 == 0 ? ALLOWANCE : BATCH_APPROVAL;
        op.exchangeRate = uint192(bound(rate, 1, 1e30));
        op.premium = uint32(bound(terms >> 64, 1_000_000, 2_000_000));
        op.feeMarkup = uint32(bound(terms >> 128, 1_000_000, 2_000_000));
        op.maxTokenCharge = uint192(version.inTokens(op, version.prechargeWei(op)));
        cost = bound(cost, 0, 2 * version.prefundWei(op));
        price = bound(price, 0, 2 * op.maxFeePerGas);
        _settleAndCheck(op, uint8(terms >> 250) % 3, cost, price);
    }

    function test_zeroFees_payNothing() public {
        vm.fee(0);
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _payableOp(way);
            (op.maxFeePerGas, op.maxPriorityFeePerGas) = (0, 0);
            Outcome memory outcome = version.send(_signed(op));
            assertTrue(outcome.success && outcome.settled && outcome.paid, "lands");
            assertEq(token.balanceOf(op.sender), TOKENS, "nothing is taken");
        }
    }

    function _settleAndCheck(Op memory op, uint8 mode, uint256 cost, uint256 price) private {
        op = _signed(op);
        (bytes memory context, ) = version.validate(op);
        uint256 afterDebit = paymaster.balanceOf(WALLET);
        bytes memory call_ = version.postOpCall(context, cost, price);
        call_[35] = bytes1(mode);
        (bool ok, ) = version.callAsEntryPoint(call_);
        assertTrue(ok, "settles");

        uint256 precharge = version.prechargeWei(op);
        uint256 charge = version.ceilMarkup(version.costWei(op, cost, price), op.feeMarkup);
        if (charge > precharge) charge = precharge;
        uint256 tokenCharge = version.inTokens(op, charge);
        assertEq(paymaster.balanceOf(WALLET), afterDebit + precharge - charge, "the wallet's refund");
        assertEq(token.balanceOf(op.sender), TOKENS - tokenCharge, "sender");
        bool direct = op.way == BATCH_APPROVAL;
        assertEq(token.balanceOf(RECEIVER), direct ? tokenCharge : 0, "paid at once");
        assertEq(paymaster.tokenBalanceOf(op.token, RECEIVER), direct ? 0 : tokenCharge, "booked");
        assertEq(token.balanceOf(address(paymaster)), direct ? 0 : tokenCharge, "held");
        _assertNothingUnsettled();
    }

    // --- within a transaction that validated

    function test_balances_cannotBeTakenInTheSameTransaction() public {
        Op memory op = _payableOp(ALLOWANCE);
        version.send(_signed(op));
        assertTrue(paymaster.tokenBalanceOf(address(token), RECEIVER) > 0, "booked");
        vm.expectRevert(abi.encodeWithSignature("OperationsInFlight()"));
        _byAnybody();
        paymaster.withdrawTokens(address(token), RECEIVER);
    }

    /// @dev From within the operation itself: the receiver's balance still holds the sender's refund.
    function test_operationThatWithdrawsTheReceiversBalance_getsNothing() public {
        Op memory op = _payableOp(ALLOWANCE);
        bytes memory withdrawal = abi.encodeCall(IHybridPaymaster.withdrawTokens, (address(token), RECEIVER));
        op.callData = abi.encodeCall(TestAccount.execute, (address(paymaster), 0, withdrawal));
        Outcome memory outcome = version.send(_signed(op));
        assertTrue(!outcome.success && outcome.paid, "the call reverts, the operation is paid");
        assertEq(token.balanceOf(RECEIVER), 0, "nothing is withdrawn");
    }

    function _meteredOp(
        uint8 way,
        MeteredToken.Payout payout
    ) private returns (Op memory op, MeteredToken metered) {
        metered = MeteredToken(_deploy("MeteredToken", ""));
        metered.mint(address(tokenAccount), TOKENS);
        vm.prank(address(tokenAccount));
        metered.approve(address(paymaster), type(uint256).max);
        metered.setPayout(payout);
        op = _tokenOp(way);
        op.token = address(metered);
    }

    /// @dev The first `postOp` is made to revert, as one that runs out of gas would.
    function _mockFirstPostOp() internal {
        bytes4 selector = bytes4(version.postOpCall("", 0, 0));
        for (uint256 mode = 0; mode < 2; mode++) {
            vm.mockCallRevert(
                address(paymaster),
                abi.encodePacked(selector, mode),
                "longer than thirty-two bytes of revert data"
            );
        }
    }
}

contract TokenSettlementV06Test is TokenSettlementTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
    }

    /// @dev The second `postOp` can't undo anything more: it settles with the wallet and tells the debt.
    function _assertBornByTheWallet(Op memory op, Outcome memory outcome) internal view override {
        assertTrue(outcome.settled && outcome.isDue && outcome.callsSucceeded, "due, after calls that succeeded");
        assertEq(outcome.dueTokens, version.inTokens(op, outcome.chargedWei), "what is due");
        assertGe(outcome.chargedWei - outcome.feeWei, outcome.takenWei, "charge covers both postOps");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether - outcome.chargedWei, "the wallet has its rest back");
    }

    function test_firstPostOpUndone_theSecondSettlesEveryWay() public {
        _mockFirstPostOp();
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _payableOp(ALLOWANCE);
            if (way != ALLOWANCE) op = way == PERMIT ? _payableOp(way) : _tokenOp(way);
            Outcome memory outcome = version.send(_signed(op));
            assertTrue(outcome.settled && !outcome.success && outcome.paid, "calls undone, paid");
            assertEq(token.balanceOf(op.sender), TOKENS - outcome.chargedTokens, "sender");
            assertEq(outcome.chargedTokens, version.inTokens(op, outcome.chargedWei), "charge");
            assertGe(outcome.chargedWei - outcome.feeWei, outcome.takenWei, "charge covers the cost");
            vm.revertToState(state);
        }
    }

    /// @dev What the first `postOp` reverts with has more than 32 bytes, or the EntryPoint would fail the bundle.
    function test_otherOperationsOfTheBundle_landBesideOneThatCannotPay() public {
        Op[] memory ops = new Op[](3);
        for (uint256 i = 0; i < 3; i++) {
            ops[i] = i == 1 ? _payableOp(BATCH_APPROVAL) : _op();
            if (i == 1) ops[i].callData = _approval(0);
            if (i == 2) ops[i].nonce = version.nonceOf(ops[i].sender, 7);
            ops[i] = _signed(ops[i]);
        }
        Outcome[] memory outcomes = version.sendBundle(ops);
        assertTrue(outcomes[0].success && outcomes[2].success, "the others land");
        assertTrue(outcomes[1].isDue, "the one is due");
    }
}

/// @notice EntryPoints that don't call `postOp` again once it reverted.
abstract contract TokenStrandingTest is TokenSettlementTest {
    function _assertNothingUnsettled() internal view override {
        assertEq(_unsettled(), 0, "unsettled");
        assertEq(paymaster.strandedOf(WALLET), 0, "stranded");
    }

    function _assertBornByTheWallet(Op memory op, Outcome memory outcome) internal view override {
        uint256 precharge = version.prechargeWei(op);
        assertTrue(outcome.postOpReverted && !outcome.settled && !outcome.isDue, "nothing of postOp is left");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether - precharge, "the precharge stays taken");
        assertEq(_unsettled(), version.ceilMarkup(version.prefundWei(op), op.feeMarkup), "recorded for the owner");
        assertEq(paymaster.strandedOf(WALLET), precharge - _unsettled(), "and the rest for anyone");
        assertGe(_unsettled(), outcome.takenWei, "covers what the EntryPoint took");
    }

    function test_chargeThatFails_isRefusedByName() public {
        Op memory op = _signed(_tokenOp(BATCH_APPROVAL));
        (bytes memory context, ) = version.validate(op);
        (bool ok, bytes memory reason) = version.callAsEntryPoint(version.postOpCall(context, 1e15, 9 gwei));
        assertTrue(!ok, "reverts");
        assertEq(bytes32(bytes4(reason)), bytes32(IRefusals.TokenChargeFailed.selector), "by name");
    }

    /// @dev The ways that pay before touch no record: their receiver keeps the whole payment.
    function test_postOpUndone_leavesThePaymentWithTheReceiver() public {
        _mockFirstPostOp();
        for (uint8 way = ALLOWANCE; way <= PERMIT; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _signed(_payableOp(way));
            Outcome memory outcome = version.send(op);
            uint256 taken = version.inTokens(op, version.prechargeWei(op));
            assertTrue(!outcome.settled && !outcome.success, "undone");
            assertEq(paymaster.tokenBalanceOf(op.token, RECEIVER), taken, "all of it");
            assertEq(token.balanceOf(address(paymaster)), taken, "held");
            assertEq(_unsettled(), 0, "no record");
            assertTrue(paymaster.strandedOf(WALLET) > 0, "but the stranded one");
            _assertSolvent();
            vm.revertToState(state);
        }
    }

    function test_unsettledRecord_cannotBeReturnedInTheSameTransaction() public {
        Op memory op = _payableOp(BATCH_APPROVAL);
        op.callData = _approval(0);
        version.send(_signed(op));
        assertTrue(_unsettled() > 0, "recorded");
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSignature("OperationsInFlight()"));
        IPackedHybridPaymaster(address(paymaster)).returnUnsettled(WALLET, 1, 1);
    }

    function _unsettled() internal view returns (uint256) {
        return IPackedHybridPaymaster(address(paymaster)).unsettledOf(WALLET);
    }
}

contract TokenSettlementV07Test is TokenStrandingTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
    }
}

contract TokenSettlementV08Test is TokenStrandingTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
    }
}

contract TokenSettlementV09Test is TokenStrandingTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
    }
}
