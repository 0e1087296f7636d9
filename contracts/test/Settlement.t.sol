// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../src/interfaces/IPackedHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {IEntryPointPacked, VersionPacked} from "./support/VersionPacked.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/// @notice Settlement under pressure: the least gas, and operations the EntryPoint undoes.
abstract contract SettlementTest is World {
    /**
     * @dev A bundler that gives as little gas as the EntryPoint lets it, and a sender that burns its limit and makes
     *      the EntryPoint copy a 2,048-byte reason it set no gas aside for: the bundle fails, or the operation settles.
     */
    function test_leastPostOpGasAndStingyBundler_settlesOrFailsAsAWhole() public {
        Op memory op = _op();
        op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        op.callGasLimit = 40_000;
        op.unaccountedGas = uint32(version.minUnaccountedGas());
        if (!_isV06()) op.paymasterPostOpGasLimit = IPackedHybridPaymaster(address(paymaster)).MIN_POST_OP_GAS();
        // Paying a beneficiary that is not there yet would need more gas than settlement.
        vm.deal(version.BENEFICIARY(), 1);
        op.preVerificationGas = 200_000;
        Op[] memory ops = new Op[](1);
        ops[0] = _signed(op);
        uint256 landed;
        uint256 deposit = version.depositWei();
        for (uint256 gas = 120_000; gas < 450_000; gas += 300) {
            uint256 state = vm.snapshotState();
            vm.recordLogs();
            try version.sendWithGas(ops, gas) {
                landed++;
                assertEq(paymaster.strandedOf(WALLET), 0, "settled");
                assertTrue(_feesWei() > 0, "charged");
                uint256 charged = 1000 ether - paymaster.balanceOf(WALLET);
                assertGe(charged - _feesWei(), deposit - version.depositWei(), "the wallet pays what was taken");
            } catch {
                assertEq(paymaster.balanceOf(WALLET), 1000 ether, "nothing is debited");
            }
            vm.revertToState(state);
        }
        assertTrue(landed > 100, "the sweep crosses the threshold");
        assertTrue(landed < 1_100, "from both sides");
    }

    function test_postOp_settlesInEveryMode() public {
        Op memory op = _signed(_op());
        uint256 charge = version.ceilMarkup(version.costWei(op, 1e15, 9 gwei), op.feeMarkup);
        for (uint8 mode = 0; mode < 3; mode++) {
            uint256 state = vm.snapshotState();
            (bytes memory context, ) = version.validate(op);
            bytes memory call_ = version.postOpCall(context, 1e15, 9 gwei);
            call_[35] = bytes1(mode);
            (bool ok, ) = version.callAsEntryPoint(call_);
            assertTrue(ok, "settles");
            assertEq(1000 ether - paymaster.balanceOf(WALLET), charge, "same charge");
            vm.revertToState(state);
        }
    }

    /// @dev The first `postOp` is made to revert, as a later mode's might.
    function _mockFirstPostOp() internal {
        bytes4 selector = bytes4(version.postOpCall("", 0, 0));
        for (uint256 mode = 0; mode < 2; mode++) {
            vm.mockCallRevert(address(paymaster), abi.encodePacked(selector, mode), "longer than thirty-two bytes of revert data");
        }
    }

    function test_contextLength_isConstant() public {
        Op memory op = _op();
        (bytes memory short, ) = version.validate(_signed(op));
        op.callData = new bytes(3_000);
        op.initCode = new bytes(500);
        op.feeMarkup = 2_000_000;
        (bytes memory long, ) = version.validate(_signed(op));
        assertEq(short.length, long.length, "context length");
        assertLe(short.length, 2_048, "LIM-020");
    }
}

contract SettlementV06Test is SettlementTest, OnV06 {
    function test_firstPostOpUndone_theSecondSettles() public {
        Op memory op = _signed(_op());
        _mockFirstPostOp();
        Outcome memory outcome = version.send(op);
        assertTrue(outcome.settled && !outcome.success, "user's call undone, operation settled");
        assertGe(outcome.chargedWei, outcome.takenWei, "charge covers the cost");
        assertEq(paymaster.strandedOf(WALLET), 0, "nothing is stranded");
        _assertSolvent();
    }
}

/**
 * @notice Operations whose settlement the EntryPoint undoes: it finds the prefund too low, or the tests make `postOp`
 *         revert and take the prefund away.
 */
abstract contract StrandingTest is SettlementTest {
    function test_strandedRecord_cannotBeTakenInTheSameTransaction() public {
        _mockFirstPostOp();
        version.send(_signed(_op()));
        assertTrue(paymaster.strandedOf(WALLET) > 0, "recorded");
        vm.expectRevert(IHybridPaymaster.OperationsInFlight.selector);
        _byAnybody();
        paymaster.returnStranded(WALLET);
    }

    /**
     * @dev The paymaster's limits are those that the gateway signs. The sender's own limit is tight, its calls end late
     *      with the longest reason, and its signature, which the paymaster does not sign, fills the paymaster's limit.
     *      The EntryPoint then takes the whole prefund: the wallet pays the markup, and nobody gets it.
     */
    function test_prefundTooLow_isMadeByTheSenderAndLosesTheFee() public {
        Op memory op = _op();
        op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        op.callGasLimit = 40_000;
        vm.fee(op.maxFeePerGas);
        op.verificationGasLimit = 1_000_000;
        (uint256 length, uint256 refused) = (0, 200_000);
        while (refused - length > 32) {
            uint256 middle = (length + refused) / 2;
            if (_lands(op, middle)) length = middle;
            else refused = middle;
        }
        (uint256 low, uint256 high) = (0, 1_000_000);
        while (high - low > 1) {
            op.verificationGasLimit = (low + high) / 2;
            if (_lands(op, length)) high = op.verificationGasLimit;
            else low = op.verificationGasLimit;
        }
        op.verificationGasLimit = high;
        uint256 deposit = version.depositWei();

        assertTrue(_send(op, length), "lands");

        uint256 prefund = version.prefundWei(op);
        assertEq(deposit - version.depositWei(), prefund, "the EntryPoint takes the prefund");
        assertEq(1000 ether - paymaster.balanceOf(WALLET), version.prechargeWei(op), "the precharge stays taken");
        uint256 kept = version.prechargeWei(op) - paymaster.strandedOf(WALLET);
        assertEq(kept, version.ceilMarkup(prefund, op.feeMarkup), "the stranded part can be returned");
        assertEq(_feesWei(), 0, "no fee");
        _assertSolvent();
    }

    function _lands(Op memory op, uint256 signatureLength) private returns (bool landed) {
        uint256 state = vm.snapshotState();
        landed = _send(op, signatureLength);
        vm.revertToStateAndDelete(state);
    }

    /// @dev Sends the operation with an account's signature of that length.
    function _send(Op memory op, uint256 signatureLength) private returns (bool landed) {
        PackedUserOperation[] memory ops = new PackedUserOperation[](1);
        ops[0] = VersionPacked(address(version)).toUserOperation(_signed(op));
        ops[0].signature = new bytes(signatureLength);
        address entryPoint = address(version.entryPoint());
        vm.cool(address(paymaster));
        vm.cool(entryPoint);
        vm.prank(address(0xB0B), address(0xB0B));
        (landed, ) = entryPoint.call(abi.encodeCall(IEntryPointPacked.handleOps, (ops, payable(address(0xB0B)))));
    }

    /**
     * @dev The most an EntryPoint can take is the prefund: what is recorded is still there then.
     */
    function testFuzz_wholePrefundTaken_leavesTheLedgerCovered(uint256 price, uint256 markup, uint256 bound_) public {
        Op memory op = _op();
        op.maxFeePerGas = bound(price, 1, 1000 gwei);
        op.feeMarkup = uint32(bound(markup, 1_000_000, 2_000_000));
        op.unaccountedGas = uint32(bound(bound_, version.minUnaccountedGas(), 1_000_000));
        op = _signed(op);
        version.validate(op);
        IStakeManager entryPoint = version.entryPoint();
        uint256 prefund = version.prefundWei(op);
        vm.prank(address(paymaster));
        entryPoint.withdrawTo(payable(address(0xDEAD)), prefund);
        assertTrue(paymaster.strandedOf(WALLET) > 0, "recorded");
        _assertSolvent();
    }
}

contract SettlementV07Test is StrandingTest, OnV07 {}

contract SettlementV08Test is StrandingTest, OnV08 {}

contract SettlementV09Test is StrandingTest, OnV09 {}

/// @notice After the transaction that left an operation unsettled; `setUp` is a transaction of its own.
abstract contract ReturnStrandedTest is World {
    Op private _operation;
    Outcome private _outcome;

    function _prepare() internal virtual override {
        _operation = _signed(_op());
        for (uint256 mode = 0; mode < 2; mode++) {
            vm.mockCallRevert(
                address(paymaster),
                abi.encodePacked(bytes4(version.postOpCall("", 0, 0)), mode),
                "longer than thirty-two bytes of revert data"
            );
        }
        _outcome = version.send(_operation);
    }

    function test_record_goesBackToItsWalletOnce() public {
        Op memory op = _operation;
        uint256 precharge = version.prechargeWei(op);
        uint256 kept = version.ceilMarkup(version.prefundWei(op), op.feeMarkup);
        assertTrue(!_outcome.settled && !_outcome.success, "undone and unsettled");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether - precharge, "debited");
        assertEq(paymaster.strandedOf(WALLET), precharge - kept, "recorded");
        _assertSolvent();

        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.StrandedPrechargeReturned(WALLET, precharge - kept);
        _byAnybody();
        paymaster.returnStranded(WALLET);

        assertEq(paymaster.balanceOf(WALLET), 1000 ether - kept, "back to the wallet, whoever asks");
        assertEq(paymaster.strandedOf(WALLET), 0, "nothing left");
        _assertSolvent();
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.NothingStranded.selector, WALLET));
        _byAnybody();
        paymaster.returnStranded(WALLET);
    }

    /// @dev As with a refund: what does not fit is lost to the wallet, and no other part of its word changes.
    function test_recordAboveTheGreatestBalance_isAllThatIsLost() public {
        uint256 room = type(uint96).max - paymaster.balanceOf(WALLET);
        vm.deal(address(this), room);
        paymaster.depositFor{value: room}(WALLET);
        _byAnybody();
        paymaster.returnStranded(WALLET);
        assertEq(paymaster.balanceOf(WALLET), type(uint96).max, "the greatest balance");
        assertEq(paymaster.strandedOf(WALLET) + paymaster.feesOf(WALLET), 0, "neighbours");
        _assertSolvent();
    }
}

contract ReturnStrandedV07Test is OnV07, ReturnStrandedTest {
    function _prepare() internal override(World, ReturnStrandedTest) {
        ReturnStrandedTest._prepare();
    }
}

contract ReturnStrandedV08Test is OnV08, ReturnStrandedTest {
    function _prepare() internal override(World, ReturnStrandedTest) {
        ReturnStrandedTest._prepare();
    }
}

contract ReturnStrandedV09Test is OnV09, ReturnStrandedTest {
    function _prepare() internal override(World, ReturnStrandedTest) {
        ReturnStrandedTest._prepare();
    }
}
