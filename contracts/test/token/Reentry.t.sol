// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op, Outcome} from "../support/Op.sol";
import {TestAccount} from "../support/TestAccount.sol";
import {HookedToken} from "../support/tokens/HookedToken.sol";
import {HostileOnV06, HostileOnV07, HostileOnV08, HostileOnV09, HostileWorld} from "../support/tokens/HostileWorld.sol";
import {Reenterer} from "../support/tokens/Reenterer.sol";
import {TestToken} from "../support/tokens/TestToken.sol";

/**
 * @notice A token with hooks on both sides of a transfer, whose holders call back into the paymaster and the
 *         EntryPoint from within the pull, the refund and the charge. One hook serves the sender and the receiver; it
 *         is a funding wallet with a due withdrawal itself, and in half of the runs the one that pays.
 */
abstract contract ReentryTest is HostileWorld {
    enum Action {
        Deposit,
        WithdrawTokens,
        ExecuteWithdrawal,
        RequestWithdrawal,
        ReturnStranded,
        HandleOps,
        PostOp,
        /// @dev To look like a pull that came through.
        GiveTokens,
        Everything
    }

    HookedToken private _hooked;
    Reenterer private _hook;

    function _prepare() internal virtual override {
        super._prepare();
        _hooked = new HookedToken(6);
        _hook = new Reenterer();
        vm.deal(address(_hook), 10 ether);
        paymaster.depositFor{value: 100 ether}(address(_hook));
        _hook.run(address(paymaster), abi.encodeCall(paymaster.requestWithdrawal, (90 ether)));
        vm.warp(block.timestamp + DELAY);
        _hooked.mint(address(_hook), 1e30);
        // The receiver has a balance to take already.
        Op memory op = _hostileOp(ALLOWANCE, address(_hooked), 6);
        _equip(op);
        version.send(_signed(op));
        _hooked.setHook(op.sender, address(_hook));
        _hooked.setHook(RECEIVER, address(_hook));
    }

    function _arm(Action action, Op memory other) private {
        address target = address(paymaster);
        if (_is(action, Action.Deposit)) _hook.add(target, 1, abi.encodeCall(paymaster.depositFor, (address(_hook))));
        if (_is(action, Action.WithdrawTokens)) {
            _hook.add(target, 0, abi.encodeCall(paymaster.withdrawTokens, (address(_hooked), RECEIVER)));
            _hook.add(target, 0, abi.encodeCall(paymaster.withdrawTokens, (address(_hooked), address(tokenAccount))));
        }
        if (_is(action, Action.ExecuteWithdrawal)) {
            _hook.add(target, 0, abi.encodeCall(paymaster.executeWithdrawal, (payable(address(_hook)))));
        }
        if (_is(action, Action.RequestWithdrawal)) {
            _hook.add(target, 0, abi.encodeCall(paymaster.requestWithdrawal, (5 ether)));
        }
        if (_is(action, Action.ReturnStranded)) {
            _hook.add(target, 0, abi.encodeCall(paymaster.returnStranded, (WALLET)));
            _hook.add(target, 0, abi.encodeCall(paymaster.returnStranded, (address(_hook))));
        }
        if (_is(action, Action.HandleOps)) {
            _hook.add(address(version.entryPoint()), 0, version.handleOpsCall(_bundle(other)));
        }
        if (_is(action, Action.PostOp)) _hook.add(target, 0, version.postOpCall("", 0, 0));
        if (_is(action, Action.GiveTokens)) {
            _hook.add(address(_hooked), 0, abi.encodeCall(TestToken.transfer, (target, 1e6)));
        }
    }

    function _is(Action action, Action wanted) private pure returns (bool) {
        return action == wanted || action == Action.Everything;
    }

    function test_hooksThatReenter_gainNothing() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            for (uint256 action = 0; action <= uint256(type(Action).max); action++) {
                for (uint256 paysItself = 0; paysItself < 2; paysItself++) {
                    uint256 state = vm.snapshotState();
                    _check(way, Action(action), paysItself == 1);
                    vm.revertToStateAndDelete(state);
                }
            }
        }
    }

    function _check(uint8 way, Action action, bool paysItself) private {
        string memory what = string.concat("way ", vm.toString(way), ", action ", vm.toString(uint256(action)));
        Op memory op = _hostileOp(way, address(_hooked), 6);
        _equip(op);
        op.callData = _plainCalls(op);
        if (paysItself) op.fundingWallet = address(_hook);
        // Hooks are dear: this is about what they may do, not about what they may spend.
        op.unaccountedGas = 3_000_000;
        op.paymasterVerificationGasLimit = 3_000_000;
        op.paymasterPostOpGasLimit = 8_000_000;
        if (_isV06()) op.verificationGasLimit = 8_000_000;
        bytes memory write = abi.encodeCall(TestAccount.write, (7));
        _arm(action, _neighbourOp(9, write));

        uint256 money = _moneyOfTheHook();
        uint256 tokens = _tokensOfBoth();
        uint256 surplus = _surplus();
        // The first of its bundle: nothing was validated before its pull.
        (Outcome[] memory outcomes, bytes memory reason) = _attempt(_bundle(_signed(op), _neighbourOp(0, write)));
        if (outcomes.length == 0) {
            // A pull that is not what it was told may be refused.
            assertTrue(way != BATCH_APPROVAL, string.concat(what, ": the bundle survives"));
            _assertRefused(reason, 0, "AA33", what);
            return;
        }
        assertTrue(_hook.timesCalled() > 0, string.concat(what, ": the hook was called"));
        assertTrue(outcomes[0].paid && outcomes[1].success, string.concat(what, ": both land"));
        if (paysItself) assertGe(money - _moneyOfTheHook(), outcomes[0].takenWei, string.concat(what, ": it pays"));
        else assertEq(_moneyOfTheHook(), money, string.concat(what, ": no ether gained"));
        assertGe(_surplus(), surplus, string.concat(what, ": the ledger is covered as before"));
        uint256 income = version.inTokens(op, outcomes[0].takenWei);
        assertGe(tokens - _tokensOfBoth(), income, string.concat(what, ": paid in tokens, at the rate"));
        _assertCovered(address(_hooked), what);
    }

    /**
     * @dev Two senders in one bundle; while the second is validated, its hook asks for the receiver's balance, of which
     *      the first one's refund is a part.
     */
    function test_withdrawalFromAnotherOperationsPull_takesNoRefund() public {
        Op memory op = _hostileOp(ALLOWANCE, address(_hooked), 6);
        Op memory victim = _hostileOp(ALLOWANCE, address(_hooked), 6);
        victim.sender = address(account);
        victim.nonce = version.nonceOf(victim.sender, 0);
        _equip(victim);
        _arm(Action.WithdrawTokens, op);
        Outcome memory outcome = version.sendBundle(_bundle(_signed(victim), _signed(op)))[0];
        assertTrue(_hook.timesCalled() > 0, "the hook was called");
        assertTrue(outcome.refundedTokens > 0 && outcome.refundKept == 0, "paid and refunded");
        assertEq(OWNED - _hooked.balanceOf(victim.sender), outcome.chargedTokens, "by the charge alone");
    }

    /// @dev The hook's ether wherever it lies, wei.
    function _moneyOfTheHook() private view returns (uint256) {
        return address(_hook).balance + paymaster.balanceOf(address(_hook));
    }

    /// @dev What the sender and the hook have together, in hand or booked in the paymaster.
    function _tokensOfBoth() private view returns (uint256) {
        return
            _hooked.balanceOf(address(tokenAccount)) +
            _hooked.balanceOf(address(_hook)) +
            paymaster.tokenBalanceOf(address(_hooked), address(tokenAccount)) +
            paymaster.tokenBalanceOf(address(_hooked), address(_hook));
    }

    /// @dev What the deposit holds above the ledger; underflows when it does not cover it.
    function _surplus() private view returns (uint256) {
        return
            version.depositWei() -
            paymaster.balanceOf(WALLET) -
            paymaster.balanceOf(WALLET_2) -
            paymaster.balanceOf(address(_hook)) -
            _feesWei() -
            paymaster.feesOf(address(_hook));
    }
}

/// @notice The receiver's hook during its own withdrawal; `setUp` is a transaction of its own.
abstract contract WithdrawalReentryTest is HostileWorld {
    HookedToken private _hooked;
    Reenterer private _hook;
    uint256 private _booked;

    function _prepare() internal virtual override {
        super._prepare();
        _hooked = new HookedToken(6);
        _hook = new Reenterer();
        Op memory op = _hostileOp(ALLOWANCE, address(_hooked), 6);
        _equip(op);
        version.send(_signed(op));
        _booked = paymaster.tokenBalanceOf(op.token, RECEIVER);
        // Somebody else's balance, large enough for a second withdrawal.
        op.feeReceiver = address(0xFEE6);
        op.exchangeRate *= 2;
        op.nonce += 1;
        version.send(_signed(op));
        _hooked.setHook(RECEIVER, address(_hook));
    }

    function test_withdrawal_paysOnce() public {
        _hook.add(address(paymaster), 0, abi.encodeCall(paymaster.withdrawTokens, (address(_hooked), RECEIVER)));
        uint256 held = _hooked.balanceOf(address(paymaster));
        assertTrue(_booked > 0 && held > 2 * _booked, "there is enough for two");
        // Its sender has EIP-7702 code, so his hook calls back as the transaction's sender.
        vm.prank(address(_hook), address(_hook));
        paymaster.withdrawTokens(address(_hooked), RECEIVER);
        assertEq(_hook.timesCalled(), 1, "the hook was called");
        assertEq(_hooked.balanceOf(RECEIVER), _booked, "once");
        assertEq(_hooked.balanceOf(address(paymaster)), held - _booked, "the other's stays");
        assertEq(paymaster.tokenBalanceOf(address(_hooked), RECEIVER), 0, "booked");
    }
}

contract ReentryV06Test is ReentryTest, HostileOnV06 {
    function _prepare() internal override(ReentryTest, HostileOnV06) {
        ReentryTest._prepare();
    }
}

contract ReentryV07Test is ReentryTest, HostileOnV07 {
    function _prepare() internal override(ReentryTest, HostileOnV07) {
        ReentryTest._prepare();
    }
}

contract ReentryV08Test is ReentryTest, HostileOnV08 {
    function _prepare() internal override(ReentryTest, HostileOnV08) {
        ReentryTest._prepare();
    }
}

contract ReentryV09Test is ReentryTest, HostileOnV09 {
    function _prepare() internal override(ReentryTest, HostileOnV09) {
        ReentryTest._prepare();
    }
}

/// @notice The books of tokens are the same code in all versions.
contract WithdrawalReentryV07Test is WithdrawalReentryTest, HostileOnV07 {
    function _prepare() internal override(WithdrawalReentryTest, HostileOnV07) {
        WithdrawalReentryTest._prepare();
    }
}
