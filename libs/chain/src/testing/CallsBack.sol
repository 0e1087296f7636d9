// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC165Checker} from "@openzeppelin/contracts/utils/introspection/ERC165Checker.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC721Receiver} from "@openzeppelin/contracts/token/ERC721/IERC721Receiver.sol";
import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";

/// @notice Does what takes some 220,000 gas, once the caller has answered as an account does.
contract CallsBack {
    uint256[10] private _filled;

    modifier works() {
        _;
        for (uint256 i = 0; i < 10; i++) _filled[i] = 1;
    }

    function safeMint() external works {
        bytes4 answer = IERC721Receiver(msg.sender).onERC721Received(address(this), address(0), 1, "");
        require(answer == IERC721Receiver.onERC721Received.selector);
    }

    function mint1155() external works {
        bytes4 answer = IERC1155Receiver(msg.sender).onERC1155Received(address(this), address(0), 1, 1, "");
        require(answer == IERC1155Receiver.onERC1155Received.selector);
    }

    function mintBatch1155() external works {
        uint256[] memory none = new uint256[](0);
        bytes4 answer = IERC1155Receiver(msg.sender).onERC1155BatchReceived(address(this), address(0), none, none, "");
        require(answer == IERC1155Receiver.onERC1155BatchReceived.selector);
    }

    function asksForSignature() external works {
        bytes4 answer = IERC1271(msg.sender).isValidSignature(bytes32(0), "");
        require(answer == IERC1271.isValidSignature.selector);
    }

    function asksForInterface() external works {
        require(IERC1155Receiver(msg.sender).supportsInterface(type(IERC1155Receiver).interfaceId));
    }

    function checksInterface() external works {
        require(ERC165Checker.supportsInterface(msg.sender, type(IERC721Receiver).interfaceId));
    }

    function wantsNoOtherInterface() external works {
        require(!IERC1155Receiver(msg.sender).supportsInterface(0xffffffff));
    }

    function sendsCoin() external payable works {
        (bool success, ) = msg.sender.call{value: msg.value}("");
        require(success);
    }
}
