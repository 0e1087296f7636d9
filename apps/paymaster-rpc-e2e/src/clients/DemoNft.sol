// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC721} from "apps/paymaster-rpc-e2e/clients/node_modules/solady/src/tokens/ERC721.sol";

/// Mints for everybody, one number after the other.
contract DemoNft is ERC721 {
    uint256 private minted;

    function name() public pure override returns (string memory) {
        return "Demo";
    }

    function symbol() public pure override returns (string memory) {
        return "DEMO";
    }

    function tokenURI(uint256) public pure override returns (string memory) {
        return "";
    }

    function mint(address holder) external {
        _mint(holder, ++minted);
    }
}
