// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";

/// @notice An operation paid in a token, from signature to settlement, in each of the three ways.
abstract contract TokenPaymentTest is TokenWorld {
    function test_getDigest_equalsTheIndependentDigest() public view {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _signed(_tokenOp(way));
            assertEq(version.getDigest(op), version.digest(op), "digest");
        }
    }

    function test_allowance_takesTheMaximumAndGivesTheRestBack() public {
        _assertPaysThroughThePaymaster(_payableOp(ALLOWANCE));
    }

    function test_permit_needsNoTransactionBefore() public {
        Op memory op = _payableOp(PERMIT);
        _assertPaysThroughThePaymaster(op);
        assertEq(token.nonces(op.sender), 1, "the permit is used");
    }

    function test_batchApproval_paysTheReceiverAfterTheCalls() public {
        Op memory op = _signed(_payableOp(BATCH_APPROVAL));
        Outcome memory outcome = version.send(op);
        assertTrue(outcome.success && outcome.settled && outcome.paid, "lands, settles, pays");
        assertEq(outcome.chargedTokens, version.inTokens(op, outcome.chargedWei), "charge at the signed rate");
        assertEq(outcome.refundedTokens, 0, "nothing was taken before");
        assertEq(token.balanceOf(RECEIVER), outcome.chargedTokens, "receiver");
        assertEq(token.balanceOf(op.sender), TOKENS - outcome.chargedTokens, "sender");
        assertEq(token.balanceOf(address(paymaster)), 0, "the paymaster holds nothing");
        _assertWalletPays(outcome);
    }

    function test_event_namesTheTokenTheSenderAndTheReceiver() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _signed(_payableOp(way));
            uint256 sent = vm.snapshotState();
            Outcome memory outcome = version.send(op);
            vm.revertToState(sent);
            vm.expectEmit(address(paymaster));
            emit IHybridPaymaster.UserOperationPaidInToken(
                outcome.userOpHash,
                address(token),
                op.sender,
                RECEIVER,
                outcome.chargedTokens,
                outcome.refundedTokens
            );
            version.send(op);
            vm.revertToState(state);
        }
    }

    function _assertPaysThroughThePaymaster(Op memory op) private {
        op = _signed(op);
        Outcome memory outcome = version.send(op);
        assertTrue(outcome.success && outcome.settled && outcome.paid, "lands, settles, pays");
        uint256 charge = version.inTokens(op, outcome.chargedWei);
        uint256 taken = version.inTokens(op, version.prechargeWei(op));
        assertEq(outcome.chargedTokens, charge, "charge at the signed rate");
        assertEq(outcome.refundedTokens, taken - charge, "refund");
        assertTrue(charge > 0 && taken > charge, "both are something");
        assertEq(token.balanceOf(op.sender), TOKENS - charge, "sender");
        assertEq(paymaster.tokenBalanceOf(address(token), RECEIVER), charge, "receiver's balance");
        assertEq(token.balanceOf(address(paymaster)), charge, "held for the receiver");
        assertEq(outcome.refundKept, 0, "no refund is kept");
        _assertWalletPays(outcome);
    }

    function _assertWalletPays(Outcome memory outcome) private view {
        assertGe(outcome.chargedWei - outcome.feeWei, outcome.takenWei, "charge covers the cost");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether - outcome.chargedWei, "wallet pays the charge");
        assertEq(paymaster.strandedOf(WALLET), 0, "nothing is stranded");
        _assertSolvent();
        _assertTokensCovered();
    }
}

contract TokenPaymentV06Test is TokenPaymentTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
    }
}

contract TokenPaymentV07Test is TokenPaymentTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
    }
}

contract TokenPaymentV08Test is TokenPaymentTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
    }
}

contract TokenPaymentV09Test is TokenPaymentTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
    }
}
