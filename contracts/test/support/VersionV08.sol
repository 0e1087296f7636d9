// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op} from "./Op.sol";
import {Version} from "./Version.sol";
import {VersionPacked} from "./VersionPacked.sol";

contract VersionV08 is VersionPacked {
    constructor(address owner, address[] memory signers, uint256 delay) Version(owner, signers, delay) {}

    function name() public pure virtual override returns (string memory) {
        return "v08";
    }

    function costWei(Op memory op, uint256 toldCostWei, uint256 feePerGas) public pure override returns (uint256) {
        int256 unused = int256(op.paymasterPostOpGasLimit) - int256(uint256(op.unaccountedGas));
        uint256 penalty = unused < 0 ? 0 : (uint256(unused) * 10) / 100;
        return toldCostWei + op.unaccountedGas * feePerGas + penalty * feePerGas;
    }
}
