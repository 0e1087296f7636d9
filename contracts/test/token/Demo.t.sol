// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {DemoPermitToken} from "../../src/demo/DemoPermitToken.sol";
import {DemoPriceFeed} from "../../src/demo/DemoPriceFeed.sol";
import {DemoToken} from "../../src/demo/DemoToken.sol";
import {TestBase} from "../support/TestBase.sol";
import {TokenAccount} from "../support/tokens/TokenAccount.sol";

/// @notice What the local world pays with and prices by.
contract DemoTest is TestBase {
    uint256 private constant KEY = 0xA11CE;

    function test_token_isMintedByAnyone() public {
        DemoToken token = DemoToken(_deploy("DemoToken", abi.encode("Demo", "DMO", 18)));
        vm.prank(address(1));
        token.mint(address(2), 5);
        assertEq(token.balanceOf(address(2)), 5, "balance");
        assertEq(token.decimals(), 18, "decimals");
        assertEq(DemoToken(_deploy("DemoToken", abi.encode("Demo", "DMO", 0))).decimals(), 0, "no decimals");
    }

    function test_permit_worksForKeysAndSmartAccounts() public {
        DemoPermitToken token = DemoPermitToken(_deploy("DemoPermitToken", abi.encode("Permit", "PMT", 6)));
        assertEq(token.decimals(), 6, "decimals");
        address[2] memory owners = [vm.addr(KEY), address(new TokenAccount(vm.addr(KEY)))];
        for (uint256 i = 0; i < owners.length; i++) {
            (uint8 v, bytes32 r, bytes32 s) = _sign(token, owners[i], KEY);
            token.permit(owners[i], address(this), 7, block.timestamp, v, r, s);
            assertEq(token.allowance(owners[i], address(this)), 7, "allowance");
            // A permit is used once.
            vm.expectRevert(abi.encodeWithSignature("ERC2612InvalidSigner(address,address)", address(0), owners[i]));
            token.permit(owners[i], address(this), 7, block.timestamp, v, r, s);

            (v, r, s) = _sign(token, owners[i], 0xBAD);
            vm.expectRevert(abi.encodeWithSignature("ERC2612InvalidSigner(address,address)", address(0), owners[i]));
            token.permit(owners[i], address(this), 7, block.timestamp, v, r, s);
            (v, r, s) = _sign(token, owners[i], KEY);
            uint256 late = block.timestamp - 1;
            vm.expectRevert(abi.encodeWithSignature("ERC2612ExpiredSignature(uint256)", late));
            token.permit(owners[i], address(this), 7, late, v, r, s);
        }
    }

    function _sign(DemoPermitToken token, address owner, uint256 key) private view returns (uint8, bytes32, bytes32) {
        bytes32 typeHash = keccak256(
            "Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"
        );
        bytes32 structHash = keccak256(
            abi.encode(typeHash, owner, address(this), 7, token.nonces(owner), block.timestamp)
        );
        return vm.sign(key, keccak256(abi.encodePacked(hex"1901", token.DOMAIN_SEPARATOR(), structHash)));
    }

    function test_feed_saysWhatItIsTold() public {
        vm.warp(1_000_000);
        DemoPriceFeed feed = DemoPriceFeed(_deploy("DemoPriceFeed", abi.encode(8, "ETH / USD", 3000e8)));
        (uint80 id, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredIn) = feed.latestRoundData();
        assertTrue(id == 1 && answeredIn == 1 && answer == 3000e8, "first answer");
        assertTrue(startedAt == block.timestamp && updatedAt == block.timestamp, "now");

        feed.setAnswer(0);
        feed.setRound(-1, 5, 6);
        (id, answer, startedAt, updatedAt, answeredIn) = feed.latestRoundData();
        assertTrue(id == 3 && answeredIn == 3 && answer == -1, "negative");
        assertTrue(startedAt == 5 && updatedAt == 6, "stale");
        (, answer, , , ) = feed.getRoundData(2);
        assertTrue(answer == 0, "an earlier round");
        vm.expectRevert(abi.encodeWithSelector(DemoPriceFeed.NoData.selector, 4));
        feed.getRoundData(4);
        assertEq(feed.decimals(), 8, "decimals");
        assertEq(keccak256(bytes(feed.description())), keccak256("ETH / USD"), "description");
        assertEq(feed.version(), 4, "version");
    }
}
