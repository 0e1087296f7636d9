// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {MeteredToken} from "./support/MeteredToken.sol";
import {Op, Outcome} from "./support/Op.sol";
import {ShortToken} from "./support/tokens/ShortToken.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";

/// @notice After the transactions that brought tokens in; `setUp` is a transaction of its own.
abstract contract TokenBalancesTest is TokenWorld {
    MeteredToken internal metered;
    uint256 internal charged;
    uint256 internal refunded;

    /// @dev A receiver with a charge and a sender with a refused refund.
    function _prepareBalances() internal {
        metered = MeteredToken(_deploy("MeteredToken", ""));
        metered.mint(address(tokenAccount), TOKENS);
        metered.setPayout(MeteredToken.Payout.Refuses);
        vm.prank(address(tokenAccount));
        metered.approve(address(paymaster), type(uint256).max);
        Op memory op = _tokenOp(ALLOWANCE);
        op.token = address(metered);
        Outcome memory outcome = version.send(_signed(op));
        (charged, refunded) = (outcome.chargedTokens, outcome.refundKept);
    }

    function test_balances_goToTheirAccountsWhoeverCalls() public {
        metered.setPayout(MeteredToken.Payout.Pays);
        address sender = address(tokenAccount);
        uint256 before = metered.balanceOf(sender);
        assertTrue(charged > 0 && refunded > 0, "both have something");
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.TokensWithdrawn(address(metered), RECEIVER, charged);
        _byAnybody();
        paymaster.withdrawTokens(address(metered), RECEIVER);
        assertEq(metered.balanceOf(RECEIVER), charged, "receiver");
        assertEq(paymaster.tokenBalanceOf(address(metered), sender), refunded, "nobody else's balance");
        _byAnybody();
        paymaster.withdrawTokens(address(metered), sender);
        assertEq(metered.balanceOf(sender), before + refunded, "sender");
        assertEq(metered.balanceOf(address(paymaster)), 0, "nothing left");

        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.NoTokenBalance.selector, address(metered), RECEIVER)
        );
        _byAnybody();
        paymaster.withdrawTokens(address(metered), RECEIVER);
    }

    function test_refusedWithdrawal_keepsTheBalance() public {
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.TokenWithdrawalFailed.selector, address(metered), RECEIVER, charged)
        );
        _byAnybody();
        paymaster.withdrawTokens(address(metered), RECEIVER);
        assertEq(paymaster.tokenBalanceOf(address(metered), RECEIVER), charged, "still there");
    }

    function test_accountWithoutBalance_hasNothingToWithdraw() public {
        assertEq(paymaster.tokenBalanceOf(address(metered), address(0xABCD)), 0, "nothing");
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.NoTokenBalance.selector, address(metered), address(0xABCD))
        );
        _byAnybody();
        paymaster.withdrawTokens(address(metered), address(0xABCD));
    }
}

/// @notice A token of which the contract has less than it owes, to two receivers; `setUp` is a transaction of its own.
abstract contract ShortBalancesTest is TokenWorld {
    address private constant _SECOND = address(0xFEE6);

    ShortToken private _short;
    uint256 private _first;
    uint256 private _second;

    function _prepareShort() internal {
        _short = new ShortToken();
        _short.mint(address(tokenAccount), TOKENS);
        vm.prank(address(tokenAccount));
        _short.approve(address(paymaster), type(uint256).max);
        Op memory op = _tokenOp(ALLOWANCE);
        op.token = address(_short);
        version.send(_signed(op));
        op.nonce += 1;
        op.feeReceiver = _SECOND;
        version.send(_signed(op));
        _first = paymaster.tokenBalanceOf(address(_short), RECEIVER);
        _second = paymaster.tokenBalanceOf(address(_short), _SECOND);
        assertTrue(_first > 1_000 && _second > 1_000, "both are owed");
        assertEq(_short.balanceOf(address(paymaster)), _first + _second, "all is there");
    }

    function test_lastReceiver_getsWhatIsThereAndKeepsTheRest() public {
        _short.take(address(paymaster), 1);
        _byAnybody();
        paymaster.withdrawTokens(address(_short), RECEIVER);
        assertEq(_short.balanceOf(RECEIVER), _first, "who withdraws first is paid");

        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.TokensWithdrawn(address(_short), _SECOND, _second - 1);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.TokensStillOwed(address(_short), _SECOND, 1);
        _byAnybody();
        paymaster.withdrawTokens(address(_short), _SECOND);
        assertEq(_short.balanceOf(_SECOND), _second - 1, "what is there");
        assertEq(paymaster.tokenBalanceOf(address(_short), _SECOND), 1, "the rest is owed");
        vm.expectRevert(abi.encodeWithSelector(IHybridPaymaster.NoTokensHeld.selector, address(_short), _SECOND, 1));
        _byAnybody();
        paymaster.withdrawTokens(address(_short), _SECOND);

        _short.mint(address(paymaster), 5);
        _byAnybody();
        paymaster.withdrawTokens(address(_short), _SECOND);
        assertEq(_short.balanceOf(_SECOND), _second, "and paid when there is something");
        assertEq(_short.balanceOf(address(paymaster)), 4, "no more than is owed");
    }

    /// @dev The fee is taken from the contract: all of a balance can't move, a part can.
    function test_feeOnTop_leavesAWayOut() public {
        _short.setFee(ShortToken.Fee.OnTop);
        _byAnybody();
        paymaster.withdrawTokens(address(_short), RECEIVER);
        uint256 left = _second - _first / 100;
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.TokenWithdrawalFailed.selector, address(_short), _SECOND, left)
        );
        _byAnybody();
        paymaster.withdrawTokens(address(_short), _SECOND);

        uint256 part = (left * 100) / 101;
        _byAnybody();
        paymaster.withdrawSomeTokens(address(_short), _SECOND, part);
        assertEq(_short.balanceOf(_SECOND), part, "a part");
        assertEq(paymaster.tokenBalanceOf(address(_short), _SECOND), _second - part, "the rest is owed");
    }

    function test_feeOnTransfer_isTheReceivers() public {
        _short.setFee(ShortToken.Fee.OnTransfer);
        vm.recordLogs();
        _byAnybody();
        paymaster.withdrawTokens(address(_short), RECEIVER);
        assertEq(vm.getRecordedLogs().length, 2, "the transfer and the withdrawal, and no event of a rest");
        assertEq(_short.balanceOf(RECEIVER), _first - _first / 100, "less the fee");
        assertEq(paymaster.tokenBalanceOf(address(_short), RECEIVER), 0, "nothing is owed");
        assertEq(_short.balanceOf(address(paymaster)), _second, "nobody else's");
    }

    function test_amount_isAtMostTheBalanceAndNotNothing() public {
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.NoTokenBalance.selector, address(_short), RECEIVER)
        );
        _byAnybody();
        paymaster.withdrawSomeTokens(address(_short), RECEIVER, 0);
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.TokensStillOwed(address(_short), RECEIVER, _first - 7);
        _byAnybody();
        paymaster.withdrawSomeTokens(address(_short), RECEIVER, 7);
        _byAnybody();
        paymaster.withdrawSomeTokens(address(_short), RECEIVER, _first);
        assertEq(_short.balanceOf(RECEIVER), _first, "the balance");
        assertEq(_short.balanceOf(address(paymaster)), _second, "not the others'");
    }

    function test_contracts_cannotWithdraw() public {
        bytes memory refusal = abi.encodeWithSelector(
            IHybridPaymaster.NotTransactionSender.selector,
            address(this)
        );
        vm.expectRevert(refusal);
        paymaster.withdrawTokens(address(_short), RECEIVER);
        vm.expectRevert(refusal);
        paymaster.withdrawSomeTokens(address(_short), RECEIVER, 1);
        vm.expectRevert(refusal);
        paymaster.returnStranded(WALLET);
    }
}

contract TokenBalancesV06Test is TokenBalancesTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
        _prepareBalances();
    }
}

contract TokenBalancesV07Test is TokenBalancesTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
        _prepareBalances();
    }
}

contract TokenBalancesV08Test is TokenBalancesTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
        _prepareBalances();
    }
}

contract TokenBalancesV09Test is TokenBalancesTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
        _prepareBalances();
    }
}

contract ShortBalancesV06Test is ShortBalancesTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
        _prepareShort();
    }
}

contract ShortBalancesV07Test is ShortBalancesTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
        _prepareShort();
    }
}

contract ShortBalancesV08Test is ShortBalancesTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
        _prepareShort();
    }
}

contract ShortBalancesV09Test is ShortBalancesTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
        _prepareShort();
    }
}
