// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IPackedHybridPaymaster} from "../src/interfaces/IPackedHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount, TestAccountFactory} from "./support/TestAccount.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/**
 * @notice What a wallet is charged against what the real EntryPoint takes, and against a second implementation of the
 *         formulas (`Version.costWei`). Charged never less than taken; equal to the model to the wei.
 */
abstract contract AccountingTest is World {
    uint256[] private _overchargeBasisPoints;

    function test_sweep_everyLimitAndEnding() public {
        uint256[3] memory callGasLimits = [uint256(60_000), 1_000_000, 5_000_000];
        uint256[7] memory postOpLimits = [
            _gasConstant("paymasterPostOpGasLimit"),
            39_999,
            40_000,
            40_001,
            100_000,
            500_000,
            5_000_000
        ];
        for (uint256 i = 0; i < callGasLimits.length; i++) {
            // v0.6 has no postOp limit: one round.
            for (uint256 j = 0; j < (_isV06() ? 1 : postOpLimits.length); j++) {
                for (uint256 ending = 0; ending < 4; ending++) {
                    Op memory op = _op();
                    op.callGasLimit = callGasLimits[i];
                    op.paymasterPostOpGasLimit = postOpLimits[j];
                    op.callData = _callData(ending);
                    _sendAndCheck(op);
                }
            }
        }
        _publishOvercharge("sweep", _overchargeBasisPoints);
    }

    /// @dev Limits as a gateway sets them: a fifth above what the operation uses.
    function test_usualOperations_overcharge() public {
        for (uint256 work = 20_000; work <= 300_000; work += 20_000) {
            Op memory op = _op();
            op.callData = abi.encodeCall(TestAccount.spend, (work));
            op.callGasLimit = (work * 12) / 10 + 2_000;
            op.verificationGasLimit = _isV06() ? 90_000 : 40_000;
            _sendAndCheck(op);
        }
        _publishOvercharge("usual operations", _overchargeBasisPoints);
    }

    function testFuzz_charge_coversTheCostAndEqualsTheModel(
        uint256 callGasLimit,
        uint256 verificationGasLimit,
        uint256 preVerificationGas,
        uint256 postOpLimit,
        uint256 fees,
        uint256 terms,
        uint8 ending
    ) public {
        Op memory op = _op();
        op.callGasLimit = bound(callGasLimit, 0, 3_000_000);
        op.verificationGasLimit = bound(verificationGasLimit, 100_000, 1_000_000);
        op.preVerificationGas = bound(preVerificationGas, 0, 200_000);
        op.paymasterPostOpGasLimit = bound(postOpLimit, 30_000, 2_000_000);
        op.maxFeePerGas = bound(fees >> 128, 0, 200 gwei);
        op.maxPriorityFeePerGas = bound(uint128(fees), 0, op.maxFeePerGas);
        op.feeMarkup = uint32(bound(terms >> 128, 1_000_000, 2_000_000));
        op.unaccountedGas = uint32(bound(uint128(terms), version.minUnaccountedGas(), 200_000));
        op.callData = _callData(ending % 4);
        vm.fee(bound(fees >> 64, 0, 100 gwei));
        _sendAndCheck(op);
    }

    /// @dev Any cost and price an EntryPoint could tell, whatever the operation: the model to the wei, never a revert.
    function testFuzz_settlement_equalsTheModelForAnyCost(uint256 cost, uint256 price, uint256 terms) public {
        Op memory op = _op();
        op.feeMarkup = uint32(bound(terms, 1_000_000, 2_000_000));
        op.unaccountedGas = uint32(bound(terms >> 128, version.minUnaccountedGas(), 100_000));
        op = _signed(op);
        (bytes memory context, ) = version.validate(op);
        uint256 afterDebit = paymaster.balanceOf(WALLET);
        cost = bound(cost, 0, 2 * version.prefundWei(op));
        price = bound(price, 0, 2 * op.maxFeePerGas);

        (bool ok, ) = version.callAsEntryPoint(version.postOpCall(context, cost, price));

        assertTrue(ok, "postOp never reverts");
        uint256 charge = _modelCharge(op, cost, price);
        assertEq(paymaster.balanceOf(WALLET), afterDebit + version.prechargeWei(op) - charge, "refund");
        assertEq(paymaster.strandedOf(WALLET), 0, "nothing is stranded");
        cost = version.costWei(op, cost, price);
        assertEq(paymaster.feesOf(WALLET), charge > cost ? charge - cost : 0, "the fee is what the cost leaves");
    }

    function test_zeroFees_settleWithoutDivision() public {
        vm.fee(0);
        Op memory op = _op();
        op.maxFeePerGas = 0;
        op.maxPriorityFeePerGas = 0;
        Outcome memory outcome = _sendAndCheck(op);
        assertEq(outcome.chargedWei, 0, "nothing is charged");
    }

    function test_bundlersGasPrice_changesNothing() public {
        Op memory op = _signed(_op());
        uint256 state = vm.snapshotState();
        Outcome memory usual = version.send(op);
        vm.revertToState(state);
        vm.txGasPrice(1);
        Outcome memory odd = version.send(op);
        assertEq(odd.chargedWei, usual.chargedWei, "charge");
    }

    function test_equalFees_areTheLegacyPrice() public {
        vm.fee(90 gwei);
        Op memory op = _op();
        op.maxPriorityFeePerGas = op.maxFeePerGas;
        _sendAndCheck(op);
    }

    function test_deployingOperation_coversItsCost() public {
        TestAccountFactory factory = new TestAccountFactory();
        Op memory op = _op();
        op.sender = factory.addressOf(bytes32(uint256(7)));
        op.nonce = 0;
        op.initCode = abi.encodePacked(factory, abi.encodeCall(TestAccountFactory.create, (bytes32(uint256(7)))));
        op.verificationGasLimit = 1_500_000;
        Outcome memory outcome = _sendAndCheck(op);
        assertTrue(outcome.success, "lands");
    }

    function test_sumOfManySmallCharges_isNotBelowTheExactSum() public {
        uint256 exactMillionths;
        uint256 charged;
        for (uint256 i = 0; i < 50; i++) {
            Op memory op = _op();
            op.maxFeePerGas = 7 + i;
            op.maxPriorityFeePerGas = 7 + i;
            op.feeMarkup = 1_000_001;
            op = _signed(op);
            Outcome memory outcome = version.sendTraced(op);
            charged += outcome.chargedWei;
            exactMillionths += version.costWei(op, outcome.toldCostWei, outcome.toldFeePerGas) * op.feeMarkup;
        }
        assertGe(charged * 1e6, exactMillionths, "rounding never favours the wallet");
    }

    function _sendAndCheck(Op memory op) internal returns (Outcome memory outcome) {
        uint256 state = vm.snapshotState();
        op.nonce = version.nonceOf(op.sender, 0);
        op = _signed(op);
        outcome = _checkMoney(op);
        vm.revertToStateAndDelete(state);
        state = vm.snapshotState();
        _checkFormula(op);
        vm.revertToStateAndDelete(state);
        if (outcome.settled && outcome.takenWei > 0) {
            uint256 over = outcome.chargedWei - outcome.feeWei - outcome.takenWei;
            _overchargeBasisPoints.push((over * 10_000) / outcome.takenWei);
        }
    }

    /// @dev The real EntryPoint's take against the charge.
    function _checkMoney(Op memory op) private returns (Outcome memory outcome) {
        uint256 walletBefore = paymaster.balanceOf(WALLET);
        uint256 depositBefore = version.depositWei();
        outcome = version.send(op);
        uint256 charged = walletBefore - paymaster.balanceOf(WALLET);
        assertEq(depositBefore - version.depositWei(), outcome.takenWei, "deposit pays what the event says");
        assertGe(charged, outcome.takenWei, "charge covers the cost");
        if (outcome.settled) {
            assertEq(charged, outcome.chargedWei, "event tells the charge");
            assertGe(outcome.chargedWei - outcome.feeWei, outcome.takenWei, "fee is what stays after the cost");
        }
        _assertSolvent();
    }

    /// @dev The charge against the model, for the cost and price `postOp` was told.
    function _checkFormula(Op memory op) private {
        Outcome memory outcome = version.sendTraced(op);
        if (!outcome.settled) return;
        assertEq(
            outcome.chargedWei,
            _modelCharge(op, outcome.toldCostWei, outcome.toldFeePerGas),
            "charge equals the model"
        );
    }

    function _modelCharge(Op memory op, uint256 cost, uint256 price) private view returns (uint256) {
        uint256 charge = version.ceilMarkup(version.costWei(op, cost, price), op.feeMarkup);
        uint256 precharge = version.prechargeWei(op);
        return charge < precharge ? charge : precharge;
    }

    function _callData(uint256 ending) private pure returns (bytes memory) {
        if (ending == 0) return abi.encodeCall(TestAccount.write, (1));
        if (ending == 1) return abi.encodeCall(TestAccount.revertWith, (100));
        if (ending == 2) return abi.encodeCall(TestAccount.burnEverything, ());
        return "";
    }
}

contract AccountingV06Test is AccountingTest, OnV06 {}

contract AccountingV07Test is AccountingTest, OnV07 {}

contract AccountingV08Test is AccountingTest, OnV08 {}

contract AccountingV09Test is AccountingTest, OnV09 {}
