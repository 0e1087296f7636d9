// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

import {TestToken} from "./TestToken.sol";

/// @notice What is wrong with a `WeirdToken`.
enum Quirk {
    None,
    /// @dev Moves, and returns nothing (USDT).
    NoReturn,
    /// @dev Moves nothing and returns false.
    ReturnsFalse,
    /// @dev Moves, and returns false all the same.
    MovesAndReturnsFalse,
    /// @dev Moves nothing and returns true.
    Lies,
    /// @dev Moves, and returns one byte.
    ReturnsShort,
    /// @dev Moves, and returns 2, which is no bool.
    ReturnsTwo,
    /// @dev Moves, and returns true and much more.
    ReturnBomb,
    /// @dev Reverts with much more than a reason.
    RevertBomb,
    /// @dev Reverts with two bytes: EntryPoint v0.6 chokes on a `postOp` that passes this on.
    RevertsShort,
    RevertsEmpty,
    RevertsNamed,
    /// @dev Uses up all gas it is given.
    BurnsEverything,
    /// @dev 100,000 gas dearer.
    Expensive,
    /// @dev Takes a hundredth on the way.
    FeeOnTransfer,
    /// @dev The receiver gets a hundredth more.
    Inflates,
    /// @dev All balances are half of what they were.
    RebasedDown,
    /// @dev All balances are twice what they were.
    RebasedUp,
    /// @dev Refuses transfers of, to or by one address (`setBlocked`).
    Blocks,
    /// @dev Refuses every transfer.
    Paused,
    BalanceReverts,
    BalanceBurnsEverything,
    /// @dev Says the same balance of everybody.
    BalanceLies,
    /// @dev Says the balance in 16 bytes.
    BalanceReturnsShort,
    /// @dev The receiver has one less than before.
    Deflates,
    /// @dev Refuses to move nothing.
    RefusesZero
}

/// @notice An ERC-20 whose fault anyone turns on and off, also from within an operation.
contract WeirdToken is TestToken {
    Quirk public quirk;
    /// @dev Where the fault shows: every transfer, or only one of the two functions.
    bool public inTransfer = true;
    bool public inTransferFrom = true;
    address public blocked;
    /// @dev Length of the bombs' answers.
    uint256 public bombBytes = 65_536;

    error Blocked(address account);
    error ANamedErrorOfTheToken(uint256 number);

    constructor(uint8 decimals_) TestToken(decimals_) {}

    function setQuirk(Quirk quirk_) external {
        quirk = quirk_;
    }

    function setWhere(bool inTransfer_, bool inTransferFrom_) external {
        (inTransfer, inTransferFrom) = (inTransfer_, inTransferFrom_);
    }

    function setBombBytes(uint256 length) external {
        bombBytes = length;
    }

    function setBlocked(address account) external {
        blocked = account;
    }

    function transfer(address to, uint256 amount) external override returns (bool) {
        if (!inTransfer) return _plainly(msg.sender, to, amount);
        return _weirdly(msg.sender, to, amount);
    }

    function transferFrom(address from, address to, uint256 amount) external override returns (bool) {
        _spendAllowance(from, amount);
        if (!inTransferFrom) return _plainly(from, to, amount);
        return _weirdly(from, to, amount);
    }

    function balanceOf(address account) public view override returns (uint256 balance) {
        balance = _balances[account];
        if (quirk == Quirk.RebasedDown) return balance / 2;
        if (quirk == Quirk.RebasedUp) return balance * 2;
        if (quirk == Quirk.BalanceReverts) revert ANamedErrorOfTheToken(2);
        if (quirk == Quirk.BalanceBurnsEverything) _burnGas();
        if (quirk == Quirk.BalanceLies) return 1e30;
        if (quirk == Quirk.BalanceReturnsShort) _return(balance << 128, 16);
    }

    function _plainly(address from, address to, uint256 amount) private returns (bool) {
        _move(from, to, amount);
        return true;
    }

    function _weirdly(address from, address to, uint256 amount) private returns (bool) {
        Quirk q = quirk;
        if (q == Quirk.Paused) revert Blocked(address(0));
        if (q == Quirk.Blocks && (from == blocked || to == blocked || msg.sender == blocked)) revert Blocked(blocked);
        if (q == Quirk.RefusesZero && amount == 0) revert ANamedErrorOfTheToken(3);
        if (q == Quirk.Lies) return true;
        if (q == Quirk.ReturnsFalse) return false;
        if (q == Quirk.RevertsShort) _revertWith(2);
        if (q == Quirk.RevertsEmpty) _revertWith(0);
        if (q == Quirk.RevertBomb) _revertWith(bombBytes);
        if (q == Quirk.RevertsNamed) revert ANamedErrorOfTheToken(1);
        if (q == Quirk.BurnsEverything) _burnGas();
        if (q == Quirk.Expensive) _spend(100_000);

        if (q == Quirk.RebasedDown || q == Quirk.RebasedUp) {
            // Amounts are in rebased units.
            _move(from, to, q == Quirk.RebasedDown ? amount * 2 : (amount + 1) / 2);
            return true;
        }
        _move(from, to, amount);
        if (q == Quirk.FeeOnTransfer) _balances[to] -= (amount + 99) / 100;
        if (q == Quirk.Inflates) _balances[to] += (amount + 99) / 100;
        if (q == Quirk.Deflates) _balances[to] -= amount + 1;
        if (q == Quirk.MovesAndReturnsFalse) return false;
        if (q == Quirk.NoReturn) _return(0, 0);
        if (q == Quirk.ReturnsShort) _return(1, 1);
        if (q == Quirk.ReturnsTwo) _return(2, 32);
        if (q == Quirk.ReturnBomb) _return(1, bombBytes);
        return true;
    }

    function _spend(uint256 amount) private view {
        uint256 start = gasleft();
        while (start - gasleft() < amount) {}
    }

    function _burnGas() private pure {
        assembly {
            invalid()
        }
    }

    function _revertWith(uint256 length) private pure {
        assembly {
            revert(0, length)
        }
    }

    /// @dev Ends the call with that word in front of zeros.
    function _return(uint256 word, uint256 length) private pure {
        assembly {
            let at := mload(0x40)
            mstore(at, word)
            return(at, length)
        }
    }
}
