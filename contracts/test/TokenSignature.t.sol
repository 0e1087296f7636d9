// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IRefusals} from "../src/interfaces/IRefusals.sol";
import {Op} from "./support/Op.sol";
import {Refused} from "./support/Refused.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";
import {Quirk, WeirdToken} from "./support/tokens/WeirdToken.sol";

/// @notice What a signature of token mode covers, and how everything else is refused.
abstract contract TokenSignatureTest is TokenWorld {
    // --- every byte counts (threat 3)

    function test_anyFlippedByte_isNotAccepted() public {
        uint8[3] memory masks = [0x01, 0x80, 0xff];
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _full(way);
            bytes memory packed = version.pack(op);
            assertTrue(_accepts(packed, op), "the untouched operation is accepted");
            uint256 paymasterAt = packed.length - version.paymasterAndData(op).length;
            for (uint256 i = 0; i < packed.length; i++) {
                // The paymaster's own address picks the callee.
                if (i >= paymasterAt && i < paymasterAt + 20) continue;
                // Each way has the byte at about the same place, so all of them together try all masks.
                uint8 mask = masks[(i + way) % 3];
                packed[i] ^= bytes1(mask);
                if (_accepts(packed, op)) revert NotEqual("accepted with a flipped byte at", i, mask);
                packed[i] ^= bytes1(mask);
            }
        }
    }

    function testFuzz_anyFlippedByte_isNotAccepted(uint256 index, uint8 mask, uint8 way) public {
        vm.assume(mask != 0);
        Op memory op = _full(1 + (way % 3));
        bytes memory packed = version.pack(op);
        index = bound(index, 0, packed.length - 1);
        uint256 paymasterAt = packed.length - version.paymasterAndData(op).length;
        vm.assume(index < paymasterAt || index >= paymasterAt + 20);
        packed[index] ^= bytes1(mask);
        assertTrue(!_accepts(packed, op), "flipped byte");
    }

    // --- modes and ways (threats 17 and 20)

    function test_everyLengthModeAndWay_onlyTheExactOneIsAccepted() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _full(way);
            bytes memory whole = version.paymasterAndData(op);
            uint256 prefix = version.prefixOf(op).length;
            assertEq(whole.length, prefix + (way == PERMIT ? 328 : 199), "exact length");
            for (uint256 length = prefix; length <= 600; length++) {
                bool couldPass = length == prefix + 199 || length == prefix + 328;
                // All modes and ways where the length could pass, a few elsewhere.
                for (uint256 mode = 0; way == ALLOWANCE && mode < (couldPass ? 256 : 4); mode++) {
                    if (mode != 2) _assertForm(op, whole, length, uint8(mode), way);
                }
                for (uint256 sent = 0; sent < 256; sent++) {
                    if (couldPass || sent == 0 || sent == way) _assertForm(op, whole, length, 2, uint8(sent));
                }
            }
        }
    }

    function test_signatureOfOneMode_isNotOneOfTheOther() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _signed(_payableOp(way));
            op.mode = 1;
            assertTrue(!version.isAccepted(op), "token mode's as sponsorship's");
            op = _signed(op);
            op.mode = 2;
            assertTrue(!version.isAccepted(op), "sponsorship's as token mode's");
        }
    }

    function test_signatureOfOneWay_isNotOneOfAnother() public {
        Op memory op = _signed(_payableOp(ALLOWANCE));
        op.way = BATCH_APPROVAL;
        assertTrue(!version.isAccepted(op), "charged another way");
    }

    // --- ranges

    function test_zeroFields_areRefused() public {
        Op memory op = _payableOp(ALLOWANCE);
        op.token = address(0);
        Refused.byValidation(version, _signed(op), IRefusals.ZeroToken.selector, "PM zero token");
        op = _tokenOp(ALLOWANCE);
        op.exchangeRate = 0;
        Refused.byValidation(version, _signed(op), IRefusals.ZeroExchangeRate.selector, "PM zero exchange rate");
        op = _tokenOp(ALLOWANCE);
        op.feeReceiver = address(0);
        Refused.byValidation(version, _signed(op), IRefusals.ZeroFeeReceiver.selector, "PM zero fee receiver");
        op = _tokenOp(ALLOWANCE);
        op.maxTokenCharge = 0;
        Refused.byValidation(version, _signed(op), IRefusals.ZeroMaxTokenCharge.selector, "PM zero token charge");
    }

    function test_premium_boundaries() public {
        Op memory op = _payableOp(ALLOWANCE);
        op.premium = 999_999;
        Refused.byValidation(version, _signed(op), IRefusals.PremiumOutOfRange.selector, "PM premium");
        op.premium = 2_000_001;
        Refused.byValidation(version, _signed(op), IRefusals.PremiumOutOfRange.selector, "PM premium");
        op.premium = 1_000_000;
        assertTrue(version.isAccepted(_signed(op)), "none");
        op.premium = 2_000_000;
        assertTrue(version.isAccepted(_signed(op)), "the greatest");
    }

    function test_raisedBase_isTheFloorOfUnaccountedGas() public {
        // Of 12,952: as measured, a quarter more, twice, 4.75 times.
        uint256[4] memory floors = [uint256(12_952), 16_190, 25_904, 61_522];
        uint8[4] memory quarters = [0, 1, 4, 15];
        for (uint256 i = 0; i < 4; i++) {
            for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
                Op memory op = _payableOp(way);
                op.gasQuarters = quarters[i];
                _setTokenGas(op, 0);
                assertEq(op.unaccountedGas, floors[i], "floor");
                uint256 state = vm.snapshotState();
                assertTrue(version.isAccepted(_signed(op)), "the floor itself");
                vm.revertToState(state);
                op.unaccountedGas -= 1;
                (bytes4 selector, string memory text) = (
                    IRefusals.UnaccountedGasTooLow.selector,
                    "PM unaccounted gas low"
                );
                Refused.byValidation(version, _signed(op), selector, text);
            }
        }
    }

    function test_signatureOfOneRaise_isNotOneOfAnother() public {
        Op memory op = _payableOp(BATCH_APPROVAL);
        op.gasQuarters = 2;
        op = _signed(op);
        assertEq(version.getDigest(op), version.digest(op), "digest");
        for (uint8 quarters = 0; quarters < 16; quarters++) {
            op.gasQuarters = quarters;
            assertTrue(version.isAccepted(op) == (quarters == 2), "only the signed one");
        }
    }

    function test_gasBelowTheFloors_isRefused() public {
        Op memory op = _payableOp(BATCH_APPROVAL);
        _setTokenGas(op, 0);
        assertTrue(version.isAccepted(_signed(op)), "the floor of unaccounted gas");
        op.unaccountedGas -= 1;
        Refused.byValidation(
            version,
            _signed(op),
            IRefusals.UnaccountedGasTooLow.selector,
            "PM unaccounted gas low"
        );

        op.unaccountedGas = 320_000;
        uint256 least = paymaster.minTokenPostOpGas(320_000);
        assertEq(least, 330_000 + paymaster.TOKEN_POST_OP_MARGIN(), "least limit");
        (op.verificationGasLimit, op.paymasterPostOpGasLimit) = (least, least);
        assertTrue(version.isAccepted(_signed(op)), "the floor of the limit");
        (op.verificationGasLimit, op.paymasterPostOpGasLimit) = (least - 1, least - 1);
        Refused.byValidation(
            version,
            _signed(op),
            IRefusals.PostOpGasLimitTooLow.selector,
            "PM verification gas low"
        );
    }

    // --- the stub

    function test_stubSignature_runsTheWholePathAndSetsSigFailed() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _payableOp(way);
            op.validUntil = 0x7fffffffffff;
            op.validAfter = 0x000065555555;
            uint256 state = vm.snapshotState();
            (bytes memory goodContext, uint256 goodData) = version.validate(_signed(op));
            uint256 goodBalance = paymaster.balanceOf(WALLET);
            uint256 goodTokens = token.balanceOf(op.sender);
            vm.revertToState(state);

            op.signature = STUB_SIGNATURE;
            (bytes memory stubContext, uint256 stubData) = version.validate(op);

            assertEq(goodData & 1, 0, "the good branch is accepted");
            assertEq(stubData, goodData | 1, "only SIG_FAILED differs");
            assertEq(paymaster.balanceOf(WALLET), goodBalance, "same debit");
            assertEq(token.balanceOf(op.sender), goodTokens, "same pull");
            assertEq(stubContext.length, goodContext.length, "same context length");
            (bool ok, ) = version.callAsEntryPoint(version.postOpCall(stubContext, 1e12, 1 gwei));
            assertTrue(ok, "its context settles");
        }
    }

    function test_contextLength_isTheSameForEveryWay() public {
        (bytes memory first, ) = version.validate(_signed(_payableOp(ALLOWANCE)));
        (bytes memory second, ) = version.validate(_signed(_payableOp(PERMIT)));
        Op memory op = _payableOp(BATCH_APPROVAL);
        op.callData = new bytes(3_000);
        (bytes memory third, ) = version.validate(_signed(op));
        assertEq(first.length, second.length, "permit");
        assertEq(first.length, third.length, "batch approval");
        assertLe(first.length, 2_048, "LIM-020");
    }

    // --- the ceiling

    function test_aboveTheCeiling_isAA34AndTakesNoMore() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _payableOp(way);
            uint256 precharge = version.inTokens(op, version.prechargeWei(op));
            op.maxTokenCharge = uint192(precharge - 1);
            op = _signed(op);
            Refused.byBundle(version, op, "AA34 signature error");

            uint256 state = vm.snapshotState();
            (bytes memory context, uint256 validationData) = version.validate(op);
            assertEq(uint160(validationData), 1, "SIG_FAILED, not a revert");
            uint256 taken = TOKENS - token.balanceOf(op.sender);
            assertEq(taken, way == BATCH_APPROVAL ? 0 : precharge - 1, "no more than the ceiling");
            // As a bundler estimates it, at the greatest cost, whatever the price per gas turns out to be.
            vm.prank(op.sender);
            token.approve(address(paymaster), type(uint256).max);
            uint256 cost = version.prechargeWei(op);
            (bool ok, ) = version.callAsEntryPoint(version.postOpCall(context, cost, op.maxFeePerGas));
            assertTrue(ok, "settles");
            assertEq(token.balanceOf(op.sender), TOKENS - precharge + 1, "no more than the ceiling in the end");
            vm.revertToState(state);

            op.maxTokenCharge = uint192(precharge);
            assertTrue(version.isAccepted(_signed(op)), "exactly the ceiling");
            vm.revertToState(state);
        }
    }

    // --- tokens that don't pay

    function test_pullThatFails_isRefused() public {
        Op memory op = _tokenOp(ALLOWANCE);
        bytes4 selector = IRefusals.TokenTransferFailed.selector;
        Refused.byValidation(version, _signed(op), selector, "PM token transfer failed");
        op = _tokenOp(PERMIT);
        Refused.byValidation(version, _signed(op), selector, "PM token transfer failed");
        op = _tokenOp(ALLOWANCE);
        op.token = address(0xE0A);
        Refused.byValidation(version, _signed(op), selector, "PM token transfer failed");
    }

    function test_pullThatDoesNotArrive_isRefused() public {
        WeirdToken weird = new WeirdToken(18);
        weird.mint(address(tokenAccount), TOKENS);
        vm.prank(address(tokenAccount));
        weird.approve(address(paymaster), type(uint256).max);
        Op memory op = _tokenOp(ALLOWANCE);
        op.token = address(weird);
        assertTrue(version.isAccepted(_signed(op)), "a good token");
        Quirk[4] memory quirks = [Quirk.FeeOnTransfer, Quirk.Lies, Quirk.BalanceReverts, Quirk.BalanceLies];
        for (uint256 i = 0; i < quirks.length; i++) {
            weird.setQuirk(quirks[i]);
            bytes4 selector = IRefusals.TokenReceivedTooLittle.selector;
            Refused.byValidation(version, _signed(op), selector, "PM token received low");
        }
    }

    // --- helpers

    /// @dev A signed operation with every field filled, whose sender has allowed everything.
    function _full(uint8 way) private returns (Op memory op) {
        vm.prank(address(tokenAccount));
        IERC20(token).approve(address(paymaster), type(uint256).max);
        op = _tokenOp(way);
        op.nonce = (uint256(0xabcdef) << 64) | 5;
        op.initCode = hex"00112233445566778899aabbccddeeff00112233445566778899";
        op.callData = hex"deadbeef0102030405060708090a0b0c0d0e0f";
        if (way == PERMIT) op.permit = _permit(op.maxTokenCharge);
        op = _signed(op);
    }

    function _accepts(bytes memory packed, Op memory op) private forgetsMemory returns (bool accepted) {
        (bool ok, bytes memory result) = version.callAsEntryPoint(
            version.validateCallOf(packed, op, version.prefundWei(op))
        );
        if (!ok) return false;
        (, uint256 validationData) = abi.decode(result, (bytes, uint256));
        return uint160(validationData) == 0;
    }

    /// @dev The whole data cut or filled to a length, its mode and way replaced.
    function _resized(
        bytes memory whole,
        uint256 length,
        uint256 prefix,
        uint8 mode,
        uint8 way
    ) private view returns (bytes memory data) {
        data = version.resized(whole, length);
        if (length > prefix) data[prefix] = bytes1(mode);
        if (mode == 2 && length > prefix + 41) data[prefix + 41] = bytes1(way);
    }

    /// @dev The whole form is accepted, every wrong one is refused by name; a right form of another way or mode fails
    ///      by its signature.
    function _assertForm(
        Op memory op,
        bytes memory whole,
        uint256 length,
        uint8 mode,
        uint8 way
    ) private forgetsMemory {
        uint256 prefix = version.prefixOf(op).length;
        bytes memory packed = version.pack(op);
        bytes memory fixedPart = version.slice(packed, 0, packed.length - whole.length);
        packed = bytes.concat(fixedPart, _resized(whole, length, prefix, mode, way));
        if (length == whole.length && mode == 2 && way == op.way) {
            assertTrue(_accepts(packed, op), "the whole form");
        } else {
            (bool ok, bytes memory result) = version.callAsEntryPoint(version.validateCallOf(packed, op, 1));
            (bytes4 selector, string memory text) = _expected(length - prefix, mode, way);
            if (selector != 0) {
                assertTrue(!ok, "every other form reverts");
                Refused.hasReason(version, result, selector, text);
            } else if (ok) {
                (, uint256 validationData) = abi.decode(result, (bytes, uint256));
                // Without its `v` of 27 the whole form's signature is its own short form.
                bool isShort = length + 1 == whole.length && mode == 2 && way == op.way && uint8(op.signature[64]) == 27;
                assertEq(uint160(validationData), isShort ? 0 : 1, "another form's signature");
            }
        }
    }

    function _expected(uint256 length, uint8 mode, uint8 way) private pure returns (bytes4, string memory) {
        if (length > 0 && mode != 1 && mode != 2) return (IRefusals.UnknownMode.selector, "PM unknown mode");
        // The high half of the byte raises the gas constants.
        way %= 16;
        if (length >= 106 && mode == 2 && (way < ALLOWANCE || way > BATCH_APPROVAL)) {
            return (IRefusals.UnknownChargingWay.selector, "PM unknown charging way");
        }
        uint256 form = mode == 1 ? 106 : way == PERMIT ? 328 : 199;
        // With a signature of 65 bytes, or of 64.
        if (length == form || length == form - 1) return (0, "");
        return (IRefusals.InvalidPaymasterAndDataLength.selector, "PM data length");
    }
}

contract TokenSignatureV06Test is TokenSignatureTest, TokenOnV06 {
    function _prepare() internal override(TokenWorld, TokenOnV06) {
        TokenOnV06._prepare();
    }
}

contract TokenSignatureV07Test is TokenSignatureTest, TokenOnV07 {
    function _prepare() internal override(TokenWorld, TokenOnV07) {
        TokenOnV07._prepare();
    }
}

contract TokenSignatureV08Test is TokenSignatureTest, TokenOnV08 {
    function _prepare() internal override(TokenWorld, TokenOnV08) {
        TokenOnV08._prepare();
    }
}

contract TokenSignatureV09Test is TokenSignatureTest, TokenOnV09 {
    function _prepare() internal override(TokenWorld, TokenOnV09) {
        TokenOnV09._prepare();
    }
}
