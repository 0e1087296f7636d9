// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {MeteredToken} from "./support/MeteredToken.sol";
import {Op, Outcome} from "./support/Op.sol";
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
        vm.prank(address(0xABCD));
        vm.expectEmit(address(paymaster));
        emit IHybridPaymaster.TokensWithdrawn(address(metered), RECEIVER, charged);
        paymaster.withdrawTokens(address(metered), RECEIVER);
        assertEq(metered.balanceOf(RECEIVER), charged, "receiver");
        assertEq(paymaster.tokenBalanceOf(address(metered), sender), refunded, "nobody else's balance");
        paymaster.withdrawTokens(address(metered), sender);
        assertEq(metered.balanceOf(sender), before + refunded, "sender");
        assertEq(metered.balanceOf(address(paymaster)), 0, "nothing left");

        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.NoTokenBalance.selector, address(metered), RECEIVER)
        );
        paymaster.withdrawTokens(address(metered), RECEIVER);
    }

    function test_refusedWithdrawal_keepsTheBalance() public {
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.TokenWithdrawalFailed.selector, address(metered), RECEIVER, charged)
        );
        paymaster.withdrawTokens(address(metered), RECEIVER);
        assertEq(paymaster.tokenBalanceOf(address(metered), RECEIVER), charged, "still there");
    }

    function test_accountWithoutBalance_hasNothingToWithdraw() public {
        assertEq(paymaster.tokenBalanceOf(address(metered), address(0xABCD)), 0, "nothing");
        vm.expectRevert(
            abi.encodeWithSelector(IHybridPaymaster.NoTokenBalance.selector, address(metered), address(0xABCD))
        );
        paymaster.withdrawTokens(address(metered), address(0xABCD));
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
