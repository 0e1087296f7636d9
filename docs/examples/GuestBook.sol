// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// A contract of your own, for the README: it keeps the last entry of each account.
contract GuestBook {
    mapping(address account => string entry) public entryOf;

    event Signed(address indexed account, string entry);

    function sign(string calldata entry) external {
        entryOf[msg.sender] = entry;
        emit Signed(msg.sender, entry);
    }
}
