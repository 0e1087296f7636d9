// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {PaymasterPuppet} from "../../src/simulation/PaymasterPuppet.sol";
import {TokenPaymentSimulator} from "../../src/simulation/TokenPaymentSimulator.sol";
import {Op, Outcome} from "../support/Op.sol";
import {HostileOnV06, HostileOnV07, HostileOnV08, HostileOnV09, HostileWorld} from "../support/tokens/HostileWorld.sol";
import {Quirk, WeirdToken} from "../support/tokens/WeirdToken.sol";

/// @notice The simulator's gas figures against the gas that the same operation's token call needs on the EntryPoint.
abstract contract SimulatedGasTest is HostileWorld {
    /// @dev The last write of a call wants 2,300 gas left (EIP-2200), which it does not use.
    uint256 private constant UNUSED = 2_300;

    function test_shownGas_isWhatTheTokenCallNeeds() public {
        Quirk[3] memory quirks = [Quirk.None, Quirk.Expensive, Quirk.NoReturn];
        for (uint256 i = 0; i < quirks.length; i++) {
            for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
                uint256 state = vm.snapshotState();
                WeirdToken token_ = new WeirdToken(6);
                token_.setQuirk(quirks[i]);
                Op memory op = _hostileOp(way, address(token_), 6);
                _equip(op);
                op.callData = _plainCalls(op);
                uint256 shown = _shown(op);
                uint256 needed = _needed(op);
                string memory what = string.concat("way ", vm.toString(way), ", quirk ", vm.toString(i));
                assertLe(needed, shown + UNUSED, string.concat(what, ": enough"));
                assertLe(shown, needed + 3_000, string.concat(what, ": not far above"));
                vm.revertToStateAndDelete(state);
            }
        }
    }

    /// @dev What the simulator says of the token call that `postOp` will make.
    function _shown(Op memory op) private returns (uint256) {
        TokenPaymentSimulator.Request memory request;
        request.sender = op.sender;
        request.callData = op.callData;
        request.callGasLimit = op.callGasLimit;
        request.token = op.token;
        request.paymaster = address(paymaster);
        request.receiver = op.feeReceiver;
        request.way = op.way;
        request.amount = version.inTokens(op, version.prechargeWei(op));
        request.permit = op.permit;

        uint256 state = vm.snapshotState();
        address entryPoint = address(version.entryPoint());
        vm.etch(entryPoint, _runtimeCode("TokenPaymentSimulator"));
        vm.etch(address(paymaster), _runtimeCode("PaymasterPuppet"));
        vm.cool(op.token);
        TokenPaymentSimulator.Outcome memory outcome = TokenPaymentSimulator(entryPoint).simulate(request);
        vm.revertToStateAndDelete(state);
        assertTrue(outcome.paid && outcome.callsSucceeded, "shown as paid");
        return op.way == BATCH_APPROVAL ? outcome.paymentGas : outcome.refundGas;
    }

    /// @dev The least gas above the base of `unaccountedGas` with which the token call comes through.
    function _needed(Op memory op) private returns (uint256) {
        (uint256 low, uint256 high) = (0, 250_000);
        while (high - low > 1) {
            uint256 middle = (low + high) / 2;
            uint256 state = vm.snapshotState();
            op.unaccountedGas = uint32(paymaster.TOKEN_POST_OP_BASE_GAS() + middle);
            vm.cool(op.token);
            Outcome memory outcome = version.send(_signed(op));
            vm.revertToStateAndDelete(state);
            bool arrived = op.way == BATCH_APPROVAL || (outcome.refundedTokens > 0 && outcome.refundKept == 0);
            if (outcome.paid && arrived) high = middle;
            else low = middle;
        }
        return high;
    }
}

contract SimulatedGasV06Test is SimulatedGasTest, HostileOnV06 {
    function _prepare() internal override(HostileWorld, HostileOnV06) {
        HostileOnV06._prepare();
    }
}

contract SimulatedGasV07Test is SimulatedGasTest, HostileOnV07 {
    function _prepare() internal override(HostileWorld, HostileOnV07) {
        HostileOnV07._prepare();
    }
}

contract SimulatedGasV08Test is SimulatedGasTest, HostileOnV08 {
    function _prepare() internal override(HostileWorld, HostileOnV08) {
        HostileOnV08._prepare();
    }
}

contract SimulatedGasV09Test is SimulatedGasTest, HostileOnV09 {
    function _prepare() internal override(HostileWorld, HostileOnV09) {
        HostileOnV09._prepare();
    }
}
