// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Op} from "./support/Op.sol";
import {Refused} from "./support/Refused.sol";
import {TokenAccount} from "./support/tokens/TokenAccount.sol";
import {TokenOnV06, TokenOnV07, TokenOnV08, TokenOnV09, TokenWorld} from "./support/TokenWorld.sol";

/// @notice An account lands only with the delegate that was signed for it, whoever sends its EIP-7702 authorization.
abstract contract Eip7702Test is TokenWorld {
    address internal constant SENDER = address(0x7702ACC);

    address internal delegate;
    address internal otherDelegate;

    /// @dev What is at the sender's address: when the paymaster's signer signs, and when the operation lands.
    function _codes() private view returns (bytes[4] memory) {
        return [bytes(""), address(tokenAccount).code, _delegationTo(delegate), _delegationTo(otherDelegate)];
    }

    function test_everyDelegation_landsOnlyAsItWasSigned() public {
        (delegate, otherDelegate) = (address(new TokenAccount(OWNER)), address(new TokenAccount(WALLET)));
        token.mint(SENDER, TOKENS);
        vm.prank(SENDER);
        IERC20(address(token)).approve(address(paymaster), type(uint256).max);
        bytes[4] memory codes = _codes();
        uint256 landed;
        // 0: sponsored; the others: token mode's ways that need no signature of the account.
        uint8[3] memory ways = [0, ALLOWANCE, BATCH_APPROVAL];
        for (uint256 i = 0; i < ways.length; i++) {
            for (uint256 signedFor = 0; signedFor < 4; signedFor++) {
                // An account without code lands nothing, so that case is only signed for.
                for (uint256 landsWith = 1; landsWith < 4; landsWith++) {
                    uint256 state = vm.snapshotState();
                    Op memory op = _opOf(ways[i]);
                    vm.etch(SENDER, codes[signedFor]);
                    op = _signed(op);
                    vm.etch(SENDER, codes[landsWith]);
                    // No code and code of its own are the same to the digest: no delegate.
                    if (signedFor == landsWith || signedFor + landsWith == 1) {
                        assertTrue(version.send(op).success, "as signed");
                        landed++;
                    } else {
                        Refused.byBundle(version, op, "AA34 signature error");
                    }
                    vm.revertToState(state);
                }
            }
        }
        assertEq(landed, 3 * 4, "signed for none twice, and for each delegate, in every mode");
    }

    function test_onlyTheCodeOfADelegation_countsAsOne() public {
        bytes[5] memory codes = [
            bytes(""),
            hex"60",
            // As long as a delegation, and beginning with anything else.
            abi.encodePacked(hex"600100", address(0xA)),
            // Beginning and ending otherwise.
            abi.encodePacked(hex"6001", address(0xA)),
            abi.encodePacked(hex"600100", address(0xA), hex"00")
        ];
        Op memory op = _op();
        op.sender = SENDER;
        op = _signed(op);
        for (uint256 i = 0; i < codes.length; i++) {
            vm.etch(SENDER, codes[i]);
            assertEq(version.getDigest(op), version.digest(op), "digest");
            assertTrue(version.isAccepted(op), "no delegate");
        }
        vm.etch(SENDER, _delegationTo(address(0xA)));
        assertEq(version.getDigest(op), version.digest(op), "digest of the delegate");
        assertTrue(!version.isAccepted(op), "a delegate");
    }

    /// @dev Before v0.8 the marker is a factory like any other, for an account that has its code already.
    function _markerIsAFactory() internal {
        vm.etch(SENDER, _delegationTo(address(new TokenAccount(OWNER))));
        Op memory op = _op();
        op.sender = SENDER;
        op.initCode = abi.encodePacked(bytes20(bytes2(0x7702)));
        Refused.byBundle(version, _signed(op), "AA10 sender already constructed");
    }

    /// @dev Sponsored where `way` is 0, else paid in a token.
    function _opOf(uint8 way) private view returns (Op memory op) {
        op = way == 0 ? _op() : _tokenOp(way);
        op.sender = SENDER;
        op.nonce = version.nonceOf(SENDER, 0);
        if (way == BATCH_APPROVAL) op.callData = _approval(op.maxTokenCharge);
    }

    function _delegationTo(address to) internal pure returns (bytes memory) {
        return abi.encodePacked(hex"ef0100", to);
    }
}

contract Eip7702V06Test is Eip7702Test, TokenOnV06 {
    function _prepare() internal override(TokenOnV06, TokenWorld) {
        TokenOnV06._prepare();
    }

    function test_marker_isRefusedByTheEntryPoint() public {
        _markerIsAFactory();
    }
}

contract Eip7702V07Test is Eip7702Test, TokenOnV07 {
    function _prepare() internal override(TokenOnV07, TokenWorld) {
        TokenOnV07._prepare();
    }

    function test_marker_isRefusedByTheEntryPoint() public {
        _markerIsAFactory();
    }
}

/// @notice The marker that EntryPoint v0.8 and v0.9 take in `initCode`.
abstract contract Eip7702MarkerTest is Eip7702Test {
    /// @dev What the EntryPoint reverts with where the sender does not delegate.
    function _notADelegate() internal pure virtual returns (bytes memory);

    /// @dev Bundlers send the marker with its zeros or without them, and the account's own hash is the same for both.
    function test_marker_isSignedForBothItsForms_andWithWhatStandsBehind() public {
        delegate = address(new TokenAccount(OWNER));
        vm.etch(SENDER, _delegationTo(delegate));
        bytes20 marker = bytes20(bytes2(0x7702));
        bytes[6] memory initCodes = [
            bytes(hex"7702"),
            hex"770200",
            abi.encodePacked(bytes19(bytes2(0x7702))),
            abi.encodePacked(marker),
            abi.encodePacked(marker, hex"00"),
            abi.encodePacked(marker, hex"c0ffee")
        ];
        for (uint256 i = 0; i < initCodes.length; i++) {
            Op memory op = _op();
            op.sender = SENDER;
            op.initCode = initCodes[i];
            op = _signed(op);
            assertEq(version.getDigest(op), version.digest(op), "digest");
            for (uint256 j = 0; j < initCodes.length; j++) {
                op.initCode = initCodes[j];
                assertTrue(version.isAccepted(op) == (i == j || (i < 4 && j < 4)), "the marker alone, in any form");
            }
            op.initCode = "";
            assertTrue(!version.isAccepted(op), "without the marker");
        }
    }

    function test_markerOfASenderWithoutDelegate_isRefusedByTheEntryPoint() public {
        vm.etch(SENDER, address(tokenAccount).code);
        Op memory op = _op();
        op.sender = SENDER;
        op.initCode = hex"7702";
        op = _signed(op);
        Op[] memory ops = new Op[](1);
        ops[0] = op;
        vm.expectRevert(_notADelegate());
        version.sendWithGas(ops, 50_000_000);
    }
}

contract Eip7702V08Test is Eip7702MarkerTest, TokenOnV08 {
    function _prepare() internal override(TokenOnV08, TokenWorld) {
        TokenOnV08._prepare();
    }

    function _notADelegate() internal pure override returns (bytes memory) {
        return "not an EIP-7702 delegate";
    }
}

contract Eip7702V09Test is Eip7702MarkerTest, TokenOnV09 {
    function _prepare() internal override(TokenOnV09, TokenWorld) {
        TokenOnV09._prepare();
    }

    function _notADelegate() internal pure override returns (bytes memory) {
        return abi.encodeWithSignature("Eip7702SenderNotDelegate(address)", SENDER);
    }
}
