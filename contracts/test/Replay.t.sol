// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../src/interfaces/IHybridPaymaster.sol";
import {Op} from "./support/Op.sol";
import {TestBase} from "./support/TestBase.sol";
import {Version} from "./support/Version.sol";

/// @notice One signer key on 2 chain ids, 2 addresses and 4 EntryPoints: a signature holds where it was made, only.
contract ReplayTest is TestBase {
    uint256 private constant KEY = 0x51611E5;
    uint256[2] private _chains = [uint256(1), 8453];

    function test_matrix_onlyTheDiagonalIsAccepted() public {
        // Eight places per chain: two paymasters on each of four EntryPoints. The chain is switched below.
        Version[8] memory places;
        address[] memory signers = new address[](1);
        signers[0] = vm.addr(KEY);
        bytes memory arguments = abi.encode(address(this), signers, 1 hours);
        for (uint256 i = 0; i < 8; i++) {
            string memory name = ["VersionV06", "VersionV07", "VersionV08", "VersionV09"][i % 4];
            places[i] = Version(_deploy(name, arguments));
        }
        vm.deal(address(this), 1e24);
        for (uint256 i = 0; i < 8; i++) places[i].paymaster().depositFor{value: 100 ether}(address(0xFA11E7));

        Op memory op = _op();
        uint256 accepted;
        for (uint256 from = 0; from < 16; from++) {
            vm.chainId(_chains[from / 8]);
            Op memory signed = places[from % 8].sign(op, KEY);
            for (uint256 to = 0; to < 16; to++) {
                vm.chainId(_chains[to / 8]);
                bool ok = places[to % 8].isAccepted(signed);
                assertTrue(ok == (from == to), "only the diagonal");
                if (ok) accepted++;
            }
        }
        assertEq(accepted, 16, "the whole diagonal");
    }

    function _op() private pure returns (Op memory op) {
        op.sender = address(0x5E4DE4);
        op.callData = hex"01020304";
        op.callGasLimit = 60_000;
        op.verificationGasLimit = 120_000;
        op.preVerificationGas = 50_000;
        op.maxFeePerGas = 30 gwei;
        op.maxPriorityFeePerGas = 2 gwei;
        op.paymasterVerificationGasLimit = 60_000;
        op.paymasterPostOpGasLimit = 40_000;
        op.mode = 1;
        op.validUntil = 2_000_000_000;
        op.validAfter = 1;
        op.fundingWallet = address(0xFA11E7);
        op.feeMarkup = 1_000_000;
        op.unaccountedGas = 20_000;
    }
}
