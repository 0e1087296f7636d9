// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {MeteredToken} from "./support/MeteredToken.sol";
import {Op} from "./support/Op.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";

/**
 * @notice A bundler that gives as little gas as the EntryPoint lets it, and a sender that burns its limit and makes the
 *         EntryPoint copy a 2,048-byte reason it set no gas aside for: the bundle fails as a whole, or the operation
 *         settles and the token's call got all the gas that was signed for it.
 */
abstract contract TokenStinginessTest is TokenWorld {
    MeteredToken private _metered;

    function test_refund_getsItsGasOrTheBundleFails() public {
        _sweep(_stingyOp(ALLOWANCE, 60_000), 60_000);
    }

    function test_refundOfAThirstyToken_getsItsGasOrTheBundleFails() public {
        _sweep(_stingyOp(ALLOWANCE, 1_000_000), 1_000_000);
    }

    function test_chargeAfterRevertedCalls_getsItsGasOrTheBundleFails() public {
        _sweep(_stingyOp(BATCH_APPROVAL, 60_000), 60_000);
    }

    function _stingyOp(uint8 way, uint256 tokenCallGas) private returns (Op memory op) {
        // Paying a beneficiary that is not there yet would need more gas than settlement.
        vm.deal(version.BENEFICIARY(), 1);
        _metered = MeteredToken(_deploy("MeteredToken", ""));
        _metered.mint(address(tokenAccount), TOKENS);
        vm.prank(address(tokenAccount));
        _metered.approve(address(paymaster), type(uint256).max);
        _metered.setPayout(MeteredToken.Payout.PaysForGas);
        _metered.setNeeded(tokenCallGas);

        op = _tokenOp(way);
        op.token = address(_metered);
        op.callData = abi.encodeCall(TestAccount.revertLate, (2_048, 500));
        op.callGasLimit = 40_000;
        op.preVerificationGas = 200_000;
        _setTokenGas(op, tokenCallGas);
        // On v0.6 too the least limit of `postOp`, where validation leaves the choice.
        uint256 validation = way == BATCH_APPROVAL ? 80_000 : 160_000;
        uint256 least = paymaster.minTokenPostOpGas(op.unaccountedGas);
        if (_isV06()) op.verificationGasLimit = least > validation ? least : validation;
    }

    function _sweep(Op memory op, uint256 tokenCallGas) private {
        Op[] memory ops = new Op[](1);
        ops[0] = _signed(op);
        // Around the least gas with which the bundle lands.
        uint256 low = 100_000;
        uint256 high = 10_000_000;
        while (high - low > 100) {
            uint256 middle = (low + high) / 2;
            if (_lands(ops, middle)) high = middle;
            else low = middle;
        }
        uint256 landed;
        for (uint256 gas = low - 20_000; gas < high + 40_000 + tokenCallGas / 20; gas += 200) {
            if (_lands(ops, gas)) landed++;
        }
        assertTrue(landed > 100, "the sweep crosses the threshold");
        assertTrue(landed < 100 + (40_000 + tokenCallGas / 20) / 200, "from both sides");
    }

    function _lands(Op[] memory ops, uint256 gas) private returns (bool landed) {
        uint256 state = vm.snapshotState();
        vm.cool(address(_metered));
        try version.sendWithGas(ops, gas) {
            landed = true;
            assertEq(paymaster.strandedOf(WALLET), 0, "settled");
            assertTrue(_feesWei() > 0, "charged");
            // Not kept as the sender's or the receiver's refund, not due.
            uint256 paid = _metered.balanceOf(address(paymaster)) + _metered.balanceOf(RECEIVER);
            assertTrue(paid > 0, "paid");
            assertEq(paid + _metered.balanceOf(ops[0].sender), TOKENS, "paid and paid back");
            assertEq(paymaster.tokenBalanceOf(address(_metered), ops[0].sender), 0, "nothing kept for the sender");
            assertLe(paid, _charge(ops[0]), "nothing kept for the receiver");
        } catch {
            assertEq(paymaster.balanceOf(WALLET), 1000 ether, "nothing is debited");
        }
        vm.revertToState(state);
    }

    /// @dev What the wallet was charged, in tokens.
    function _charge(Op memory op) private view returns (uint256) {
        return version.inTokens(op, 1000 ether - paymaster.balanceOf(WALLET));
    }
}

contract TokenStinginessV06Test is TokenStinginessTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
    }
}

contract TokenStinginessV07Test is TokenStinginessTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
    }
}

contract TokenStinginessV08Test is TokenStinginessTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
    }
}

contract TokenStinginessV09Test is TokenStinginessTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
    }
}
