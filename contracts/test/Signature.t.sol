// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IRefusals} from "../src/interfaces/IRefusals.sol";
import {Op, Outcome} from "./support/Op.sol";
import {Refused} from "./support/Refused.sol";
import {TestAccount} from "./support/TestAccount.sol";
import {Version} from "./support/Version.sol";
import {OnV06, OnV07, OnV08, OnV09, World} from "./support/World.sol";

/// @notice What a signature covers, and how everything else is refused.
abstract contract SignatureTest is World {
    uint256 private constant CURVE_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    // --- every byte counts

    function test_anyFlippedByte_isNotAccepted() public {
        Op memory op = _full();
        bytes memory packed = version.pack(op);
        assertTrue(_accepts(packed, op), "the untouched operation is accepted");
        (uint256 skipFrom, uint256 skipTo) = _paymasterAddressRange(packed, op);
        uint8[3] memory masks = [0x01, 0x80, 0xff];
        for (uint256 i = 0; i < packed.length; i++) {
            // The paymaster's own address picks the callee; the next test flips it at the EntryPoint.
            if (i >= skipFrom && i < skipTo) continue;
            for (uint256 m = 0; m < 3; m++) {
                packed[i] ^= bytes1(masks[m]);
                if (_accepts(packed, op)) revert NotEqual("accepted with a flipped byte at", i, masks[m]);
                packed[i] ^= bytes1(masks[m]);
            }
        }
    }

    function testFuzz_anyFlippedByte_isNotAccepted(uint256 index, uint8 mask) public {
        vm.assume(mask != 0);
        Op memory op = _full();
        bytes memory packed = version.pack(op);
        index = bound(index, 0, packed.length - 1);
        (uint256 skipFrom, uint256 skipTo) = _paymasterAddressRange(packed, op);
        vm.assume(index < skipFrom || index >= skipTo);
        packed[index] ^= bytes1(mask);
        assertTrue(!_accepts(packed, op), "flipped byte");
    }

    function test_flippedPaymasterAddress_isRefusedByTheEntryPoint() public {
        Op memory op = _signed(_op());
        bytes memory call_ = version.handleOpsCall(_bundle(op));
        bytes20 paymasterAddress = bytes20(address(paymaster));
        uint256 at = _find(call_, paymasterAddress);
        (address entryPoint, address bundler) = (address(version.entryPoint()), version.BUNDLER());
        for (uint256 i = 0; i < 20; i++) {
            call_[at + i] ^= 0x01;
            vm.prank(bundler, bundler);
            (bool ok, ) = entryPoint.call(call_);
            assertTrue(!ok, "flipped paymaster address");
            call_[at + i] ^= 0x01;
        }
        vm.prank(bundler, bundler);
        (bool untouched, ) = entryPoint.call(call_);
        assertTrue(untouched, "the untouched bundle lands");
    }

    // --- wrong signer and malformed signatures

    function test_stubSignature_runsTheWholePathAndSetsSigFailed() public {
        Op memory op = _op();
        op.validUntil = 0x7fffffffffff;
        op.validAfter = 0x000065555555;
        Op memory good = _signed(op);
        uint256 state = vm.snapshotState();
        (bytes memory goodContext, uint256 goodData) = version.validate(good);
        uint256 goodBalance = paymaster.balanceOf(WALLET);
        vm.revertToState(state);

        op.signature = STUB_SIGNATURE;
        (bytes memory stubContext, uint256 stubData) = version.validate(op);

        assertEq(goodData & 1, 0, "the good branch is accepted");
        assertEq(stubData, goodData | 1, "only SIG_FAILED differs");
        assertEq(paymaster.balanceOf(WALLET), goodBalance, "same debit");
        assertEq(stubContext.length, goodContext.length, "same context length");
        (bool ok, ) = version.callAsEntryPoint(version.postOpCall(stubContext, 1e12, 1 gwei));
        assertTrue(ok, "its context settles");
    }

    function test_stubSignature_isRefusedByTheEntryPoint() public {
        Op memory op = _op();
        op.signature = STUB_SIGNATURE;
        try version.send(op) {
            revert NotTrue("AA34 signature error");
        } catch (bytes memory reason) {
            assertTrue(Refused.contains(reason, "AA34 signature error"), "AA34");
        }
        assertEq(paymaster.balanceOf(WALLET), 1000 ether, "nothing is debited");
    }

    function test_otherSigner_isNotAccepted() public {
        assertTrue(!version.isAccepted(version.sign(_op(), OTHER_KEY)), "other key");
    }

    function test_highS_isRefused() public {
        Op memory op = _signed(_op());
        (bytes32 r, bytes32 s, uint8 v) = _split(op.signature);
        op.signature = abi.encodePacked(r, bytes32(CURVE_ORDER - uint256(s)), v == 27 ? uint8(28) : uint8(27));
        Refused.byValidation(version, op, IRefusals.MalformedSignature.selector, "PM malformed signature");
    }

    function test_everyOtherV_isRefused() public {
        Op memory op = _signed(_op());
        (bytes32 r, bytes32 s, ) = _split(op.signature);
        for (uint256 v = 0; v < 256; v++) {
            if (v == 27 || v == 28) continue;
            op.signature = abi.encodePacked(r, s, uint8(v));
            Refused.byValidation(version, op, IRefusals.MalformedSignature.selector, "PM malformed signature");
        }
    }

    function test_zeroSignature_isRefused() public {
        Op memory op = _op();
        op.signature = new bytes(65);
        Refused.byValidation(version, op, IRefusals.MalformedSignature.selector, "PM malformed signature");
        op.signature = new bytes(64);
        Refused.byValidation(version, op, IRefusals.MalformedSignature.selector, "PM malformed signature");
    }

    /// @dev EIP-2098: `v` is the highest bit of `s`. Keys whose signatures have either.
    function test_shortSignature_landsWithItsOwnParityOnly() public {
        uint256[2] memory seen;
        for (uint256 i = 0; seen[0] * seen[1] == 0; i++) {
            Op memory op = _op();
            op.validUntil += uint48(i);
            op = _signed(op);
            (bytes32 r, bytes32 s, uint8 v) = _split(op.signature);
            bytes32 parity = bytes32(uint256(v - 27) << 255);
            op.signature = abi.encodePacked(r, s | (parity ^ bytes32(uint256(1) << 255)));
            assertTrue(!version.isAccepted(op), "the other parity");
            op.signature = abi.encodePacked(r, s | parity);
            assertTrue(version.isAccepted(op), "its own");
            if (seen[v - 27]++ == 0) {
                uint256 state = vm.snapshotState();
                assertTrue(version.send(op).settled, "settles");
                vm.revertToState(state);
            }
        }
    }

    // --- replay

    function test_landedOperation_cannotLandAgain() public {
        Op memory op = _signed(_op());
        version.send(op);
        uint256 balance = paymaster.balanceOf(WALLET);
        Refused.byBundle(version, op, "AA25");
        op.nonce += 1;
        Refused.byBundle(version, op, "AA34");
        op.nonce = 7 << 64;
        Refused.byBundle(version, op, "AA34");
        assertEq(paymaster.balanceOf(WALLET), balance, "nothing is debited");
    }

    // --- lengths and modes

    function test_everyLengthAndMode_onlyTheExactOneIsAccepted() public {
        Op memory op = _signed(_op());
        // As token mode, the first byte of the signature stands where the way does, and shall be none of the three.
        while (uint8(op.signature[0]) % 16 >= 1 && uint8(op.signature[0]) % 16 <= 3) {
            op.nonce += 1;
            op = _signed(op);
        }
        bytes memory whole = version.paymasterAndData(op);
        uint256 prefix = version.prefixOf(op).length;
        uint256 exact = prefix + 106;
        assertEq(whole.length, exact, "exact length");
        bytes memory packed = version.pack(op);
        bytes memory fixedPart = version.slice(packed, 0, packed.length - whole.length);

        for (uint256 length = 0; length <= 600; length++) {
            uint256 modes = length > prefix ? 256 : 1;
            for (uint256 mode = 0; mode < modes; mode++) {
                // All modes where the length could pass, a few elsewhere: 153,000 calls say no more than 8,000.
                if (mode > 3 && mode != 255 && length != exact && length != prefix + 1) continue;
                _assertForm(bytes.concat(fixedPart, _resized(whole, length, prefix, uint8(mode))), op, length, mode);
            }
        }
    }

    function _resized(
        bytes memory whole,
        uint256 length,
        uint256 prefix,
        uint8 mode
    ) private view returns (bytes memory data) {
        data = version.resized(whole, length);
        if (length > prefix) data[prefix] = bytes1(mode);
    }

    function _assertForm(bytes memory packed, Op memory op, uint256 length, uint256 mode) private forgetsMemory {
        uint256 prefix = version.prefixOf(op).length;
        (bool ok, bytes memory result) = version.callAsEntryPoint(version.validateCallOf(packed, op, 1));
        // With a signature of 65 bytes, or of 64.
        if ((length == prefix + 106 || length == prefix + 105) && mode == 1) {
            assertTrue(ok, "the exact form is accepted");
        } else {
            assertTrue(!ok, "every other form reverts");
            Refused.hasReason(version, result, _expectedLengthRefusal(length, mode, prefix), _expectedString(length, mode, prefix));
        }
    }

    function test_modeOutsideTheDigest_isNotPossible() public {
        // Signed as token mode and sent as sponsorship: the mode is part of the digest.
        Op memory op = _op();
        op.mode = 2;
        op = _signed(op);
        op.mode = 1;
        assertTrue(!version.isAccepted(op), "cross-mode");
    }

    // --- ranges

    function test_validityWindow_boundaries() public {
        Op memory op = _op();
        op.validUntil = 0;
        op.validAfter = 0;
        Refused.byValidation(version, _signed(op), IRefusals.InvalidValidityWindow.selector, "PM validity window");
        op.validUntil = 1 << 47;
        Refused.byValidation(version, _signed(op), IRefusals.InvalidValidityWindow.selector, "PM validity window");
        op.validUntil = 100;
        op.validAfter = 100;
        Refused.byValidation(version, _signed(op), IRefusals.InvalidValidityWindow.selector, "PM validity window");
        op.validAfter = 99;
        assertTrue(version.isAccepted(_signed(op)), "the paymaster asks no clock");
        op.validUntil = (1 << 47) - 1;
        op.validAfter = (1 << 47) - 2;
        assertTrue(version.isAccepted(_signed(op)), "the last second");
    }

    function test_expiredAndEarlySignatures_areRefusedByTheEntryPoint() public {
        Op memory op = _op();
        op.validUntil = uint48(block.timestamp - 1);
        op.validAfter = 1;
        Refused.byBundle(version, _signed(op), "AA32");
        op.validUntil = uint48(block.timestamp + 2);
        op.validAfter = uint48(block.timestamp + 1);
        Refused.byBundle(version, _signed(op), "AA32");
    }

    function test_zeroFundingWallet_isRefused() public {
        Op memory op = _op();
        op.fundingWallet = address(0);
        Refused.byValidation(version, _signed(op), IRefusals.ZeroFundingWallet.selector, "PM zero funding wallet");
    }

    function test_feeMarkup_boundaries() public {
        Op memory op = _op();
        op.feeMarkup = 999_999;
        Refused.byValidation(version, _signed(op), IRefusals.FeeMarkupOutOfRange.selector, "PM fee markup");
        op.feeMarkup = 2_000_001;
        Refused.byValidation(version, _signed(op), IRefusals.FeeMarkupOutOfRange.selector, "PM fee markup");
        op.feeMarkup = 1_000_000;
        assertTrue(version.isAccepted(_signed(op)), "no fee");
        op.feeMarkup = 2_000_000;
        assertTrue(version.isAccepted(_signed(op)), "greatest fee");
    }

    function test_unaccountedGas_belowTheFloorIsRefused() public {
        Op memory op = _op();
        op.unaccountedGas = uint32(version.minUnaccountedGas() - 1);
        Refused.byValidation(version, _signed(op), IRefusals.UnaccountedGasTooLow.selector, "PM unaccounted gas low");
        op.unaccountedGas = uint32(version.minUnaccountedGas());
        assertTrue(version.isAccepted(_signed(op)), "the floor itself");
    }

    function test_poorWallet_isRefused() public {
        Op memory op = _op();
        op.fundingWallet = WALLET_2;
        op = _signed(op);
        uint256 precharge = version.prechargeWei(op);
        paymaster.depositFor{value: precharge - 1}(WALLET_2);
        Refused.byValidation(version, op, IRefusals.FundingBalanceTooLow.selector, "PM funding balance low");
        paymaster.depositFor{value: 1}(WALLET_2);
        assertTrue(version.isAccepted(op), "exactly the precharge");
        assertEq(paymaster.balanceOf(WALLET_2), 0, "all of it is taken");
    }

    /// @dev Two operations of one wallet can't count on the same ether.
    function test_twoOperationsThatExceedTheBalanceTogether_areRefusedAsABundle() public {
        TestAccount second = new TestAccount();
        Op[] memory ops = new Op[](2);
        for (uint256 i = 0; i < 2; i++) {
            ops[i] = _op();
            if (i == 1) ops[i].sender = address(second);
            ops[i].fundingWallet = WALLET_2;
            ops[i] = _signed(ops[i]);
        }
        paymaster.depositFor{value: version.prechargeWei(ops[0]) + version.prechargeWei(ops[1]) - 1}(WALLET_2);
        try version.sendBundle(ops) {
            revert NotTrue("the second operation is refused");
        } catch (bytes memory reason) {
            assertTrue(Refused.contains(reason, "AA33"), "AA33");
        }
        paymaster.depositFor{value: 1}(WALLET_2);
        Outcome[] memory outcomes = version.sendBundle(ops);
        assertTrue(outcomes[0].success && outcomes[1].success, "both land when both are covered");
    }

    // --- helpers

    /// @dev An operation with every field filled.
    function _full() private view returns (Op memory op) {
        op = _op();
        op.nonce = (uint256(0xabcdef) << 64) | 5;
        op.initCode = hex"00112233445566778899aabbccddeeff00112233445566778899";
        op.callData = hex"deadbeef0102030405060708090a0b0c0d0e0f";
        op = _signed(op);
    }

    function _accepts(bytes memory packed, Op memory op) private forgetsMemory returns (bool) {
        (bool ok, bytes memory result) = version.callAsEntryPoint(
            version.validateCallOf(packed, op, version.prefundWei(op))
        );
        if (!ok) return false;
        (, uint256 validationData) = abi.decode(result, (bytes, uint256));
        return uint160(validationData) == 0;
    }

    function _paymasterAddressRange(bytes memory packed, Op memory op) private view returns (uint256, uint256) {
        uint256 start = packed.length - version.paymasterAndData(op).length;
        return (start, start + 20);
    }

    function _bundle(Op memory op) private pure returns (Op[] memory ops) {
        ops = new Op[](1);
        ops[0] = op;
    }

    function _expectedLengthRefusal(uint256 length, uint256 mode, uint256 prefix) private pure returns (bytes4) {
        if (length <= prefix) return IRefusals.InvalidPaymasterAndDataLength.selector;
        // As token mode, the first byte of the signature stands where the way does.
        if (mode == 2 && length >= prefix + 106) return IRefusals.UnknownChargingWay.selector;
        if (mode != 1 && mode != 2) return IRefusals.UnknownMode.selector;
        return IRefusals.InvalidPaymasterAndDataLength.selector;
    }

    function _expectedString(uint256 length, uint256 mode, uint256 prefix) private pure returns (string memory) {
        if (length <= prefix) return "PM data length";
        if (mode == 2 && length >= prefix + 106) return "PM unknown charging way";
        if (mode != 1 && mode != 2) return "PM unknown mode";
        return "PM data length";
    }

    function _split(bytes memory signature) private pure returns (bytes32 r, bytes32 s, uint8 v) {
        assembly {
            r := mload(add(signature, 32))
            s := mload(add(signature, 64))
            v := byte(0, mload(add(signature, 96)))
        }
    }

    function _find(bytes memory data, bytes20 needle) private pure returns (uint256) {
        for (uint256 i = 0; i + 20 <= data.length; i++) {
            bytes20 found;
            assembly {
                found := mload(add(add(data, 32), i))
            }
            if (found == needle) return i;
        }
        revert NotTrue("found");
    }
}

contract SignatureV06Test is SignatureTest, OnV06 {
    function test_verificationGasBelowTheFloor_isRefused() public {
        Op memory op = _op();
        op.verificationGasLimit = 23_949;
        Refused.byValidation(version, _signed(op), 0, "PM verification gas low");
        op.verificationGasLimit = 23_950;
        assertTrue(version.isAccepted(_signed(op)), "the floor itself");
    }
}

/// @notice Versions with a limit of their own for `postOp`, and named refusals.
abstract contract PackedSignatureTest is SignatureTest {
    function test_postOpGasBelowTheFloor_isRefused() public {
        Op memory op = _op();
        op.paymasterPostOpGasLimit = 21_099;
        Refused.byValidation(version, _signed(op), IRefusals.PostOpGasLimitTooLow.selector, "postOp gas");
        op.paymasterPostOpGasLimit = 21_100;
        assertTrue(version.isAccepted(_signed(op)), "the floor itself");
    }

    function test_refusals_tellTheirNumbersInOrder() public {
        Op memory op = _op();
        op.fundingWallet = WALLET_2;
        op = _signed(op);
        uint256 precharge = version.prechargeWei(op);
        vm.expectRevert(abi.encodeWithSelector(IRefusals.FundingBalanceTooLow.selector, 0, precharge));
        version.validate(op);

        uint256 length = version.paymasterAndData(op).length;
        op.signature = bytes.concat(op.signature, hex"0000");
        vm.expectRevert(
            abi.encodeWithSelector(IRefusals.InvalidPaymasterAndDataLength.selector, length + 2, length)
        );
        version.validate(op);
    }
}

contract SignatureV07Test is PackedSignatureTest, OnV07 {}

contract SignatureV08Test is PackedSignatureTest, OnV08 {}

contract SignatureV09Test is PackedSignatureTest, OnV09 {}
