// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PaymasterPuppet} from "../src/simulation/PaymasterPuppet.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";

/// @notice What senders pay in tokens against what the real EntryPoint took of the wallet's ether, at the signed rate.
abstract contract TokenAccountingTest is TokenWorld {
    uint256[] private _overchargeBasisPoints;

    function test_usualOperations_overcharge() public {
        (uint256 pullGas, uint256 refundGas) = _transferGas();
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way += 2) {
            for (uint256 work = 20_000; work <= 300_000; work += 20_000) {
                uint256 state = vm.snapshotState();
                Op memory op = _payableOp(ALLOWANCE);
                if (way == BATCH_APPROVAL) op = _tokenOp(way);
                op.callData = abi.encodeCall(TestAccount.spend, (work));
                op.callGasLimit = (work * 12) / 10 + 2_000;
                op.feeMarkup = 1_000_000;
                // Limits as the gateway sets them: a tenth and 2,300 above what it measured, and its own base.
                uint256 aboveTheFloor = _gasConstant("tokenPostOpBaseGas") - paymaster.TOKEN_POST_OP_BASE_GAS();
                _setTokenGas(op, aboveTheFloor + ((way == ALLOWANCE ? refundGas : pullGas) * 11) / 10 + 2_300);
                if (!_isV06()) {
                    op.verificationGasLimit = 40_000;
                    op.paymasterVerificationGasLimit = _gasConstant("tokenValidationGas");
                    if (way == ALLOWANCE) op.paymasterVerificationGasLimit += (pullGas * 11) / 10 + 2_300;
                }
                Outcome memory outcome = version.send(_signed(op));
                vm.revertToState(state);
                assertTrue(outcome.paid && (way != ALLOWANCE || outcome.refundedTokens > 0), "paid");
                uint256 cost = version.inTokens(op, outcome.takenWei);
                assertGe(outcome.chargedTokens, cost, "the sender pays what the EntryPoint took");
                _overchargeBasisPoints.push(((outcome.chargedTokens - cost) * 10_000) / cost);
            }
        }
        _publishOvercharge("token operations", _overchargeBasisPoints);
    }

    /// @dev As the gateway measures it: with the puppet in the paymaster's place, the pull cold, the refund after it.
    function _transferGas() private returns (uint256 pullGas, uint256 refundGas) {
        uint256 state = vm.snapshotState();
        Op memory op = _payableOp(ALLOWANCE);
        vm.etch(address(paymaster), _runtimeCode("PaymasterPuppet"));
        vm.cool(address(token));
        PaymasterPuppet puppet = PaymasterPuppet(address(paymaster));
        (, , pullGas) = puppet.execute(op.token, abi.encodeCall(IERC20.transferFrom, (op.sender, address(puppet), 1e18)));
        (, , refundGas) = puppet.execute(op.token, abi.encodeCall(IERC20.transfer, (op.sender, 5e17)));
        vm.revertToState(state);
    }
}

contract TokenAccountingV06Test is TokenAccountingTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
    }
}

contract TokenAccountingV07Test is TokenAccountingTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
    }
}

contract TokenAccountingV08Test is TokenAccountingTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
    }
}

contract TokenAccountingV09Test is TokenAccountingTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
    }
}
