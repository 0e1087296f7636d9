// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {IHybridPaymaster} from "../../src/interfaces/IHybridPaymaster.sol";
import {Op, Outcome} from "./Op.sol";
import {TestAccount} from "./TestAccount.sol";
import {TestBase} from "./TestBase.sol";
import {Version} from "./Version.sol";

/// @notice A funded, staked paymaster on a real EntryPoint, and a plain operation to vary.
abstract contract World is TestBase {
    uint256 internal constant SIGNER_KEY = 0x51611E5;
    uint256 internal constant OTHER_KEY = 0x07E5;
    uint256 internal constant DELAY = 1 days;
    address internal constant OWNER = address(0x0117E5);
    address internal constant ANYBODY = address(0xA11B0D);
    address internal constant WALLET = address(0xFA11E7);
    address internal constant WALLET_2 = address(0xFA11E8);

    /// @dev Of the architecture page: recovers to a key nobody has.
    bytes internal constant STUB_SIGNATURE =
        hex"abababababababababababababababababababababababababababababababab7aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c";

    Version internal version;
    IHybridPaymaster internal paymaster;
    TestAccount internal account;
    /// @dev Of gas-constants.json, read once: a fuzz test makes thousands of operations.
    uint256 private _signedVerificationGas;
    uint256 private _signedPostOpGas;
    uint256 private _signedUnaccountedGas;

    function _newVersion(address owner, address[] memory signers, uint256 delay) internal virtual returns (Version);

    function setUp() public {
        vm.warp(1_800_000_000);
        vm.fee(7 gwei);
        version = _newVersion(OWNER, _list(vm.addr(SIGNER_KEY)), DELAY);
        paymaster = version.paymaster();
        account = TestAccount(payable(_deploy("TestAccount", "")));
        _signedVerificationGas = _gasConstant("paymasterVerificationGasLimit");
        _signedPostOpGas = _gasConstant("paymasterPostOpGasLimit");
        _signedUnaccountedGas = _gasConstant("unaccountedGas");
        vm.deal(address(this), 1e24);
        vm.deal(OWNER, 100 ether);
        paymaster.depositFor{value: 1000 ether}(WALLET);
        vm.prank(OWNER);
        paymaster.addStake{value: 1 ether}(1 days);
        _prepare();
    }

    /// @dev What a suite adds to the world.
    function _prepare() internal virtual {}

    function _list(address item) internal pure returns (address[] memory list) {
        list = new address[](1);
        list[0] = item;
    }

    function _op() internal view returns (Op memory op) {
        op.sender = address(account);
        op.nonce = version.nonceOf(op.sender, 0);
        op.callData = abi.encodeCall(TestAccount.write, (1));
        op.callGasLimit = 60_000;
        op.verificationGasLimit = 120_000;
        op.preVerificationGas = 50_000;
        op.maxFeePerGas = 30 gwei;
        op.maxPriorityFeePerGas = 2 gwei;
        op.paymasterVerificationGasLimit = _signedVerificationGas;
        op.paymasterPostOpGasLimit = _signedPostOpGas;
        op.mode = 1;
        op.validUntil = uint48(block.timestamp + 1 hours);
        op.validAfter = uint48(block.timestamp - 1);
        op.fundingWallet = WALLET;
        op.feeMarkup = 1_050_000;
        op.unaccountedGas = uint32(_signedUnaccountedGas);
    }

    function _signed(Op memory op) internal view returns (Op memory) {
        return _sent(version.sign(op, SIGNER_KEY));
    }

    function _stubbed(Op memory op) internal view returns (Op memory) {
        op.signature = STUB_SIGNATURE;
        return _sent(op);
    }

    /// @dev The form in which a suite sends the paymaster's signature.
    function _sent(Op memory op) internal view virtual returns (Op memory) {
        return op;
    }

    function _gasConstant(string memory name) internal view returns (uint256) {
        return vm.parseJsonUint(vm.readFile("gas-constants.json"), string.concat(".", version.name(), ".", name));
    }

    function _isV06() internal view returns (bool) {
        return version.isV06();
    }

    function _isV07() internal view returns (bool) {
        return keccak256(bytes(version.name())) == keccak256("v07");
    }

    /// @dev The over-charge is part of the checked snapshot: a wider bound must be a decision.
    function _publishOvercharge(string memory title, uint256[] memory basisPoints) internal {
        for (uint256 i = 1; i < basisPoints.length; i++) {
            for (uint256 j = i; j > 0 && basisPoints[j - 1] > basisPoints[j]; j--) {
                (basisPoints[j - 1], basisPoints[j]) = (basisPoints[j], basisPoints[j - 1]);
            }
        }
        string memory group = string.concat("over-charge-", version.name());
        vm.snapshotValue(group, string.concat(title, ", operations"), basisPoints.length);
        vm.snapshotValue(group, string.concat(title, ", median basis points"), basisPoints[basisPoints.length / 2]);
        vm.snapshotValue(group, string.concat(title, ", greatest basis points"), basisPoints[basisPoints.length - 1]);
    }

    /// @dev The next call is a transaction of somebody's own.
    function _byAnybody() internal {
        vm.prank(ANYBODY, ANYBODY);
    }

    /// @dev What the wallets have paid in fees, collected or not.
    function _feesWei() internal view returns (uint256) {
        return paymaster.feesOf(WALLET) + paymaster.feesOf(WALLET_2) + paymaster.feeBalance();
    }

    /// @dev The ledger is covered by the deposit, whatever happened.
    function _assertSolvent() internal view {
        uint256 owed = paymaster.balanceOf(WALLET) +
            paymaster.balanceOf(WALLET_2) +
            paymaster.strandedOf(WALLET) +
            paymaster.strandedOf(WALLET_2) +
            _feesWei();
        assertLe(owed, version.depositWei(), "ledger against deposit");
    }

    receive() external payable {}
}

abstract contract OnV06 is World {
    function _newVersion(address o, address[] memory s, uint256 d) internal override returns (Version) {
        return Version(_deploy("VersionV06", abi.encode(o, s, d)));
    }
}

abstract contract OnV07 is World {
    function _newVersion(address o, address[] memory s, uint256 d) internal override returns (Version) {
        return Version(_deploy("VersionV07", abi.encode(o, s, d)));
    }
}

abstract contract OnV08 is World {
    function _newVersion(address o, address[] memory s, uint256 d) internal override returns (Version) {
        return Version(_deploy("VersionV08", abi.encode(o, s, d)));
    }
}

abstract contract OnV09 is World {
    function _newVersion(address o, address[] memory s, uint256 d) internal override returns (Version) {
        return Version(_deploy("VersionV09", abi.encode(o, s, d)));
    }
}
