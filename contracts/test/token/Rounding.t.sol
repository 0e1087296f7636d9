// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op, Outcome} from "../support/Op.sol";
import {HostileOnV06, HostileOnV07, HostileOnV08, HostileOnV09, HostileWorld} from "../support/tokens/HostileWorld.sol";
import {TestToken} from "../support/tokens/TestToken.sol";

/**
 * @notice What is taken and kept against the exact rational value, the paymaster seen from outside only. Where
 *         thousands of operations are needed, the EntryPoint's two calls are made without the EntryPoint around them.
 */
abstract contract RoundingTest is HostileWorld {
    struct Taken {
        /// @dev The sender's tokens, in validation and in all.
        uint256 pulled;
        uint256 charged;
        uint256 chargedWei;
    }

    function _equippedOp(uint8 decimals) internal returns (TestToken token_, Op memory op) {
        token_ = new TestToken(decimals);
        op = _hostileOp(ALLOWANCE, address(token_), decimals);
        _equip(op);
    }

    /// @dev Validation, and `postOp` with that cost: what the sender and the wallet lost.
    function _settle(Op memory op, uint256 costWei) internal returns (Taken memory taken) {
        TestToken token_ = TestToken(op.token);
        uint256 tokens = token_.balanceOf(op.sender);
        uint256 money = paymaster.balanceOf(WALLET);
        (bytes memory context, uint256 validationData) = version.validate(op);
        assertEq(uint160(validationData), 0, "accepted");
        taken.pulled = tokens - token_.balanceOf(op.sender);
        (bool ok, ) = version.callAsEntryPoint(version.postOpCall(context, costWei, op.maxFeePerGas));
        assertTrue(ok, "settled");
        taken.charged = tokens - token_.balanceOf(op.sender);
        taken.chargedWei = money - paymaster.balanceOf(WALLET);
    }

    /// @dev On the real EntryPoint, in each way.
    function test_everyDecimals_roundsUpByLessThanAUnit() public {
        for (uint8 decimals = 0; decimals <= 36; decimals++) {
            for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
                TestToken token_ = new TestToken(decimals);
                Op memory op = _hostileOp(way, address(token_), decimals);
                // A rate that divides nothing evenly.
                op.exchangeRate = uint192((2_999_999_999_999_999 * 10 ** decimals) / 1e12 + 1);
                _equip(op);
                op.callData = _plainCalls(op);
                Outcome memory outcome = version.send(_signed(op));
                string memory what = string.concat("decimals ", vm.toString(decimals));
                assertTrue(outcome.paid, what);
                uint256 charged = OWNED - token_.balanceOf(op.sender);
                assertEq(outcome.chargedTokens, charged, what);
                _assertRoundedUp(charged, op, outcome.chargedWei, what);
            }
        }
    }

    /// @dev charged - 1 < wei * premium * rate / 1e24 <= charged, in whole numbers.
    function _assertRoundedUp(uint256 charged, Op memory op, uint256 chargedWei, string memory what) internal pure {
        uint256 exact = chargedWei * op.premium * op.exchangeRate;
        assertTrue(charged * 1e24 >= exact, string.concat(what, ": not below"));
        assertTrue(charged * 1e24 < exact + 1e24, string.concat(what, ": by less than a unit"));
    }

    function testFuzz_anyRateAndCost_equalsTheModel(
        uint256 rate,
        uint256 premium,
        uint256 costWei,
        uint256 fee,
        uint256 markup
    ) public {
        (, Op memory op) = _equippedOp(18);
        // From a token of no decimals worth a thousand ethers to one of 36 worth next to nothing.
        op.exchangeRate = uint192(bound(rate, 1, 1 << bound(rate >> 192, 0, 160)));
        op.premium = uint32(bound(premium, 1_000_000, 2_000_000));
        op.maxFeePerGas = bound(fee, 0, 1000 gwei);
        op.maxPriorityFeePerGas = op.maxFeePerGas;
        op.feeMarkup = uint32(bound(markup, 1_000_000, 2_000_000));
        op = _signed(op);
        // Also above the prefund, which no EntryPoint tells: the precharge is the end of it.
        uint256 precharge = version.prechargeWei(op);
        costWei = bound(costWei, 0, 2 * version.prefundWei(op));
        TestToken(op.token).mint(op.sender, version.inTokens(op, precharge));

        Taken memory taken = _settle(op, costWei);

        uint256 model = version.ceilMarkup(version.costWei(op, costWei, op.maxFeePerGas), op.feeMarkup);
        assertEq(taken.chargedWei, model < precharge ? model : precharge, "the wallet's charge");
        assertEq(taken.pulled, version.inTokens(op, precharge), "pulled");
        assertEq(taken.charged, version.inTokens(op, taken.chargedWei), "charged");
        assertEq(paymaster.tokenBalanceOf(op.token, RECEIVER), taken.charged, "booked");
    }
}

contract RoundingV06Test is RoundingTest, HostileOnV06 {
    function _prepare() internal override(HostileWorld, HostileOnV06) {
        HostileOnV06._prepare();
    }
}

/// @notice The arithmetic of tokens is one for all versions: sums over many operations are taken on one of them.
contract RoundingV07Test is RoundingTest, HostileOnV07 {
    function _prepare() internal override(HostileWorld, HostileOnV07) {
        HostileOnV07._prepare();
    }

    /**
     * @dev Ten thousand operations of parts of a unit up to a few: rounding never pays the sender, in no single one and
     *      not in their sum. Nonce and signature repeat, which the paymaster leaves to the EntryPoint to refuse.
     */
    function test_dust_neverAddsUpForTheSender() public {
        (, Op memory op) = _equippedOp(2);
        op.feeMarkup = 1_000_000;
        // A price at which an operation costs parts of a hundredth of the token.
        op.maxFeePerGas = 3e6;
        op.maxPriorityFeePerGas = op.maxFeePerGas;
        op = _signed(op);
        uint256 prefund = version.prefundWei(op);
        uint256 sumCharged;
        uint256 sumExact;
        uint256 parts;
        for (uint256 i = 0; i < 10_000; i++) {
            Taken memory taken = _settle(op, uint256(keccak256(abi.encode(i))) % prefund);
            uint256 exact = taken.chargedWei * op.premium * op.exchangeRate;
            _assertRoundedUp(taken.charged, op, taken.chargedWei, "dust");
            sumCharged += taken.charged;
            sumExact += exact;
            if (exact < 1e24) parts += 1;
        }
        assertTrue(parts > 1_000, "many cost less than a unit");
        assertTrue(parts < 9_000, "and many more");
        assertTrue(sumCharged * 1e24 >= sumExact, "the sum");
        assertEq(paymaster.tokenBalanceOf(op.token, RECEIVER), sumCharged, "all of it booked");
        _assertCovered(op.token, "dust");
    }
}

contract RoundingV08Test is RoundingTest, HostileOnV08 {
    function _prepare() internal override(HostileWorld, HostileOnV08) {
        HostileOnV08._prepare();
    }
}

contract RoundingV09Test is RoundingTest, HostileOnV09 {
    function _prepare() internal override(HostileWorld, HostileOnV09) {
        HostileOnV09._prepare();
    }
}
