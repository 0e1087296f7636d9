// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {Op} from "./Op.sol";
import {Version} from "./Version.sol";
import {VersionPacked} from "./VersionPacked.sol";

contract VersionV07 is VersionPacked {
    constructor(address owner, address[] memory signers, uint256 delay) Version(owner, signers, delay) {}

    function name() public pure override returns (string memory) {
        return "v07";
    }

    function costWei(Op memory op, uint256 toldCostWei, uint256 feePerGas) public pure override returns (uint256) {
        if (feePerGas == 0) return toldCostWei;
        // In signed numbers: the gas certainly used by the execution, and what of its limits is left.
        int256 used = int256(toldCostWei / feePerGas + op.unaccountedGas) -
            int256(op.preVerificationGas + op.verificationGasLimit + op.paymasterVerificationGasLimit + 2_000);
        if (used < 0) used = 0;
        int256 unused = int256(op.callGasLimit + op.paymasterPostOpGasLimit) - used;
        uint256 penalty = unused < 0 ? 0 : (uint256(unused) * 10) / 100;
        return toldCostWei + op.unaccountedGas * feePerGas + penalty * feePerGas;
    }
}
