// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op, Outcome} from "../support/Op.sol";
import {TestAccount} from "../support/TestAccount.sol";
import {HostileOnV06, HostileOnV07, HostileOnV08, HostileOnV09, HostileWorld} from "../support/tokens/HostileWorld.sol";
import {Quirk, WeirdToken} from "../support/tokens/WeirdToken.sol";

/**
 * @notice With the least gas that validation accepts, and for whatever gas was signed for the token call, an operation
 *         settles on its heaviest branches: the token burns all it is given, the user's calls revert with the longest
 *         reason, and every slot is cold and new. The bounds are searched for, not read.
 */
abstract contract LeastGasTest is HostileWorld {
    WeirdToken private _weird;

    function _prepare() internal virtual override {
        super._prepare();
        _weird = new WeirdToken(6);
        // Paying a beneficiary that is not there yet would need more gas than settlement.
        vm.deal(version.BENEFICIARY(), 1);
    }

    /// @dev The operation's gas for `postOp`: a limit of its own, on v0.6 the verification gas.
    function _setPostOpGas(Op memory op, uint256 gas) private view {
        if (_isV06()) op.verificationGasLimit = gas;
        else op.paymasterPostOpGasLimit = gas;
    }

    /// @dev Sets the least `unaccountedGas` that is accepted, plus the gas for the token call.
    function _setLeastUnaccountedGas(Op memory op, uint256 tokenCallGas) private {
        _setPostOpGas(op, 1_000_000);
        (uint256 low, uint256 high) = (0, 300_000);
        while (high - low > 1) {
            op.unaccountedGas = uint32((low + high) / 2);
            if (_wouldAccept(_signed(op))) high = op.unaccountedGas;
            else low = op.unaccountedGas;
        }
        op.unaccountedGas = uint32(high + tokenCallGas);
    }

    /// @dev Sets the least gas for `postOp` that is accepted.
    function _setLeastPostOpGas(Op memory op) private {
        (uint256 low, uint256 high) = (0, 1_000_000);
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            _setPostOpGas(op, middle);
            if (_wouldAccept(_signed(op))) high = middle;
            else low = middle;
        }
        _setPostOpGas(op, high - 1);
        assertTrue(!_wouldAccept(_signed(op)), "less is refused");
        _setPostOpGas(op, high);
        assertTrue(_wouldAccept(_signed(op)), "the least is not");
    }

    function _equippedOp(uint8 way) private returns (Op memory op) {
        op = _hostileOp(way, address(_weird), 6);
        _equip(op);
        // The fault shows where `postOp` calls: in the refund, or in the charge.
        _weird.setWhere(way != BATCH_APPROVAL, way == BATCH_APPROVAL);
    }

    function test_atTheBounds_operationsSettle() public {
        uint256[4] memory tokenCallGas = [uint256(0), 30_000, 65_000, 200_000];
        Quirk[6] memory quirks = [
            Quirk.None,
            Quirk.Expensive,
            Quirk.BurnsEverything,
            Quirk.RevertBomb,
            Quirk.ReturnBomb,
            Quirk.RevertsShort
        ];
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _equippedOp(way);
            for (uint256 i = 0; i < tokenCallGas.length; i++) {
                _setLeastUnaccountedGas(op, tokenCallGas[i]);
                _setLeastPostOpGas(op);
                // As long an answer as the token's gas can pay for.
                _weird.setBombBytes(tokenCallGas[i] < 200_000 ? 65_536 : 250_000);
                for (uint256 j = 0; j < quirks.length; j++) {
                    for (uint256 ending = 0; ending < 3; ending++) _check(op, quirks[j], ending);
                }
            }
            vm.revertToStateAndDelete(state);
        }
    }

    function _check(Op memory op, Quirk quirk, uint256 ending) private {
        string memory what = string.concat("way ", vm.toString(op.way), ", U ", vm.toString(op.unaccountedGas));
        what = string.concat(what, ", quirk ", vm.toString(uint256(quirk)), ", ending ", vm.toString(ending));
        op.callData = _plainCalls(op);
        if (ending == 1) op.callData = abi.encodeCall(TestAccount.revertWith, (2_048));
        if (ending == 2) op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));

        uint256 state = vm.snapshotState();
        _weird.setQuirk(quirk);
        (Outcome[] memory outcomes, bytes memory reason) = _attempt(_between(op));
        if (outcomes.length == 0) {
            // On v0.6 the same limit must also do for both validations: there it may be short, and refused at once.
            assertTrue(_isV06(), string.concat(what, ": lands"));
            _assertRefused(reason, 1, what);
        } else {
            _assertSettled(op, outcomes[1], ending == 0, what);
            _assertCovered(address(_weird), what);
            _assertSolvent();
        }
        vm.revertToStateAndDelete(state);
    }

    function _assertSettled(Op memory op, Outcome memory outcome, bool succeeds, string memory what) private view {
        if (op.way == BATCH_APPROVAL && succeeds && !outcome.paid) {
            _assertUndone(op, outcome, what);
            return;
        }
        assertTrue(outcome.settled, string.concat(what, ": settled"));
        assertEq(1000 ether - paymaster.balanceOf(WALLET), outcome.chargedWei, string.concat(what, ": for good"));
        assertGe(outcome.chargedWei, outcome.takenWei, string.concat(what, ": U is enough"));
        assertTrue(outcome.success == succeeds, string.concat(what, ": not undone"));
        bool mustBeDue = op.way == BATCH_APPROVAL && !succeeds;
        assertTrue(mustBeDue ? outcome.isDue : outcome.paid, string.concat(what, ": paid, or due"));
        uint256 received = paymaster.tokenBalanceOf(op.token, RECEIVER) + _weird.balanceOf(RECEIVER);
        if (outcome.paid) assertGe(received, version.inTokens(op, outcome.takenWei), string.concat(what, ": income"));
    }

    /// @dev A bundler that gives as little gas as the EntryPoint lets it: the bundle fails as a whole, or it settles.
    function test_stingyBundler_settlesOrFailsAsAWhole() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            uint256 state = vm.snapshotState();
            Op memory op = _equippedOp(way);
            op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
            op.callGasLimit = 60_000;
            op.preVerificationGas = 400_000;
            _setLeastUnaccountedGas(op, 65_000);
            _setLeastPostOpGas(op);
            // On v0.6 it must also do for validation.
            if (_isV06()) op.verificationGasLimit = 300_000;
            _weird.setQuirk(Quirk.BurnsEverything);
            _sweep(_bundle(_signed(op)), way);
            vm.revertToStateAndDelete(state);
        }
    }

    function _sweep(Op[] memory ops, uint8 way) private {
        uint256 landed;
        uint256 failed;
        for (uint256 gas = 150_000; gas < 900_000; gas += 1_500) {
            uint256 state = vm.snapshotState();
            try version.sendBundleWithGas(ops, gas) returns (Outcome[] memory outcomes) {
                landed += 1;
                assertTrue(outcomes[0].settled, "settled");
                assertEq(1000 ether - paymaster.balanceOf(WALLET), outcomes[0].chargedWei, "for good");
                assertTrue(way == BATCH_APPROVAL ? outcomes[0].isDue : outcomes[0].paid, "paid, or due");
                assertTrue(way == BATCH_APPROVAL || outcomes[0].refundedTokens == 0, "on the heaviest branch");
            } catch {
                failed += 1;
                assertEq(paymaster.balanceOf(WALLET), 1000 ether, "nothing is debited");
                assertEq(_weird.balanceOf(address(paymaster)), 0, "nor pulled");
            }
            vm.revertToStateAndDelete(state);
        }
        assertTrue(landed > 50 && failed > 50, "the sweep crosses the threshold");
    }
}

contract LeastGasV06Test is LeastGasTest, HostileOnV06 {
    function _prepare() internal override(LeastGasTest, HostileOnV06) {
        LeastGasTest._prepare();
    }
}

contract LeastGasV07Test is LeastGasTest, HostileOnV07 {
    function _prepare() internal override(LeastGasTest, HostileOnV07) {
        LeastGasTest._prepare();
    }
}

contract LeastGasV08Test is LeastGasTest, HostileOnV08 {
    function _prepare() internal override(LeastGasTest, HostileOnV08) {
        LeastGasTest._prepare();
    }
}

contract LeastGasV09Test is LeastGasTest, HostileOnV09 {
    function _prepare() internal override(LeastGasTest, HostileOnV09) {
        LeastGasTest._prepare();
    }
}
