// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op, Outcome} from "../support/Op.sol";
import {TestAccount} from "../support/TestAccount.sol";
import {HostileOnV06, HostileOnV07, HostileOnV08, HostileOnV09, HostileWorld} from "../support/tokens/HostileWorld.sol";
import {TestToken} from "../support/tokens/TestToken.sol";
import {Quirk, WeirdToken} from "../support/tokens/WeirdToken.sol";

/**
 * @notice Senders, neighbours in the bundle and tokens that try to have gas for nothing, or to take somebody else's
 *         refund. Ways allowance and permit are paid whatever happens, way batch approval is or ends as documented.
 */
abstract contract AttacksTest is HostileWorld {
    WeirdToken private _weird;

    function _prepare() internal virtual override {
        super._prepare();
        _weird = new WeirdToken(6);
    }

    /// @dev A signed operation of an equipped sender with that call in it.
    function _attack(uint8 way, address target, bytes memory data) private returns (Op memory op) {
        op = _hostileOp(way, address(_weird), 6);
        _equip(op);
        op.callData = _calls(op, target, data);
        return _signed(op);
    }

    function _harmless(uint8 way) private returns (Op memory) {
        return _attack(way, address(neighbour), abi.encodeCall(TestAccount.write, (7)));
    }

    /// @dev What the sender still has once the pull is done.
    function _leftOver(uint8 way) private view returns (uint256) {
        Op memory op = _hostileOp(way, address(_weird), 6);
        return way == BATCH_APPROVAL ? OWNED : OWNED - version.inTokens(op, version.prechargeWei(op));
    }

    /// @dev Paid at the signed rate for more than the EntryPoint took, within the ceiling, and nothing got lost.
    function _assertPaid(Op memory op, Outcome memory outcome, string memory what) private view {
        assertTrue(outcome.settled && outcome.paid && !outcome.isDue, string.concat(what, ": paid"));
        uint256 charged = outcome.chargedTokens;
        assertGe(charged, version.inTokens(op, outcome.takenWei), string.concat(what, ": the EntryPoint's part"));
        assertEq(charged, version.inTokens(op, outcome.chargedWei), string.concat(what, ": the wallet's charge"));
        assertLe(charged, op.maxTokenCharge, string.concat(what, ": ceiling"));
        if (op.way != BATCH_APPROVAL) {
            uint256 pulled = version.inTokens(op, version.prechargeWei(op));
            assertEq(charged + outcome.refundedTokens, pulled, what);
        }
        uint256 income = paymaster.tokenBalanceOf(op.token, RECEIVER) + _weird.balanceOf(RECEIVER);
        assertGe(income, charged, string.concat(what, ": income"));
        _assertCovered(op.token, what);
        _assertSolvent();
    }

    /// @dev Way batch approval without its money: the wallet bears it, up to its precharge.
    function _assertUnpaid(Op memory op, Outcome memory outcome, string memory what) private view {
        _assertUndone(op, outcome, what);
        uint256 lost = 1000 ether - paymaster.balanceOf(WALLET);
        assertGe(lost, outcome.takenWei, string.concat(what, ": the wallet bears it"));
        assertLe(lost, version.prechargeWei(op), string.concat(what, ": up to its precharge"));
        _assertSolvent();
    }

    function test_allowanceRevokedInside() public {
        bytes memory revoke = abi.encodeCall(TestToken.approve, (address(paymaster), 0));
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _attack(way, address(_weird), revoke);
            Outcome memory outcome = version.send(op);
            if (way == BATCH_APPROVAL) {
                _assertUnpaid(op, outcome, "revoked");
            } else {
                _assertPaid(op, outcome, "revoked");
                assertTrue(outcome.success && outcome.refundedTokens > 0 && outcome.refundKept == 0, "and refunded");
            }
            assertEq(_weird.allowance(op.sender, address(paymaster)), 0, "no allowance is left");
            vm.revertToStateAndDelete(state);
        }
    }

    function test_balanceSweptInside() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            bytes memory sweep = abi.encodeCall(TestToken.transfer, (address(0x5AFE), _leftOver(way)));
            Op memory op = _attack(way, address(_weird), sweep);
            Outcome memory outcome = version.send(op);
            if (way == BATCH_APPROVAL) {
                _assertUnpaid(op, outcome, "swept");
                assertEq(_weird.balanceOf(op.sender), OWNED, "the sweep is undone");
            } else {
                _assertPaid(op, outcome, "swept");
                assertEq(_weird.balanceOf(op.sender), outcome.refundedTokens, "only the refund is left");
            }
            vm.revertToStateAndDelete(state);
        }
    }

    /// @dev Everything is validated before anything is executed: the neighbour's calls come after the pull.
    function test_balanceSweptByAnotherOperationOfTheBundle() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _harmless(way);
            vm.prank(op.sender);
            _weird.approve(address(neighbour), ENOUGH);
            bytes memory sweep = abi.encodeCall(TestToken.transferFrom, (op.sender, address(0x5AFE), _leftOver(way)));
            Op memory thief = _neighbourOp(0, abi.encodeCall(TestAccount.execute, (address(_weird), 0, sweep)));

            Outcome[] memory outcomes = version.sendBundle(_bundle(thief, op));

            assertEq(_weird.balanceOf(address(0x5AFE)), _leftOver(way), "swept");
            if (way == BATCH_APPROVAL) _assertUnpaid(op, outcomes[1], "swept by a neighbour");
            else _assertPaid(op, outcomes[1], "swept by a neighbour");
            vm.revertToStateAndDelete(state);
        }
    }

    /// @dev The booked precharge is what the refund comes from: nobody has it sent to the receiver in between.
    function test_withdrawalInsideTheBundle_takesNoRefund() public {
        bytes memory withdrawal = abi.encodeCall(paymaster.withdrawTokens, (address(_weird), RECEIVER));
        Op memory other = _neighbourOp(0, abi.encodeCall(TestAccount.execute, (address(paymaster), 0, withdrawal)));
        for (uint8 way = ALLOWANCE; way <= PERMIT; way++) {
            for (uint256 i = 0; i < 2; i++) {
                uint256 state = vm.snapshotState();
                Op memory op = i == 0 ? _harmless(way) : _attack(way, address(paymaster), withdrawal);
                Outcome memory outcome = version.sendBundle(_bundle(other, op))[1];
                _assertPaid(op, outcome, "withdrawn inside");
                assertEq(_weird.balanceOf(RECEIVER), 0, "nothing was sent");
                assertEq(OWNED - _weird.balanceOf(op.sender), outcome.chargedTokens, "refunded");
                vm.revertToStateAndDelete(state);
            }
        }
    }

    function test_twoOperationsOnTokensForOne_theSecondIsRefused() public {
        Op memory op = _hostileOp(ALLOWANCE, address(_weird), 6);
        uint256 precharge = version.inTokens(op, version.prechargeWei(op));
        _weird.mint(op.sender, 2 * precharge - 1);
        vm.prank(op.sender);
        _weird.approve(address(paymaster), ENOUGH);
        Op[] memory ops = _bundle(_signed(op), _signed(_withNonceKey(op, 1)));
        (Outcome[] memory outcomes, bytes memory reason) = _attempt(ops);
        _assertRefused(reason, 1, "AA33", "the second");
        assertEq(_weird.balanceOf(op.sender), 2 * precharge - 1, "nothing moved");
        _weird.mint(op.sender, 1);
        (outcomes, ) = _attempt(ops);
        assertTrue(outcomes[0].paid && outcomes[1].paid, "with one unit more both land");
    }

    function _withNonceKey(Op memory op, uint192 key) private view returns (Op memory) {
        Op memory copy = abi.decode(abi.encode(op), (Op));
        copy.nonce = version.nonceOf(op.sender, key);
        return copy;
    }

    function test_permitFrontRun_changesNothing() public {
        // In the same bundle: two operations of the sender carry one permit, and the first one's validation uses it.
        Op memory op = _harmless(PERMIT);
        Op memory second = _signed(_withNonceKey(op, 1));
        Outcome[] memory outcomes = version.sendBundle(_bundle(op, second));
        _assertPaid(op, outcomes[0], "the first");
        _assertPaid(second, outcomes[1], "front-run in the bundle");

        // Before the bundle, by anybody.
        op.permit = _laxPermit(2);
        _weird.permit(op.sender, address(paymaster), ENOUGH, block.timestamp, 27, bytes32(uint256(2)), "s");
        op = _signed(_withNonceKey(op, 0));
        _assertPaid(op, version.send(op), "front-run before");

        // Used up, and the allowance gone with it.
        vm.prank(op.sender);
        _weird.approve(address(paymaster), 0);
        (, bytes memory reason) = _attempt(_bundle(_signed(_withNonceKey(op, 0))));
        _assertRefused(reason, 0, "AA33", "no allowance");
    }

    /// @dev A blocked receiver stops nobody whose tokens wait in the paymaster.
    function test_receiverBlocked_waysAllowanceAndPermitGoOn() public {
        _weird.setBlocked(RECEIVER);
        _weird.setQuirk(Quirk.Blocks);
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _harmless(way);
            Outcome memory outcome = version.send(op);
            if (way == BATCH_APPROVAL) _assertUnpaid(op, outcome, "receiver blocked");
            else _assertPaid(op, outcome, "receiver blocked");
            vm.revertToStateAndDelete(state);
        }
    }

    /// @dev The sender gets itself blocked inside the operation: its refund waits for it in the paymaster.
    function test_refundRefused_isBookedForTheSender() public {
        _weird.setBlocked(address(tokenAccount));
        for (uint8 way = ALLOWANCE; way <= PERMIT; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _attack(way, address(_weird), abi.encodeCall(WeirdToken.setQuirk, (Quirk.Blocks)));
            Outcome memory outcome = version.send(op);
            _assertPaid(op, outcome, "refund refused");
            assertTrue(outcome.success && outcome.refundKept > 0, "kept");
            assertEq(outcome.refundKeptFor, op.sender, "for the sender, where gas was signed for it");
            assertEq(paymaster.tokenBalanceOf(op.token, op.sender), outcome.refundKept, "booked");
            assertEq(paymaster.tokenBalanceOf(op.token, RECEIVER), outcome.chargedTokens, "the receiver's part");
            vm.revertToStateAndDelete(state);
        }
    }

    /// @dev Above the ceiling the signature counts for nothing, and no token moves.
    function test_ceilingBelowThePrecharge_isNotValid() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _harmless(way);
            uint256 precharge = version.inTokens(op, version.prechargeWei(op));
            op.maxTokenCharge = uint192(precharge - 1);
            (, bytes memory reason) = _attempt(_bundle(_signed(op)));
            _assertRefused(reason, 0, "AA34", "one unit short");
            op.maxTokenCharge = uint192(precharge);
            op = _signed(op);
            _assertPaid(op, version.send(op), "at the ceiling");
            vm.revertToStateAndDelete(state);
        }
    }

    /// @dev Calls that revert take the approval in front of them along: tried all the same, never an undone bundle.
    function test_revertedCallsAfterABatchApproval_areDueOrPaidByAnOlderAllowance() public {
        Op memory op = _attack(BATCH_APPROVAL, address(neighbour), abi.encodeCall(TestAccount.revertWith, (100)));
        Outcome memory outcome = version.send(op);
        assertTrue(outcome.settled && !outcome.success && !outcome.paid, "settled");
        assertTrue(outcome.isDue && !outcome.callsSucceeded, "due, by calls that failed");
        assertEq(outcome.dueTokens, version.inTokens(op, outcome.chargedWei), "what is due");
        assertEq(1000 ether - paymaster.balanceOf(WALLET), outcome.chargedWei, "the wallet gets its rest back");
        assertLe(outcome.chargedWei, version.prechargeWei(op) / 2, "which is most of it");
        _assertSolvent();

        vm.prank(op.sender);
        _weird.approve(address(paymaster), ENOUGH);
        op = _signed(_withNonceKey(op, 0));
        outcome = version.send(op);
        _assertPaid(op, outcome, "an older allowance");
        assertTrue(!outcome.success, "paid for calls that failed");
    }

    /// @dev The EntryPoint undoes the settlement: the receiver whose wallet paid the ether keeps the whole precharge.
    function test_postOpUndone_leavesThePrechargeWithTheReceiver() public {
        bytes4 selector = bytes4(version.postOpCall("", 0, 0));
        for (uint256 mode = 0; mode < 2; mode++) {
            bytes memory call_ = abi.encodePacked(selector, mode);
            vm.mockCallRevert(address(paymaster), call_, "a reason of thirty-two bytes or more");
        }
        for (uint8 way = ALLOWANCE; way <= PERMIT; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _harmless(way);
            Outcome memory outcome = version.send(op);
            assertTrue(!outcome.success, "undone");
            uint256 booked = paymaster.tokenBalanceOf(op.token, RECEIVER);
            if (_isV06()) {
                _assertPaid(op, outcome, "second postOp");
                assertEq(booked, outcome.chargedTokens, "the second call settles");
            } else {
                uint256 precharge = version.inTokens(op, version.prechargeWei(op));
                assertEq(booked, precharge, "all of it");
                assertEq(OWNED - _weird.balanceOf(op.sender), precharge, "and no more");
                _assertCovered(op.token, "undone");
                _assertSolvent();
            }
            vm.revertToStateAndDelete(state);
        }
    }
}

contract AttacksV06Test is AttacksTest, HostileOnV06 {
    function _prepare() internal override(AttacksTest, HostileOnV06) {
        AttacksTest._prepare();
    }
}

contract AttacksV07Test is AttacksTest, HostileOnV07 {
    function _prepare() internal override(AttacksTest, HostileOnV07) {
        AttacksTest._prepare();
    }
}

contract AttacksV08Test is AttacksTest, HostileOnV08 {
    function _prepare() internal override(AttacksTest, HostileOnV08) {
        AttacksTest._prepare();
    }
}

contract AttacksV09Test is AttacksTest, HostileOnV09 {
    function _prepare() internal override(AttacksTest, HostileOnV09) {
        AttacksTest._prepare();
    }
}
