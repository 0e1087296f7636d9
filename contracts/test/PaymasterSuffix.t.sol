// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {PackedUserOperation} from "@account-abstraction/contracts-v07/interfaces/PackedUserOperation.sol";
import {IPackedHybridPaymaster} from "../src/interfaces/IPackedHybridPaymaster.sol";
import {IRefusals} from "../src/interfaces/IRefusals.sol";
import {Op, Outcome} from "./support/Op.sol";
import {Refused} from "./support/Refused.sol";
import {TestAccount, TestAccountFactory} from "./support/TestAccount.sol";
import {TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";
import {VersionPacked} from "./support/VersionPacked.sol";
import {Vm} from "./support/Vm.sol";

/// @notice The suffix by which EntryPoint v0.9 leaves the paymaster's signature out of `userOpHash`.
contract PaymasterSuffixTest is TokenOnV09 {
    bytes8 private constant MAGIC = 0x22e325a297439656;

    /// @dev Sponsored where `way` is 0, else paid in a token; no allowance is left of the way before.
    function _opOf(uint8 way) private returns (Op memory) {
        vm.prank(address(tokenAccount));
        token.approve(address(paymaster), 0);
        return _signed(way == 0 ? _op() : _payableOp(way));
    }

    function _suffixed(Op memory op) private view returns (Op memory) {
        return VersionPacked(address(version)).suffixed(op);
    }

    function _copy(Op memory op) private pure returns (Op memory) {
        return abi.decode(abi.encode(op), (Op));
    }

    function test_signature_countsWithTheSuffixAndWithout() public {
        for (uint8 way = 0; way <= BATCH_APPROVAL; way++) {
            Op memory plain = _opOf(way);
            Op memory suffixed = _suffixed(_copy(plain));
            assertEq(version.getDigest(suffixed), version.getDigest(plain), "digest");
            assertEq(version.getDigest(suffixed), version.digest(plain), "digest of the model");

            uint256 state = vm.snapshotState();
            Outcome memory without = version.send(plain);
            vm.revertToState(state);
            Outcome memory with = version.send(suffixed);
            assertTrue(without.success && with.success, "both land");
            assertEq(with.chargedTokens == 0 ? 0 : 1, way == 0 ? 0 : 1, "token mode is paid");
            assertGe(with.chargedWei, with.takenWei, "what the EntryPoint took is billed");
            vm.revertToState(state);
        }
    }

    /// @dev The account signs `userOpHash`, so it can sign before the paymaster has.
    function test_userOpHash_dependsOnTheSignatureOnlyWithoutTheSuffix() public {
        for (uint8 way = 0; way <= BATCH_APPROVAL; way++) {
            Op memory plain = _opOf(way);
            Op memory later = _copy(plain);
            later.signature = STUB_SIGNATURE;
            assertTrue(version.userOpHash(plain) != version.userOpHash(later), "without the suffix");
            assertEq(version.userOpHash(_suffixed(plain)), version.userOpHash(_suffixed(later)), "with it");
        }
    }

    function test_anyFlippedByte_isNotAccepted() public {
        uint8[3] memory masks = [0x01, 0x80, 0xff];
        for (uint8 way = 0; way <= BATCH_APPROVAL; way++) {
            Op memory op = _suffixed(_opOf(way));
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

    /// @dev The account's signature stays good, so nothing but the paymaster stands in the way.
    function test_flippedByteOfTheSignatureOrTheSuffix_isRefusedByTheEntryPoint() public {
        Op memory op = _suffixed(_opOf(0));
        for (uint256 i = 0; i < op.signature.length; i++) {
            op.signature[i] ^= 0x01;
            Outcome memory none;
            try version.send(op) returns (Outcome memory outcome) {
                none = outcome;
            } catch {}
            if (none.userOpHash != 0) revert NotEqual("landed with a flipped byte at", i, 0);
            op.signature[i] ^= 0x01;
        }
        Op memory stub = _copy(op);
        stub.signature = STUB_SIGNATURE;
        Refused.byBundle(version, _suffixed(stub), "AA34 signature error");
        assertEq(paymaster.balanceOf(WALLET), 1000 ether, "nothing is debited");
        assertTrue(version.send(op).success, "untouched, it lands");
    }

    function test_everyOtherSignatureLength_isRefused() public {
        for (uint8 way = 0; way <= BATCH_APPROVAL; way++) {
            Op memory op = _opOf(way);
            bytes memory signature = op.signature;
            for (uint256 length = 0; length <= 140; length++) {
                bytes memory resized = new bytes(length);
                for (uint256 i = 0; i < length; i++) resized[i] = i < 65 ? signature[i] : bytes1(0x1b);
                // As long as it says, and as long as the good one.
                op.signature = abi.encodePacked(resized, uint16(length), MAGIC);
                if (version.isAccepted(op) != (length == 65)) revert NotEqual("signature of", length, way);
                op.signature = abi.encodePacked(signature, uint16(length), MAGIC);
                if (version.isAccepted(op) != (length == 65)) revert NotEqual("65 bytes said to be", length, way);
                op.signature = abi.encodePacked(resized, uint16(65), MAGIC);
                if (version.isAccepted(op) != (length == 65)) revert NotEqual("said to be 65 bytes, of", length, way);
            }
        }
    }

    function test_missingSignatureAndTwoSuffixes_areRefused() public {
        Op memory op = _opOf(0);
        bytes memory signature = op.signature;
        bytes[5] memory forms = [
            bytes(""),
            abi.encodePacked(MAGIC),
            abi.encodePacked(uint16(0), MAGIC),
            abi.encodePacked(signature, MAGIC),
            abi.encodePacked(signature, uint16(65), MAGIC, uint16(65), MAGIC)
        ];
        for (uint256 i = 0; i < forms.length; i++) {
            op.signature = forms[i];
            Refused.byValidation(version, op, IRefusals.InvalidPaymasterAndDataLength.selector, "length");
        }
        // A signature of 65 bytes whose end is a suffix is read as such by nobody.
        op.signature = version.slice(abi.encodePacked(signature, uint16(65), MAGIC), 10, 65);
        Refused.byValidation(version, op, IRefusals.InvalidPaymasterAndDataLength.selector, "length");
    }

    function test_digestOfDataShorterThanTheSuffix_isRefusedByName() public {
        PackedUserOperation memory op = VersionPacked(address(version)).toUserOperation(_op());
        for (uint256 length = 0; length < 10; length++) {
            op.paymasterAndData = new bytes(length);
            vm.expectRevert(
                abi.encodeWithSelector(
                    IRefusals.InvalidPaymasterAndDataLength.selector,
                    length,
                    uint256(52 + 41 + 65)
                )
            );
            IPackedHybridPaymaster(address(paymaster)).getDigest(op);
        }
    }

    /// @dev EntryPoint v0.9 skips the factory where the sender has code; earlier ones refuse (AA10).
    function test_initCodeOfAnExistingAccount_isIgnoredAndBilled() public {
        Op memory op = _op();
        op.initCode = abi.encodePacked(new TestAccountFactory(), abi.encodeCall(TestAccountFactory.create, (0)));
        op = _suffixed(_signed(op));
        vm.recordLogs();
        Op[] memory ops = new Op[](1);
        ops[0] = op;
        uint256 before = version.depositWei();
        version.sendWithGas(ops, 50_000_000);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        bool ignored;
        for (uint256 i = 0; i < logs.length; i++) {
            ignored = ignored || logs[i].topics[0] == keccak256("IgnoredInitCode(bytes32,address,address)");
        }
        assertTrue(ignored, "the factory is not asked");
        assertGe(1000 ether - paymaster.balanceOf(WALLET), before - version.depositWei(), "the wallet pays for it");
        _assertSolvent();
        op.nonce++;
        op.initCode = "";
        assertTrue(!version.isAccepted(op), "signed with its initCode only");
    }

    function _accepts(bytes memory packed, Op memory op) private forgetsMemory returns (bool accepted) {
        uint256 state = vm.snapshotState();
        (bool ok, bytes memory result) = version.callAsEntryPoint(
            version.validateCallOf(packed, op, version.prefundWei(op))
        );
        if (ok) {
            (, uint256 validationData) = abi.decode(result, (bytes, uint256));
            accepted = uint160(validationData) == 0;
        }
        vm.revertToStateAndDelete(state);
    }
}

/// @notice EntryPoints that know no suffix hash it with the rest, so it is refused there.
abstract contract NoPaymasterSuffixTest is TokenWorld {
    function test_suffix_isRefused() public {
        for (uint8 way = 0; way <= BATCH_APPROVAL; way++) {
            Op memory op = _signed(way == 0 ? _op() : _payableOp(way));
            assertTrue(version.isAccepted(_signed(op)), "without the suffix");
            op.signature = abi.encodePacked(op.signature, uint16(65), bytes8(0x22e325a297439656));
            Refused.byValidation(version, op, IRefusals.InvalidPaymasterAndDataLength.selector, "length");
        }
    }

    function test_initCodeOfAnExistingAccount_isRefusedByTheEntryPoint() public {
        Op memory op = _op();
        op.initCode = abi.encodePacked(new TestAccountFactory(), abi.encodeCall(TestAccountFactory.create, (0)));
        Refused.byBundle(version, _signed(op), "AA10");
    }
}

contract NoPaymasterSuffixV07Test is NoPaymasterSuffixTest, TokenOnV07 {
    function _prepare() internal override(TokenOnV07, TokenWorld) {
        TokenOnV07._prepare();
    }
}

contract NoPaymasterSuffixV08Test is NoPaymasterSuffixTest, TokenOnV08 {
    function _prepare() internal override(TokenOnV08, TokenWorld) {
        TokenOnV08._prepare();
    }
}
