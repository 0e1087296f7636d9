// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IStakeManager} from "@account-abstraction/contracts-v07/interfaces/IStakeManager.sol";
import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {IRefusals} from "../src/interfaces/IRefusals.sol";
import {Op, Outcome} from "./support/Op.sol";
import {Refused} from "./support/Refused.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/// @notice What the owner can do, and what not.
abstract contract OwnerTest is World {
    address payable private constant TO = payable(address(0x70));

    // --- signers

    function test_rotation_keepsOldSignaturesUntilTheOldKeyIsRemoved() public {
        address oldSigner = vm.addr(SIGNER_KEY);
        address newSigner = vm.addr(OTHER_KEY);
        _addSigner(newSigner);
        vm.warp(paymaster.signerActiveFrom(newSigner) + 1);
        Op memory op = _signed(_op());
        assertEq(paymaster.signerCount(), 2, "overlap");
        assertTrue(version.isAccepted(op), "old key still signs");
        assertTrue(version.isAccepted(version.sign(op, OTHER_KEY)), "new key signs");
        vm.prank(OWNER);
        paymaster.removeSigner(oldSigner);
        assertTrue(!version.isAccepted(op), "old key is out");
        assertTrue(version.isAccepted(version.sign(op, OTHER_KEY)), "new key stays");
        assertTrue(!paymaster.isSigner(oldSigner) && paymaster.isSigner(newSigner), "set");
        assertEq(paymaster.signerCount(), 1, "count");
    }

    /// @dev The owner adds a key of his own and bundles for himself: `preVerificationGas` goes to the beneficiary.
    function test_addedSigner_cannotSpendAtOnce() public {
        Op memory op = _greedyOp();
        _addSigner(vm.addr(OTHER_KEY));
        Refused.byBundle(version, version.sign(op, OTHER_KEY), "AA32");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether, "the wallet keeps everything");
        assertTrue(version.send(_signed(op)).takenWei > 980 ether, "what a signer could take");
    }

    /// @dev The wallet's request is made when the key is added and executed in the last second of its window.
    function test_walletThatLeavesWhenAKeyIsAdded_losesNothingToIt() public {
        _addSigner(vm.addr(OTHER_KEY));
        vm.prank(WALLET);
        paymaster.requestWithdrawal(1000 ether);
        uint256 activeFrom = paymaster.signerActiveFrom(vm.addr(OTHER_KEY));
        vm.warp(activeFrom - 1);
        Refused.byBundle(version, version.sign(_greedyOp(), OTHER_KEY), "AA32");
        vm.prank(WALLET);
        paymaster.executeWithdrawal(TO);
        assertEq(TO.balance, 1000 ether, "all of it");
    }

    /// @dev v0.8 and v0.9 want to be past `validAfter`; the others take its very second.
    function test_signer_countsFromItsDateOnAndNotEarlier() public {
        address signer = vm.addr(OTHER_KEY);
        assertEq(paymaster.signerActiveFrom(signer), 0, "unknown");
        assertEq(paymaster.signerActiveFrom(vm.addr(SIGNER_KEY)), 1, "of the constructor: always");
        _addSigner(signer);
        uint256 activeFrom = paymaster.signerActiveFrom(signer);
        assertEq(activeFrom, block.timestamp + DELAY + 7 days, "withdrawal delay and window");
        assertEq(paymaster.signerDelaySeconds(), DELAY + 7 days, "delay");

        vm.warp(activeFrom);
        Op memory op = version.sign(_op(), OTHER_KEY);
        assertTrue(!paymaster.isSigner(signer), "not yet on every version");
        if (_isV06() || _isV07()) assertTrue(version.send(op).success, "lands in that second");
        else Refused.byBundle(version, op, "AA32");
        vm.warp(activeFrom + 1);
        assertTrue(paymaster.isSigner(signer), "accepted");
        assertTrue(version.send(version.sign(_op(), OTHER_KEY)).success, "lands");
    }

    /// @dev The operation's own `validAfter` is kept where it is the later one.
    function test_validAfter_isTheLaterOfTheOperationsAndTheSigners() public {
        address signer = vm.addr(OTHER_KEY);
        _addSigner(signer);
        uint256 activeFrom = paymaster.signerActiveFrom(signer);
        Op memory op = _op();
        op.validUntil = uint48(activeFrom + 2 days);
        uint48[3] memory validAfter = [0, uint48(activeFrom - 1), uint48(activeFrom + 1)];
        for (uint256 i = 0; i < 3; i++) {
            op.validAfter = validAfter[i];
            (, uint256 validationData) = version.validate(version.sign(op, OTHER_KEY));
            assertEq(validationData >> 208, i == 2 ? activeFrom + 1 : activeFrom, "valid after");
            assertEq(uint160(validationData), 0, "signature");
        }
    }

    function test_removedSigner_waitsAgainWhenItIsAddedAgain() public {
        address signer = vm.addr(OTHER_KEY);
        _addSigner(signer);
        vm.warp(paymaster.signerActiveFrom(signer) + 1);
        vm.prank(OWNER);
        paymaster.removeSigner(signer);
        assertEq(paymaster.signerActiveFrom(signer), 0, "removed at once");
        Refused.byBundle(version, version.sign(_op(), OTHER_KEY), "AA34");
        _addSigner(signer);
        Refused.byBundle(version, version.sign(_op(), OTHER_KEY), "AA32");
    }

    /// @dev Takes nearly all of the wallet for the beneficiary.
    function _greedyOp() private view returns (Op memory op) {
        op = _op();
        op.maxPriorityFeePerGas = op.maxFeePerGas;
        op.preVerificationGas = 990 ether / op.maxFeePerGas;
        op.feeMarkup = 1_000_000;
    }

    function _addSigner(address signer) private {
        vm.prank(OWNER);
        paymaster.addSigner(signer);
    }


    function test_lastSigner_cannotBeRemoved() public {
        address signer = vm.addr(SIGNER_KEY);
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.LastSigner.selector, signer));
        paymaster.removeSigner(signer);
    }

    function test_signerSet_refusesZeroDoublesAndStrangers() public {
        address signer = vm.addr(SIGNER_KEY);
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.InvalidSigner.selector, address(0)));
        paymaster.addSigner(address(0));
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.SignerAlreadyAdded.selector, signer));
        paymaster.addSigner(signer);
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.SignerNotFound.selector, OWNER));
        paymaster.removeSigner(OWNER);
    }

    function test_construction_needsASignerAnOwnerAndAnEntryPoint() public {
        IStakeManager entryPoint = version.entryPoint();
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.InvalidSigner.selector, address(0)));
        version.deploy(entryPoint, OWNER, new address[](0), DELAY);
        vm.expectRevert(abi.encodeWithSelector(Ownable.OwnableInvalidOwner.selector, address(0)));
        version.deploy(entryPoint, address(0), _list(OWNER), DELAY);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.EntryPointHasNoCode.selector, WALLET));
        version.deploy(IStakeManager(WALLET), OWNER, _list(OWNER), DELAY);
        assertEq(address(paymaster.entryPoint()), address(entryPoint), "entry point");
    }

    function test_events_tellChangesOfSignersAndPauses() public {
        address signer = vm.addr(OTHER_KEY);
        vm.prank(OWNER);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.SignerAdded(signer);
        paymaster.addSigner(signer);
        vm.prank(OWNER);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.SignerRemoved(signer);
        paymaster.removeSigner(signer);
        vm.prank(OWNER);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.Paused(OWNER);
        paymaster.pause();
        vm.prank(OWNER);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.Unpaused(OWNER);
        paymaster.unpause();
    }

    // --- pause

    function test_pause_stopsNewOperationsOnly() public {
        Op memory op = _signed(_op());
        (bytes memory context, ) = version.validate(op);
        vm.prank(OWNER);
        paymaster.pause();
        assertTrue(paymaster.paused(), "paused");

        (bool ok, bytes memory reason) = version.callAsEntryPoint(version.validateCall(op, 1));
        assertTrue(!ok, "validation is refused");
        if (_isV06()) {
            assertEq(
                keccak256(reason),
                keccak256(abi.encodeWithSignature("Error(string)", "PM signing paused")),
                "string"
            );
        } else {
            assertEq(bytes32(bytes4(reason)), bytes32(IRefusals.SigningIsPaused.selector), "error");
        }
        (ok, ) = version.callAsEntryPoint(version.postOpCall(context, 1e12, 1 gwei));
        assertTrue(ok, "an operation already validated settles");

        paymaster.depositFor{value: 1 ether}(WALLET_2);
        vm.prank(WALLET_2);
        paymaster.requestWithdrawal(1 ether);
        vm.warp(block.timestamp + DELAY);
        vm.prank(WALLET_2);
        paymaster.executeWithdrawal(TO);
        assertEq(TO.balance, 1 ether, "withdrawals go on");

        vm.prank(OWNER);
        paymaster.unpause();
        assertTrue(version.isAccepted(op), "sponsors again");
    }

    /// @dev The flag lies in each key's word: no order of additions, removals and pauses leaves one with another's.
    function testFuzz_pauseAndSignerChanges_equalTheModel(uint256 seed) public {
        uint256[3] memory keys = [SIGNER_KEY, OTHER_KEY, 0xD1FF];
        uint256[3] memory activeFrom = [uint256(1), 0, 0];
        bool isPaused;
        for (uint256 round = 0; round < 8; round++) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 which = (seed >> 8) % 3;
            address signer = vm.addr(keys[which]);
            vm.warp(block.timestamp + (seed >> 16) % 12 hours);
            bool isLast = paymaster.signerCount() == 1;
            vm.prank(OWNER);
            if (seed % 4 == 0 || (isLast && activeFrom[which] != 0)) {
                isPaused = !isPaused;
                if (isPaused) paymaster.pause();
                else paymaster.unpause();
            } else if (activeFrom[which] == 0) {
                paymaster.addSigner(signer);
                activeFrom[which] = block.timestamp + paymaster.signerDelaySeconds();
            } else {
                paymaster.removeSigner(signer);
                activeFrom[which] = 0;
            }
        }
        for (uint256 i = 0; i < 3; i++) _assertSigner(keys[i], activeFrom[i], isPaused);
    }

    function _assertSigner(uint256 key, uint256 activeFrom, bool isPaused) private {
        assertEq(paymaster.signerActiveFrom(vm.addr(key)), activeFrom, "date");
        Op memory op = version.sign(_op(), key);
        uint256 state = vm.snapshotState();
        (bool ok, bytes memory result) = version.callAsEntryPoint(version.validateCall(op, 1));
        vm.revertToStateAndDelete(state);
        assertEq(ok ? 0 : 1, isPaused && activeFrom != 0 ? 1 : 0, "refused exactly in a pause");
        if (!ok) return;
        (, uint256 validationData) = abi.decode(result, (bytes, uint256));
        assertEq(uint160(validationData), activeFrom == 0 ? 1 : 0, "counts exactly as a signer's");
        assertEq(validationData >> 208, activeFrom > op.validAfter ? activeFrom : op.validAfter, "validAfter");
    }

    // --- stake

    function test_stake_isTheOwnersAndApartFromTheDeposit() public {
        uint256 deposit = version.depositWei();
        vm.prank(OWNER);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.StakeAdded(2 ether, 2 days);
        paymaster.addStake{value: 2 ether}(2 days);
        assertEq(
            version.entryPoint().getDepositInfo(address(paymaster)).unstakeDelaySec,
            2 days,
            "the delay that bundlers look at"
        );
        vm.prank(OWNER);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.StakeUnlocked();
        paymaster.unlockStake();
        vm.prank(OWNER);
        vm.expectRevert(IHybridPaymaster.ZeroAddress.selector);
        paymaster.withdrawStake(payable(address(0)));
        vm.warp(block.timestamp + 2 days);
        vm.prank(OWNER);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.StakeWithdrawn(TO);
        paymaster.withdrawStake(TO);
        assertEq(TO.balance, 3 ether, "stake");
        assertEq(version.depositWei(), deposit, "deposit");
    }

    // --- fees

    function test_withdrawFees_paysMarkupIncomeAndNoMore() public {
        Outcome memory outcome = version.send(_signed(_op()));
        uint256 fees = paymaster.feesOf(WALLET);
        assertEq(fees, outcome.feeWei, "fees");
        assertTrue(fees > 0, "there is income");
        assertEq(paymaster.feeBalance(), 0, "not collected");
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.FeesCollected(WALLET, fees);
        paymaster.collectFees(_list(WALLET));
        assertEq(paymaster.feesOf(WALLET), 0, "collected");
        paymaster.collectFees(_list(WALLET));
        assertEq(paymaster.feeBalance(), fees, "once");
        vm.prank(OWNER);
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.FeeBalanceTooLow.selector, fees, fees + 1));
        paymaster.withdrawFees(TO, fees + 1);
        vm.prank(OWNER);
        vm.expectRevert(IHybridPaymaster.ZeroAddress.selector);
        paymaster.withdrawFees(payable(address(0)), fees);
        vm.prank(OWNER);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.FeesWithdrawn(TO, fees);
        paymaster.withdrawFees(TO, fees);
        assertEq(TO.balance, fees, "paid");
        assertEq(paymaster.feeBalance(), 0, "left");
        _assertSolvent();
        assertTrue(version.send(_signed(_op())).success, "the next operation settles");
    }

    function test_noMarkup_noFee() public {
        Op memory op = _op();
        op.feeMarkup = 1_000_000;
        Outcome memory outcome = version.send(_signed(op));
        assertTrue(outcome.settled, "settles");
        assertEq(outcome.feeWei + _feesWei(), 0, "fee");
    }

    /// @dev What no wallet can reach with ether: the slot has 80 bits for fees.
    function test_feesBeyondTheSlot_stayInTheDepositAndSettlementGoesOn() public {
        vm.deal(address(this), 5_000_000 ether + 1e24);
        paymaster.depositFor{value: 5_000_000 ether}(WALLET);
        Op memory op = _op();
        op.feeMarkup = 2_000_000;
        op.maxFeePerGas = 1 ether;
        op.maxPriorityFeePerGas = 1 ether;
        op.preVerificationGas = 700_000;
        for (uint256 i = 0; i < 2; i++) {
            Outcome memory outcome = version.send(_signed(op));
            assertTrue(outcome.success && outcome.settled, "settles");
            op.nonce += 1;
        }
        assertEq(paymaster.feesOf(WALLET), type(uint80).max, "fees");
        _assertSolvent();
    }

    function test_deposit_aboveTheSlot_refused() public {
        uint256 room = type(uint96).max - paymaster.balanceOf(WALLET);
        vm.deal(address(this), room + 1);
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.DepositTooLarge.selector, uint256(type(uint96).max) + 1)
        );
        paymaster.depositFor{value: room + 1}(WALLET);
        paymaster.depositFor{value: room}(WALLET);
        assertEq(paymaster.balanceOf(WALLET), type(uint96).max, "balance");
        assertEq(paymaster.feesOf(WALLET) + paymaster.strandedOf(WALLET), 0, "neighbours");
    }

    // --- access

    function test_strangers_canDoNothingTheOwnerCan() public {
        bytes[8] memory calls = [
            abi.encodeCall(paymaster.addSigner, (WALLET)),
            abi.encodeCall(paymaster.removeSigner, (WALLET)),
            abi.encodeCall(paymaster.pause, ()),
            abi.encodeCall(paymaster.unpause, ()),
            abi.encodeCall(paymaster.addStake, (1)),
            abi.encodeCall(paymaster.unlockStake, ()),
            abi.encodeCall(paymaster.withdrawStake, (TO)),
            abi.encodeCall(paymaster.withdrawFees, (TO, 1))
        ];
        for (uint256 i = 0; i < calls.length; i++) {
            vm.prank(WALLET);
            (bool ok, bytes memory reason) = address(paymaster).call(calls[i]);
            assertTrue(!ok, "refused");
            assertEq(bytes32(bytes4(reason)), bytes32(Ownable.OwnableUnauthorizedAccount.selector), "by the owner check");
        }
    }

    function test_onlyTheEntryPoint_validatesAndSettles() public {
        Op memory op = _signed(_op());
        (bytes memory context, ) = version.validate(op);
        bytes[2] memory calls = [version.validateCall(op, 1), version.postOpCall(context, 1, 1)];
        for (uint256 i = 0; i < calls.length; i++) {
            vm.prank(OWNER);
            (bool ok, bytes memory reason) = address(paymaster).call(calls[i]);
            assertTrue(!ok, "refused");
            assertEq(
                keccak256(reason),
                keccak256(abi.encodeWithSelector(IHybridPaymaster.NotEntryPoint.selector, OWNER)),
                "reason"
            );
        }
    }

    function test_ownership_movesInTwoSteps() public {
        vm.prank(OWNER);
        _owned().transferOwnership(WALLET_2);
        assertEq(_owned().owner(), OWNER, "not yet");
        vm.prank(WALLET_2);
        _owned().acceptOwnership();
        assertEq(_owned().owner(), WALLET_2, "accepted");
    }

    function test_ownership_cannotBeRenounced() public {
        vm.prank(OWNER);
        vm.expectRevert(IHybridPaymaster.OwnerRequired.selector);
        _owned().renounceOwnership();
    }

    function _owned() private view returns (Ownable2Step) {
        return Ownable2Step(address(paymaster));
    }

    /// @dev No sequence of the owner's calls lowers a wallet's balance.
    function testFuzz_ownerCalls_neverLowerAWallet(uint256 seed) public {
        version.send(_signed(_op()));
        uint256 balance = paymaster.balanceOf(WALLET);
        for (uint256 i = 0; i < 12; i++) {
            seed = uint256(keccak256(abi.encode(seed)));
            bytes memory call_;
            uint256 choice = seed % 9;
            address someone = address(uint160(seed >> 8));
            if (choice == 0) call_ = abi.encodeCall(paymaster.addSigner, (someone));
            if (choice == 1) call_ = abi.encodeCall(paymaster.removeSigner, (vm.addr(SIGNER_KEY)));
            if (choice == 2) call_ = abi.encodeCall(paymaster.pause, ());
            if (choice == 3) call_ = abi.encodeCall(paymaster.unpause, ());
            if (choice == 4) paymaster.collectFees(_list(WALLET));
            if (choice == 4) call_ = abi.encodeCall(paymaster.withdrawFees, (TO, seed % (paymaster.feeBalance() + 2)));
            if (choice == 5) call_ = abi.encodeCall(paymaster.unlockStake, ());
            if (choice == 6) call_ = abi.encodeCall(paymaster.withdrawStake, (TO));
            if (choice == 7) call_ = abi.encodeCall(paymaster.requestWithdrawal, (seed));
            if (choice == 8) call_ = abi.encodeCall(paymaster.executeWithdrawal, (TO));
            vm.prank(OWNER);
            (bool ok, ) = address(paymaster).call(call_);
            ok;
            vm.warp(block.timestamp + (seed % 2 days));
        }
        assertEq(paymaster.balanceOf(WALLET), balance, "balance");
        _assertSolvent();
    }
}

contract OwnerV06Test is OwnerTest, OnV06 {}

contract OwnerV07Test is OwnerTest, OnV07 {}

contract OwnerV08Test is OwnerTest, OnV08 {}

contract OwnerV09Test is OwnerTest, OnV09 {}
