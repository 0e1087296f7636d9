// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable} from "@openzeppelin/contracts/access/Ownable.sol";
import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {IPackedHybridPaymaster} from "../src/interfaces/IPackedHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";

/// @notice After an operation whose `postOp` reverted; `setUp` is a transaction of its own.
abstract contract ReturnUnsettledTest is TokenWorld {
    IPackedHybridPaymaster internal packed;
    uint256 internal recorded;
    uint256 internal taken;

    function _prepareUnsettled() internal {
        packed = IPackedHybridPaymaster(address(paymaster));
        Op memory op = _payableOp(BATCH_APPROVAL);
        op.callData = _approval(0);
        taken = version.send(_signed(op)).takenWei;
        recorded = packed.unsettledOf(WALLET);
    }

    function test_record_goesBackToItsWalletOnce() public {
        uint256 before = paymaster.balanceOf(WALLET);
        assertTrue(recorded > taken && taken > 0, "the EntryPoint took a part");
        vm.prank(OWNER);
        packed.returnUnsettled(WALLET, recorded, recorded - taken);
        assertEq(packed.unsettledOf(WALLET), 0, "once");
        vm.warp(block.timestamp + packed.signerDelaySeconds());
        packed.creditUnsettled(WALLET);
        assertEq(paymaster.balanceOf(WALLET), before + recorded - taken, "what the EntryPoint did not take");
        vm.expectRevert(abi.encodeWithSelector(IPackedHybridPaymaster.StatementNotDue.selector, 0));
        packed.creditUnsettled(WALLET);
        _byAnybody();
        paymaster.returnStranded(WALLET);
        assertEq(paymaster.balanceOf(WALLET), 1000 ether - taken, "the wallet bore what the EntryPoint took, no more");
        _assertSolvent();

        vm.prank(OWNER);
        vm.expectRevert(
            abi.encodeWithSelector(IPackedHybridPaymaster.UnsettledRecordTooLow.selector, WALLET, 0, recorded)
        );
        packed.returnUnsettled(WALLET, recorded, 0);
    }

    /// @dev The owner returns all of a record, although the EntryPoint took a part: the others have time to leave.
    function test_returnOfMoreThanWasLeft_raisesNoLedgerBeforeOthersCouldLeave() public {
        paymaster.depositFor{value: 100 ether}(WALLET_2);
        vm.prank(OWNER);
        packed.returnUnsettled(WALLET, recorded, recorded);
        uint256 creditableAt = block.timestamp + packed.signerDelaySeconds();
        vm.prank(WALLET_2);
        paymaster.requestWithdrawal(100 ether);
        vm.warp(creditableAt - 1);
        vm.expectRevert(abi.encodeWithSelector(IPackedHybridPaymaster.StatementNotDue.selector, creditableAt));
        packed.creditUnsettled(WALLET);
        _assertSolvent();
        vm.prank(WALLET_2);
        paymaster.executeWithdrawal(payable(address(0x70)));
        assertEq(address(0x70).balance, 100 ether, "the other wallet has left");

        vm.warp(creditableAt);
        packed.creditUnsettled(WALLET);
        _byAnybody();
        paymaster.returnStranded(WALLET);
        assertEq(paymaster.balanceOf(WALLET), version.depositWei() + taken, "what remains: above the deposit");
    }

    function test_partsOfTheRecord_areCreditedTogetherWhenBothAreDue() public {
        uint256 before = paymaster.balanceOf(WALLET);
        vm.prank(OWNER);
        vm.expectEmit(address(packed));
        emit IPackedHybridPaymaster.UnsettledPrechargeStated(
            WALLET,
            recorded / 2,
            1,
            block.timestamp + DELAY + 7 days
        );
        packed.returnUnsettled(WALLET, recorded / 2, 1);
        assertEq(packed.unsettledOf(WALLET), recorded - recorded / 2, "the rest stays");
        vm.warp(block.timestamp + 1 days);
        vm.prank(OWNER);
        packed.returnUnsettled(WALLET, 3, 2);
        vm.warp(block.timestamp + packed.signerDelaySeconds());
        vm.expectEmit(address(packed));
        emit IPackedHybridPaymaster.UnsettledPrechargeReturned(WALLET, recorded / 2 + 3, 3);
        packed.creditUnsettled(WALLET);
        assertEq(paymaster.balanceOf(WALLET), before + 3, "both");
    }

    /// @dev Somebody makes an operation fail every six days for a year, and the owner states each record at once.
    function test_statementEverySixDays_delaysNoEarlierOne() public {
        uint256 before = paymaster.balanceOf(WALLET);
        uint256 delay = packed.signerDelaySeconds();
        uint256 start = block.timestamp;
        for (uint256 passed = 0; passed < 365 days; passed += 6 days) {
            vm.warp(start + passed);
            vm.prank(OWNER);
            packed.returnUnsettled(WALLET, 3, 2);
            uint256 due = passed < delay ? 0 : (passed - delay) / 6 days + 1;
            assertEq(paymaster.balanceOf(WALLET), before + 2 * due, "each is credited when its own delay is over");
        }
    }

    function test_statement_isNotDueWithAnEarlierOne() public {
        uint256 before = paymaster.balanceOf(WALLET);
        uint256 due = block.timestamp + packed.signerDelaySeconds();
        vm.prank(OWNER);
        packed.returnUnsettled(WALLET, 5, 4);
        vm.warp(block.timestamp + 100);
        vm.prank(OWNER);
        packed.returnUnsettled(WALLET, 3, 2);
        vm.warp(due);
        vm.expectEmit(address(packed));
        emit IPackedHybridPaymaster.UnsettledPrechargeReturned(WALLET, 5, 4);
        packed.creditUnsettled(WALLET);
        assertEq(paymaster.balanceOf(WALLET), before + 4, "the first alone");
        vm.warp(due + 99);
        vm.expectRevert(abi.encodeWithSelector(IPackedHybridPaymaster.StatementNotDue.selector, due + 100));
        packed.creditUnsettled(WALLET);
        vm.warp(due + 100);
        packed.creditUnsettled(WALLET);
        assertEq(paymaster.balanceOf(WALLET), before + 6, "the second with its own date");
        _assertSolvent();
    }

    function test_fullList_refusesUntilTheOldestIsDue() public {
        uint256 before = paymaster.balanceOf(WALLET);
        uint256 due = block.timestamp + packed.signerDelaySeconds();
        uint256 most = packed.MAX_WAITING_STATEMENTS();
        for (uint256 i = 0; i < most; i++) {
            vm.prank(OWNER);
            packed.returnUnsettled(WALLET, 3, 2);
            vm.warp(block.timestamp + 1 hours);
        }
        uint256 unsettled = packed.unsettledOf(WALLET);
        vm.warp(due - 1);
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IPackedHybridPaymaster.TooManyStatements.selector, due));
        packed.returnUnsettled(WALLET, 7, 6);
        assertEq(packed.unsettledOf(WALLET), unsettled, "the record stays");

        vm.warp(due);
        vm.prank(OWNER);
        packed.returnUnsettled(WALLET, 7, 6);
        assertEq(paymaster.balanceOf(WALLET), before + 2, "what is due makes room");
        vm.warp(due + packed.signerDelaySeconds());
        packed.creditUnsettled(WALLET);
        assertEq(paymaster.balanceOf(WALLET), before + 2 * most + 6, "all of them");
    }

    function test_moreThanTheRecord_isRefused() public {
        vm.prank(OWNER);
        vm.expectRevert(
            abi.encodeWithSelector(
                IPackedHybridPaymaster.UnsettledRecordTooLow.selector,
                WALLET,
                recorded,
                recorded + 1
            )
        );
        packed.returnUnsettled(WALLET, recorded + 1, 0);
        vm.prank(OWNER);
        vm.expectRevert(
            abi.encodeWithSelector(IPackedHybridPaymaster.ReturnAboveRecord.selector, recorded, recorded - 1)
        );
        packed.returnUnsettled(WALLET, recorded - 1, recorded);
        vm.prank(OWNER);
        vm.expectRevert(IHybridPaymaster.ZeroAmount.selector);
        packed.returnUnsettled(WALLET, 0, 0);
    }

    function test_otherWallets_haveNoRecord() public {
        vm.prank(OWNER);
        vm.expectRevert(
            abi.encodeWithSelector(IPackedHybridPaymaster.UnsettledRecordTooLow.selector, WALLET_2, 0, recorded)
        );
        packed.returnUnsettled(WALLET_2, recorded, recorded);
    }

    function test_strangers_cannotReturn() public {
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableUnauthorizedAccount.selector, address(this)));
        packed.returnUnsettled(WALLET, recorded, 0);
    }

    /**
     * @dev Who signs operations decides what part of a record the EntryPoint takes: it can be nearly nothing or nearly
     *      all of the same record, so no bound on what was taken follows from it (docs/adr/0032).
     */
    function test_sameRecord_isOfAnyCost() public {
        (uint256 cheapRecord, uint256 cheapWei) = _fail(3_000_000, 0, 0);
        (uint256 dearRecord, uint256 dearWei) = _fail(0, 3_000_000, 30 gwei);
        assertEq(cheapRecord, dearRecord, "the same record");
        assertLe(cheapWei * 15, cheapRecord, "nearly nothing was taken");
        assertGe(dearWei * 100, dearRecord * 85, "nearly everything was taken");
    }

    /**
     * @dev Why no signer states what is left of a record (docs/adr/0032). The owner's statement stands for one that
     *      would count at once, and says falsely that nothing was taken.
     */
    function test_falseStatement_wouldSpendTheDepositsOfOthers() public {
        paymaster.depositFor{value: 2 ether}(WALLET_2);
        vm.prank(OWNER);
        packed.returnUnsettled(WALLET, recorded, recorded);
        vm.warp(block.timestamp + packed.signerDelaySeconds());
        packed.creditUnsettled(WALLET);
        _byAnybody();
        paymaster.returnStranded(WALLET);
        assertEq(paymaster.balanceOf(WALLET), 1000 ether, "the wallet has paid nothing, and can pay for the next");
        uint256 owed = paymaster.balanceOf(WALLET) + paymaster.balanceOf(WALLET_2);
        assertEq(owed - version.depositWei(), taken, "what the bundler got is missing for all");
    }

    /// @dev An operation whose `postOp` reverts. The gas limits of all of them add up to the same.
    function _fail(
        uint256 moreCallGas,
        uint256 morePreVerificationGas,
        uint256 tip
    ) private returns (uint256 recordedWei, uint256 takenWei) {
        Op memory op = _payableOp(BATCH_APPROVAL);
        op.callData = _approval(0);
        op.callGasLimit += moreCallGas;
        op.preVerificationGas += morePreVerificationGas;
        op.maxPriorityFeePerGas = tip;
        uint256 before = packed.unsettledOf(WALLET);
        takenWei = version.send(_signed(op)).takenWei;
        recordedWei = packed.unsettledOf(WALLET) - before;
    }

    /// @dev A later operation of the wallet records and clears its own part only.
    function test_laterOperation_leavesTheRecordAlone() public {
        Outcome memory outcome = version.send(_signed(_payableOp(BATCH_APPROVAL)));
        assertTrue(outcome.success && outcome.paid, "lands");
        assertEq(packed.unsettledOf(WALLET), recorded, "unchanged");
    }
}

contract ReturnUnsettledV07Test is ReturnUnsettledTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
        _prepareUnsettled();
    }
}

contract ReturnUnsettledV08Test is ReturnUnsettledTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
        _prepareUnsettled();
    }
}

contract ReturnUnsettledV09Test is ReturnUnsettledTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
        _prepareUnsettled();
    }
}
