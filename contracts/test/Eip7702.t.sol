// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {HybridPaymasterV08} from "../src/HybridPaymasterV08.sol";
import {Op} from "./support/Op.sol";
import {OnV08, World} from "./support/World.sol";

/// @notice EntryPoint v0.8 lets `initCode` name an EIP-7702 account; the digest then covers its delegate.
contract Eip7702Test is World, OnV08 {
    address private constant DELEGATED = address(0x7702ACC);

    function test_otherDelegate_breaksTheSignature() public {
        bytes[3] memory markers = [bytes(hex"7702"), abi.encodePacked(bytes20(bytes2(0x7702))), abi.encodePacked(bytes20(bytes2(0x7702)), hex"c0ffee")];
        for (uint256 i = 0; i < markers.length; i++) {
            _delegateTo(address(0xA));
            Op memory op = _marked(markers[i]);
            assertEq(version.getDigest(op), version.digest(op), "digest");
            assertTrue(version.isAccepted(op), "its delegate");
            bytes32 hash = version.userOpHash(op);
            _delegateTo(address(0xB));
            assertTrue(!version.isAccepted(op), "another delegate");
            assertTrue(version.userOpHash(op) != hash, "the EntryPoint sees it the same way");
        }
    }

    function test_tailAfterTheMarker_isSigned() public {
        _delegateTo(address(0xA));
        Op memory op = _marked(abi.encodePacked(bytes20(bytes2(0x7702)), hex"c0ffee"));
        op.initCode[22] = 0xef;
        assertTrue(!version.isAccepted(op), "another tail");
    }

    function test_factoryThatOnlyStartsLikeTheMarker_isHashedAsItIs() public {
        _delegateTo(address(0xA));
        Op memory op = _marked(abi.encodePacked(bytes20(0x7702AA0000000000000000000000000000000000), hex"c0ffee"));
        assertTrue(version.isAccepted(op), "accepted");
        _delegateTo(address(0xB));
        assertTrue(version.isAccepted(op), "the delegate plays no part");
        Op memory one = _marked(hex"77");
        assertTrue(version.isAccepted(one), "one byte is no marker");
    }

    function test_senderWithoutDelegate_isRefused() public {
        Op memory op = _op();
        op.initCode = hex"7702";
        op.signature = STUB_SIGNATURE;
        (bool ok, bytes memory reason) = version.callAsEntryPoint(version.validateCall(op, 1));
        assertTrue(!ok, "refused");
        assertEq(
            keccak256(reason),
            keccak256(abi.encodeWithSelector(HybridPaymasterV08.SenderNotDelegated.selector, op.sender)),
            "reason"
        );
    }

    function _marked(bytes memory initCode) private view returns (Op memory op) {
        op = _op();
        op.sender = DELEGATED;
        op.initCode = initCode;
        op = _signed(op);
    }

    function _delegateTo(address delegate) private {
        vm.etch(DELEGATED, abi.encodePacked(hex"ef0100", delegate));
    }
}
