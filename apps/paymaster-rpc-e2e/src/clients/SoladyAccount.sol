// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {ERC4337} from "apps/paymaster-rpc-e2e/clients/node_modules/solady/src/accounts/ERC4337.sol";
import {LibClone} from "apps/paymaster-rpc-e2e/clients/node_modules/solady/src/utils/LibClone.sol";

/// Solady's account as its users deploy it: with a name of their own.
contract SoladyAccount is ERC4337 {
    function _domainNameAndVersion() internal pure override returns (string memory, string memory) {
        return ("SoladyAccount", "1");
    }
}

/// Solady's factory with the functions that viem calls, which later versions of Solady have no longer.
contract SoladyFactory {
    address private immutable IMPLEMENTATION = address(new SoladyAccount());

    function createAccount(address owner, bytes32 salt) external payable returns (address) {
        (bool exists, address account) = LibClone.createDeterministicERC1967(msg.value, IMPLEMENTATION, salt);
        if (!exists) SoladyAccount(payable(account)).initialize(owner);
        return account;
    }

    function getAddress(bytes32 salt) external view returns (address) {
        return LibClone.predictDeterministicAddressERC1967(IMPLEMENTATION, salt, address(this));
    }
}
