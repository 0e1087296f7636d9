// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op, Outcome} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/**
 * @notice Whoever moves money before, between and inside operations of one transaction, with every bound at its
 *         floor: no operation is charged less than the EntryPoint took.
 */
abstract contract MovesTest is World {
    function _secondaryMoves(uint256 seed, address wallet) private {
        uint256 kind = seed % 6;
        address[] memory both = new address[](2);
        (both[0], both[1]) = (WALLET, WALLET_2);
        if (kind == 0) paymaster.collectFees(both);
        if (kind == 1) paymaster.depositFor{value: 1 + (seed >> 8) % 1 ether}(wallet);
        if (kind == 2) {
            _byAnybody();
            try paymaster.returnStranded(wallet) {} catch {}
        }
        if (kind == 3) {
            vm.prank(wallet);
            try paymaster.executeWithdrawal(payable(wallet)) {} catch {}
        }
        if (kind == 4) {
            uint256 fees = paymaster.feeBalance();
            vm.prank(OWNER);
            if (fees > 0) paymaster.withdrawFees(payable(OWNER), fees);
        }
    }

    TestAccount[2] private _accounts;

    function _prepare() internal virtual override {
        _accounts[0] = account;
        _accounts[1] = new TestAccount();
        vm.deal(address(_accounts[0]), 100 ether);
        vm.deal(address(_accounts[1]), 100 ether);
        paymaster.depositFor{value: 10 ether}(WALLET_2);
        // A fee paid before, a withdrawal that is due: from an earlier transaction.
        version.send(_signed(_op()));
        vm.prank(WALLET_2);
        paymaster.requestWithdrawal(3 ether);
        vm.warp(block.timestamp + DELAY);
    }

    function _innerCall(uint256 seed, uint256 prechargeWei, address wallet) private view returns (bytes memory) {
        uint256 kind = seed % 5;
        if (kind == 0) {
            address[] memory one = _list(wallet);
            return abi.encodeCall(TestAccount.execute, (address(paymaster), 0, abi.encodeCall(paymaster.collectFees, (one))));
        }
        if (kind == 1) {
            // Gives the balance back exactly what validation took, so that only the other parts differ.
            bytes memory deposit = abi.encodeCall(paymaster.depositFor, (wallet));
            return abi.encodeCall(TestAccount.execute, (address(paymaster), prechargeWei, deposit));
        }
        if (kind == 2) return abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        if (kind == 3) return abi.encodeCall(TestAccount.burnEverything, ());
        return abi.encodeCall(TestAccount.write, (seed >> 8));
    }

    /// @dev All in one transaction: moves of every kind before, between and inside operations at the floors.
    function testFuzz_movesInOneTransaction(uint256 seed) public {
        for (uint256 round = 0; round < 2; round++) {
            seed = uint256(keccak256(abi.encode(seed)));
            // A return refuses what follows in its transaction; let some rounds come to operations.
            if ((seed & 3) != 0) _secondaryMoves(seed >> 2, (seed >> 16) & 1 == 0 ? WALLET : WALLET_2);
            Op[] memory ops = new Op[](2);
            for (uint256 i = 0; i < 2; i++) ops[i] = _movingOp(seed >> (40 * (i + 1)), i);
            _sendMoving(ops);
        }
    }

    function _movingOp(uint256 seed, uint256 which) private view returns (Op memory op) {
        op = _op();
        op.sender = address(_accounts[which]);
        op.nonce = version.nonceOf(op.sender, 0);
        op.fundingWallet = seed & 1 == 0 ? WALLET : WALLET_2;
        op.feeMarkup = seed & 2 == 0 ? 1_000_000 : 1_050_000;
        op.unaccountedGas = 8_000;
        op.callGasLimit = 60_000;
        op.verificationGasLimit = _isV06() ? 70_000 : 31_000;
        op.paymasterPostOpGasLimit = 22_000;
        op.maxFeePerGas = 1 + (seed >> 2) % 3 * 5 gwei;
        op.maxPriorityFeePerGas = op.maxFeePerGas;
        op.callData = _innerCall(seed >> 8, version.prechargeWei(op), op.fundingWallet);
        return _signed(op);
    }

    uint256 private _landedMoves;

    function _sendMoving(Op[] memory ops) private {
        uint256 deposit = version.depositWei();
        uint256 owed = _owed();
        try version.sendBundle(ops) returns (Outcome[] memory outcomes) {
            uint256 taken;
            for (uint256 i = 0; i < 2; i++) {
                taken += outcomes[i].takenWei;
                if (outcomes[i].settled && paymaster.strandedOf(WALLET) + paymaster.strandedOf(WALLET_2) == 0) {
                    assertGe(outcomes[i].chargedWei - outcomes[i].feeWei, outcomes[i].takenWei, "charged below the take");
                }
            }
            _landedMoves++;
            // The reserve (deposit above what is owed) never shrinks.
            assertGe(version.depositWei() - _owed(), deposit - owed, "reserve");
        } catch {}
    }

    function _owed() private view returns (uint256) {
        return
            paymaster.balanceOf(WALLET) +
            paymaster.balanceOf(WALLET_2) +
            paymaster.strandedOf(WALLET) +
            paymaster.strandedOf(WALLET_2) +
            _feesWei();
    }
}

contract MovesV06Test is MovesTest, OnV06 {
    function _prepare() internal override(World, MovesTest) {
        MovesTest._prepare();
    }
}

contract MovesV07Test is MovesTest, OnV07 {
    function _prepare() internal override(World, MovesTest) {
        MovesTest._prepare();
    }
}

contract MovesV08Test is MovesTest, OnV08 {
    function _prepare() internal override(World, MovesTest) {
        MovesTest._prepare();
    }
}

contract MovesV09Test is MovesTest, OnV09 {
    function _prepare() internal override(World, MovesTest) {
        MovesTest._prepare();
    }
}
