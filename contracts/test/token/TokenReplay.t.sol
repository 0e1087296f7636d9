// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op} from "../support/Op.sol";
import {HostileOnV06, HostileOnV07, HostileOnV08, HostileOnV09, HostileWorld} from "../support/tokens/HostileWorld.sol";
import {TestToken} from "../support/tokens/TestToken.sol";

/// @notice A signature counts for its mode, its way, its terms and its operation, and for nothing else.
abstract contract TokenReplayTest is HostileWorld {
    TestToken private _plain;

    function _prepare() internal virtual override {
        super._prepare();
        _plain = new TestToken(6);
        _plain.mint(address(tokenAccount), OWNED);
        // Enough for every way, so that nothing but the signature is in the way.
        vm.prank(address(tokenAccount));
        _plain.approve(address(paymaster), ENOUGH);
    }

    function _signedOf(uint8 way) private view returns (Op memory) {
        return _signed(_hostileOp(way, address(_plain), 6));
    }

    function test_signatureOfOneMode_isNoneInTheOther() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory paid = _signedOf(way);
            assertTrue(_wouldAccept(paid), "as it was signed");
            Op memory sponsored = _hostileOp(way, address(_plain), 6);
            sponsored.mode = 1;
            sponsored = _signed(sponsored);
            assertTrue(_wouldAccept(sponsored), "the same operation, sponsored");

            bytes memory tokenData = bytes.concat(version.tokenFields(paid), paid.signature);
            (paid.signature, sponsored.signature) = (sponsored.signature, paid.signature);
            assertTrue(!_wouldAccept(paid), "sponsorship's signature on token terms");
            assertTrue(!_wouldAccept(sponsored), "token mode's signature, sponsored");
            sponsored.signature = tokenData;
            assertTrue(!_wouldAccept(sponsored), "token mode's bytes, sponsored");
        }
    }

    function test_signatureOfOneWay_isNoneInAnother() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _signedOf(way);
            for (uint256 other = 0; other < 256; other++) {
                op.way = uint8(other);
                op.permit = "";
                if (other != way || way == PERMIT) {
                    assertTrue(!_wouldAccept(op), string.concat("read without a permit, as way ", vm.toString(other)));
                }
                op.permit = _laxPermit(1);
                if (other != way || way != PERMIT) {
                    assertTrue(!_wouldAccept(op), string.concat("read with a permit, as way ", vm.toString(other)));
                }
            }
        }
    }

    /// @dev A bit of every byte of the paymaster's data, the permit's included, and of the operation's other fields.
    function test_anyByteChanged_isNeverAccepted() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _signedOf(way);
            bytes memory packed = version.pack(op);
            uint256 maxCost = version.prefundWei(op);
            assertTrue(_wouldAccept(version.validateCallOf(packed, op, maxCost)), "as it was signed");
            for (uint256 at = 0; at < packed.length; at++) {
                // Another paymaster's address is for the EntryPoint to notice.
                if (_isPaymasterAddress(op, packed.length, at)) continue;
                bytes1 bit = bytes1(uint8(1 << (uint256(keccak256(abi.encode(way, at))) % 8)));
                packed[at] ^= bit;
                bool accepted = _wouldAccept(version.validateCallOf(packed, op, maxCost));
                assertTrue(!accepted, string.concat("byte ", vm.toString(at)));
                packed[at] ^= bit;
            }
        }
    }

    function _isPaymasterAddress(Op memory op, uint256 length, uint256 at) private view returns (bool) {
        uint256 start = length - version.paymasterAndData(op).length;
        return at >= start && at < start + 20;
    }

    function test_anyOtherLength_isRefused() public {
        for (uint8 way = ALLOWANCE; way <= BATCH_APPROVAL; way++) {
            Op memory op = _signedOf(way);
            bytes memory whole = op.signature;
            for (uint256 length = 0; length < 500; length++) {
                if (length == whole.length) continue;
                op.signature = length < whole.length
                    ? version.slice(whole, 0, length)
                    : bytes.concat(whole, new bytes(length - whole.length));
                assertTrue(!_wouldAccept(op), string.concat("length ", vm.toString(length)));
            }
        }
    }
}

contract TokenReplayV06Test is TokenReplayTest, HostileOnV06 {
    function _prepare() internal override(TokenReplayTest, HostileOnV06) {
        TokenReplayTest._prepare();
    }
}

contract TokenReplayV07Test is TokenReplayTest, HostileOnV07 {
    function _prepare() internal override(TokenReplayTest, HostileOnV07) {
        TokenReplayTest._prepare();
    }
}

contract TokenReplayV08Test is TokenReplayTest, HostileOnV08 {
    function _prepare() internal override(TokenReplayTest, HostileOnV08) {
        TokenReplayTest._prepare();
    }
}

contract TokenReplayV09Test is TokenReplayTest, HostileOnV09 {
    function _prepare() internal override(TokenReplayTest, HostileOnV09) {
        TokenReplayTest._prepare();
    }
}
