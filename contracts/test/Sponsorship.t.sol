// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {Op, Outcome} from "./support/Op.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/// @notice One operation from signature to settlement.
abstract contract SponsorshipTest is World {
    function test_getDigest_equalsTheIndependentDigest() public view {
        Op memory op = _signed(_op());
        assertEq(version.getDigest(op), version.digest(op), "digest");
    }

    function test_sponsoredOperation_landsAndSettles() public {
        Op memory op = _signed(_op());
        uint256 deposit = version.depositWei();
        Outcome memory outcome = version.sendTraced(op);

        assertTrue(outcome.success && outcome.settled, "lands and settles");
        assertEq(outcome.chargedWei + outcome.refundedWei, version.prechargeWei(op), "precharge is split");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether - outcome.chargedWei, "wallet pays the charge");
        assertEq(deposit - version.depositWei(), outcome.takenWei, "deposit pays the EntryPoint");
        assertEq(_feesWei(), outcome.feeWei, "fee is booked");
        assertEq(paymaster.strandedOf(WALLET), 0, "nothing is stranded");
        assertGe(outcome.chargedWei, outcome.takenWei, "charge covers the cost");
        _assertSolvent();
    }

    function test_events_nameTheWalletTheAccountAndTheAmounts() public {
        Op memory op = _signed(_op());
        uint256 precharge = version.prechargeWei(op);
        uint256 state = vm.snapshotState();
        Outcome memory outcome = version.send(op);
        vm.revertToState(state);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.UserOperationPrecharged(outcome.userOpHash, WALLET, precharge);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.UserOperationSponsored(
            outcome.userOpHash,
            WALLET,
            outcome.chargedWei,
            outcome.feeWei
        );
        version.send(op);
    }
}

contract SponsorshipV06Test is SponsorshipTest, OnV06 {}

contract SponsorshipV07Test is SponsorshipTest, OnV07 {}

contract SponsorshipV08Test is SponsorshipTest, OnV08 {}

contract SponsorshipV09Test is SponsorshipTest, OnV09 {}
