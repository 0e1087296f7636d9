// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IRefusals} from "../../src/interfaces/IRefusals.sol";
import {Op, Outcome} from "../support/Op.sol";
import {Refused} from "../support/Refused.sol";
import {ApproveRaceToken} from "../support/tokens/ApproveRaceToken.sol";
import {HostileOnV06, HostileOnV07, HostileOnV08, HostileOnV09, HostileWorld} from "../support/tokens/HostileWorld.sol";
import {Quirk, WeirdToken} from "../support/tokens/WeirdToken.sol";

/**
 * @notice Every fault of `WeirdToken` in every way to charge: an operation is refused in validation, or it lands and
 *         nobody but those who chose the token bears its faults. It always stands between two sponsored operations of
 *         somebody else, which must land with it: on v0.6 a careless `postOp` takes the whole bundle down.
 */
abstract contract WeirdTokensTest is HostileWorld {
    struct Holdings {
        /// @dev Both wallets' gas deposits, and the paymaster's in the EntryPoint, wei.
        uint256 walletWei;
        uint256 neighbourWei;
        uint256 depositWei;
        /// @dev The sender's tokens.
        uint256 sender;
        /// @dev The receiver's, booked in the paymaster or sent.
        uint256 receiver;
    }

    /// @dev Validation must pull these without complaint; a blocked receiver too, for it takes no part in the pull.
    uint256 private constant FINE_TO_PULL =
        (1 << uint256(Quirk.None)) |
            (1 << uint256(Quirk.NoReturn)) |
            (1 << uint256(Quirk.ReturnBomb)) |
            (1 << uint256(Quirk.Expensive)) |
            (1 << uint256(Quirk.RebasedDown)) |
            (1 << uint256(Quirk.RebasedUp)) |
            (1 << uint256(Quirk.Inflates)) |
            (1 << uint256(Quirk.RefusesZero));
    /// @dev Moves other amounts than it was told, or denies what it did: this token's books are its own affair.
    uint256 private constant BREAKS_ITS_BOOKS =
        (1 << uint256(Quirk.RebasedDown)) |
            (1 << uint256(Quirk.RebasedUp)) |
            (1 << uint256(Quirk.Lies)) |
            (1 << uint256(Quirk.MovesAndReturnsFalse)) |
            (1 << uint256(Quirk.FeeOnTransfer)) |
            (1 << uint256(Quirk.Inflates)) |
            (1 << uint256(Quirk.Deflates)) |
            (1 << uint256(Quirk.ReturnsShort)) |
            (1 << uint256(Quirk.ReturnsTwo));

    WeirdToken private _weird;
    /// @dev Of the same paymaster, and never touched.
    WeirdToken private _other;

    function _prepare() internal virtual override {
        super._prepare();
        _weird = new WeirdToken(6);
        _other = new WeirdToken(6);
        // The paymaster holds tokens of others already: what a fault might take.
        _earn(_weird);
        _earn(_other);
    }

    function _earn(WeirdToken token_) private {
        Op memory op = _hostileOp(ALLOWANCE, address(token_), 6);
        _equip(op);
        assertTrue(version.send(_signed(op)).paid, "earned");
        assertTrue(paymaster.tokenBalanceOf(address(token_), RECEIVER) > 0, "earned");
    }

    function test_faultFromTheStart_isRefusedOrHarmless() public {
        _forEach(false);
    }

    function test_faultTurnedOnInsideTheOperation_isHarmless() public {
        _forEach(true);
    }

    function _forEach(bool inside) private {
        // Whom a blocklist hits.
        address[3] memory blocked = [address(tokenAccount), address(paymaster), RECEIVER];
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            for (uint256 quirk = 0; quirk <= uint256(type(Quirk).max); quirk++) {
                for (uint256 i = 0; i < (Quirk(quirk) == Quirk.Blocks ? blocked.length : 1); i++) {
                    uint256 state = vm.snapshotState();
                    _check(way, Quirk(quirk), blocked[i], inside);
                    vm.revertToStateAndDelete(state);
                }
            }
        }
    }

    function _check(uint8 way, Quirk quirk, address blocked, bool inside) private {
        string memory what = string.concat("way ", vm.toString(way), ", quirk ", vm.toString(uint256(quirk)));
        Op memory op = _hostileOp(way, address(_weird), 6);
        _equip(op);
        _weird.setBlocked(blocked);
        Holdings memory before = _holdings();
        if (inside) {
            op.callData = _calls(op, address(_weird), abi.encodeCall(WeirdToken.setQuirk, (quirk)));
        } else {
            op.callData = _plainCalls(op);
            _weird.setQuirk(quirk);
        }

        (Outcome[] memory outcomes, bytes memory reason) = _attempt(_between(op));
        bool landed = outcomes.length != 0;
        if (inside || way == BATCH_APPROVAL) {
            assertTrue(landed, string.concat(what, ": the bundle survives"));
        } else {
            bool isFine = _isIn(FINE_TO_PULL, quirk) || (quirk == Quirk.Blocks && blocked == RECEIVER);
            assertTrue(landed == isFine, string.concat(what, isFine ? ": lands" : ": is refused"));
        }
        if (landed) _assertHarmless(op, outcomes, quirk, before, what);
        else _assertRefused(reason, 1, what);
    }

    function _assertHarmless(
        Op memory op,
        Outcome[] memory outcomes,
        Quirk quirk,
        Holdings memory before,
        string memory what
    ) private {
        // The fault is lifted, so that balances mean what they say.
        _weird.setQuirk(Quirk.None);
        Holdings memory afterwards = _holdings();

        // Ether: each wallet pays for its own, and the ledger is covered.
        assertTrue(outcomes[0].success && outcomes[2].success, string.concat(what, ": the neighbours land"));
        uint256 ofNeighbours = outcomes[0].takenWei + outcomes[2].takenWei;
        assertGe(before.walletWei - afterwards.walletWei, outcomes[1].takenWei, string.concat(what, ": it pays"));
        assertGe(before.neighbourWei - afterwards.neighbourWei, ofNeighbours, string.concat(what, ": and the other"));
        assertEq(before.depositWei - afterwards.depositWei, ofNeighbours + outcomes[1].takenWei, what);
        _assertSolvent();

        // Tokens: another one is not touched, and this one is covered where it kept its own books straight.
        _assertCovered(address(_other), what);
        if (_isIn(BREAKS_ITS_BOOKS, quirk)) return;
        _assertCovered(address(_weird), what);
        assertLe(before.sender - afterwards.sender, op.maxTokenCharge, string.concat(what, ": the sender's ceiling"));
        _assertPaidOrUndone(op, outcomes[1], afterwards.receiver - before.receiver, what);
    }

    /// @dev Paid at the signed rate, or the documented end of way batch approval.
    function _assertPaidOrUndone(
        Op memory op,
        Outcome memory outcome,
        uint256 income,
        string memory what
    ) private view {
        if (outcome.paid) {
            assertTrue(outcome.settled && !outcome.isDue, string.concat(what, ": one end"));
            assertGe(income, version.inTokens(op, outcome.takenWei), string.concat(what, ": at the signed rate"));
            return;
        }
        assertEq(op.way, BATCH_APPROVAL, string.concat(what, ": paid"));
        assertTrue(income == 0, string.concat(what, ": nothing was paid"));
        _assertUndone(op, outcome, what);
    }

    function _isIn(uint256 set, Quirk quirk) private pure returns (bool) {
        return set & (1 << uint256(quirk)) != 0;
    }

    function _holdings() private view returns (Holdings memory holdings) {
        holdings.walletWei = paymaster.balanceOf(WALLET);
        holdings.neighbourWei = paymaster.balanceOf(WALLET_2);
        holdings.depositWei = version.depositWei();
        holdings.sender = _weird.balanceOf(address(tokenAccount));
        holdings.receiver = paymaster.tokenBalanceOf(address(_weird), RECEIVER) + _weird.balanceOf(RECEIVER);
    }

    function test_balanceThatFallsOrIsToldShort_isRefusedByName() public {
        Quirk[2] memory quirks = [Quirk.Deflates, Quirk.BalanceReturnsShort];
        for (uint256 i = 0; i < quirks.length; i++) {
            Op memory op = _hostileOp(ALLOWANCE, address(_weird), 6);
            _equip(op);
            _weird.setQuirk(quirks[i]);
            bytes4 selector = IRefusals.TokenReceivedTooLittle.selector;
            Refused.byValidation(version, _signed(op), selector, "PM token received low");
        }
    }

    /// @dev An operation without a price moves nothing: a token that refuses that is not called.
    function test_zeroAmounts_areNotMoved() public {
        vm.fee(0);
        _weird.setQuirk(Quirk.RefusesZero);
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _hostileOp(way, address(_weird), 6);
            _equip(op);
            op.callData = _plainCalls(op);
            (op.maxFeePerGas, op.maxPriorityFeePerGas) = (0, 0);
            op.nonce = version.nonceOf(op.sender, 0);
            Outcome memory outcome = version.send(_signed(op));
            assertTrue(outcome.success && outcome.paid, "lands");
            assertEq(outcome.refundKeptFor, address(0), "no refund was tried");
        }
    }

    function test_everyDecimals_isChargedToTheUnit() public {
        uint8[7] memory decimals = [0, 2, 6, 8, 18, 24, 36];
        for (uint256 i = 0; i < decimals.length; i++) {
            for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
                WeirdToken token_ = new WeirdToken(decimals[i]);
                Op memory op = _hostileOp(way, address(token_), decimals[i]);
                _equip(op);
                op.callData = _plainCalls(op);
                Outcome memory outcome = version.send(_signed(op));

                string memory what = string.concat("way ", vm.toString(way), ", decimals ", vm.toString(decimals[i]));
                uint256 charge = version.inTokens(op, outcome.chargedWei);
                uint256 precharge = version.inTokens(op, version.prechargeWei(op));
                bool isHeld = way != BATCH_APPROVAL;
                assertTrue(outcome.success && outcome.paid && charge > 0, what);
                assertEq(outcome.chargedTokens, charge, what);
                assertEq(outcome.refundedTokens, isHeld ? precharge - charge : 0, what);
                assertEq(OWNED - token_.balanceOf(op.sender), charge, what);
                assertEq(paymaster.tokenBalanceOf(address(token_), RECEIVER), isHeld ? charge : 0, what);
                assertEq(token_.balanceOf(address(paymaster)), isHeld ? charge : 0, what);
                assertEq(token_.balanceOf(RECEIVER), isHeld ? 0 : charge, what);
            }
        }
    }

    /// @dev USDT's manner: no function returns anything, and an allowance that is left must be cleared first.
    function test_approveRace_isNoObstacle() public {
        ApproveRaceToken usdt = new ApproveRaceToken(6);
        usdt.mint(address(tokenAccount), 1e12);
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _hostileOp(way, address(usdt), 6);
            vm.prank(op.sender);
            usdt.approve(address(paymaster), 0);
            if (way != BATCH_APPROVAL) {
                // It knows no permit; the allowance is there all the same.
                vm.prank(op.sender);
                usdt.approve(address(paymaster), 1e12);
            }
            op.callData = _plainCalls(op);
            Outcome memory outcome = version.send(_signed(op));
            assertTrue(outcome.success && outcome.paid, "paid");
            assertEq(outcome.chargedTokens, version.inTokens(op, outcome.chargedWei), "charge");
        }
    }

    /// @dev One byte of answer leaves the rest of the word as it was: a balance of one unit, read before.
    function test_shortAnswerOverAnOldWord_isNotTrue() public {
        WeirdToken token_ = new WeirdToken(6);
        token_.setQuirk(Quirk.ReturnsShort);
        token_.mint(address(paymaster), 1);
        Op memory op = _hostileOp(ALLOWANCE, address(token_), 6);
        _equip(op);
        (, bytes memory reason) = _attempt(_bundle(_signed(op)));
        _assertRefused(reason, 0, "AA33", "short answer");
    }

    /// @dev What is there after the pull may have been there before it.
    function test_balanceThatIsHiddenBeforeThePull_isRefused() public {
        WeirdToken token_ = new WeirdToken(6);
        Op memory op = _hostileOp(ALLOWANCE, address(token_), 6);
        _equip(op);
        bytes[] memory answers = new bytes[](2);
        answers[0] = new bytes(31);
        answers[1] = abi.encode(1e30);
        vm.mockCalls(address(token_), abi.encodeCall(token_.balanceOf, (address(paymaster))), answers);
        (, bytes memory reason) = _attempt(_bundle(_signed(op)));
        _assertRefused(reason, 0, "AA33", "hidden before");
    }

    function test_addressWithoutCode_paysNothing() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _hostileOp(way, address(0xC0DE1E55), 6);
            op.callData = _plainCalls(op);
            (Outcome[] memory outcomes, bytes memory reason) = _attempt(_between(op));
            if (way == BATCH_APPROVAL) {
                assertTrue(outcomes.length != 0, "the bundle survives");
                _assertPaidOrUndone(op, outcomes[1], 0, "no code");
            } else {
                _assertRefused(reason, 1, "AA33", "no code");
            }
            _assertSolvent();
        }
    }
}

contract WeirdTokensV06Test is WeirdTokensTest, HostileOnV06 {
    function _prepare() internal override(WeirdTokensTest, HostileOnV06) {
        WeirdTokensTest._prepare();
    }
}

contract WeirdTokensV07Test is WeirdTokensTest, HostileOnV07 {
    function _prepare() internal override(WeirdTokensTest, HostileOnV07) {
        WeirdTokensTest._prepare();
    }
}

contract WeirdTokensV08Test is WeirdTokensTest, HostileOnV08 {
    function _prepare() internal override(WeirdTokensTest, HostileOnV08) {
        WeirdTokensTest._prepare();
    }
}

contract WeirdTokensV09Test is WeirdTokensTest, HostileOnV09 {
    function _prepare() internal override(WeirdTokensTest, HostileOnV09) {
        WeirdTokensTest._prepare();
    }
}
