// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {VersionV08} from "./VersionV08.sol";

contract VersionV09 is VersionV08 {
    constructor(address owner, address[] memory signers, uint256 delay) VersionV08(owner, signers, delay) {}

    function name() public pure override returns (string memory) {
        return "v09";
    }
}
