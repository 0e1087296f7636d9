// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

// Tokens of every kind that TokenProbe must tell apart. Compiled by its test.

contract Plain {
    mapping(address => uint256) internal balances;
    mapping(address => mapping(address => uint256)) internal allowances;

    function decimals() external view virtual returns (uint256) { return 6; }
    function symbol() external view virtual returns (string memory) { return "TST"; }
    function balanceOf(address account) public view virtual returns (uint256) { return balances[account]; }
    function allowance(address owner, address spender) external view returns (uint256) { return allowances[owner][spender]; }

    function approve(address spender, uint256 amount) external virtual returns (bool) {
        allowances[msg.sender][spender] = amount;
        return true;
    }
    function transfer(address to, uint256 amount) external virtual returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }
    function transferFrom(address from, address to, uint256 amount) external virtual returns (bool) {
        _moveFrom(from, to, amount);
        return true;
    }
    function _moveFrom(address from, address to, uint256 amount) internal virtual {
        allowances[from][msg.sender] -= amount;
        _move(from, to, amount);
    }
    function _move(address from, address to, uint256 amount) internal virtual {
        balances[from] -= amount;
        balances[to] += amount;
    }
}

contract Bytes32Symbol {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    bytes32 public constant symbol = "MKR";
    uint8 public constant decimals = 6;
    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        return true;
    }
    function transfer(address to, uint256 amount) external returns (bool) { return _move(msg.sender, to, amount); }
    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        allowance[from][msg.sender] -= amount;
        return _move(from, to, amount);
    }
    function _move(address from, address to, uint256 amount) private returns (bool) {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

contract ApproveRace {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    string public constant symbol = "USDT";
    uint8 public constant decimals = 6;
    function approve(address spender, uint256 amount) external {
        require(amount == 0 || allowance[msg.sender][spender] == 0);
        allowance[msg.sender][spender] = amount;
    }
    function transfer(address to, uint256 amount) external { _move(msg.sender, to, amount); }
    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
    }
    function _move(address from, address to, uint256 amount) private {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// A balance at a slot of the child's choice.
abstract contract OwnLayout is Plain {
    function _slot(address account) internal view virtual returns (bytes32);
    function balanceOf(address account) public view override returns (uint256 amount) {
        bytes32 slot = _slot(account);
        assembly { amount := sload(slot) }
    }
    function _move(address from, address to, uint256 amount) internal override {
        _write(from, balanceOf(from) - amount);
        _write(to, balanceOf(to) + amount);
    }
    function _write(address account, uint256 amount) private {
        bytes32 slot = _slot(account);
        assembly { sstore(slot, amount) }
    }
}
contract VyperLayout is OwnLayout {
    function _slot(address account) internal pure override returns (bytes32) { return keccak256(abi.encode(3, account)); }
}
contract Namespaced is OwnLayout {
    bytes32 private constant _STORAGE = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00;
    function _slot(address account) internal pure override returns (bytes32) { return keccak256(abi.encode(account, _STORAGE)); }
}
contract Solady is OwnLayout {
    function _slot(address account) internal pure override returns (bytes32 slot) {
        assembly {
            mstore(0x0c, 0x87a211a2)
            mstore(0x00, account)
            slot := keccak256(0x0c, 0x20)
        }
    }
}

/// Half a word per balance.
contract SmallBalances is Plain {
    mapping(address => uint96) private small;
    function balanceOf(address account) public view override returns (uint256) { return small[account]; }
    function _move(address from, address to, uint256 amount) internal override {
        small[from] -= uint96(amount);
        small[to] += uint96(amount);
    }
}

/// As USDC: a pause, a list of blocked accounts, and a flag in the balance's word.
contract Blocklist is Plain {
    bool private paused;
    mapping(address => bool) private blocked;
    function balanceOf(address account) public view override returns (uint256) { return balances[account] & (2 ** 255 - 1); }
    function _move(address from, address to, uint256 amount) internal override {
        require(!paused && !blocked[from] && !blocked[to] && !blocked[msg.sender]);
        super._move(from, to, amount);
    }
}
contract TestProxy {
    bytes32 private constant _IMPLEMENTATION = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
    constructor(address implementation) { assembly { sstore(_IMPLEMENTATION, implementation) } }
    fallback() external {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(_IMPLEMENTATION), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(ok) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }
}

contract NoReturn is Plain {
    function transfer(address to, uint256 amount) external override returns (bool) { _move(msg.sender, to, amount); assembly { return(0, 0) } }
    function transferFrom(address from, address to, uint256 amount) external override returns (bool) { _moveFrom(from, to, amount); assembly { return(0, 0) } }
}

contract NoDecimals is Plain { function decimals() external pure override returns (uint256) { revert(); } }
contract DecimalsBomb is Plain { function decimals() external pure override returns (uint256) { assembly { return(0, 2000000) } } }
contract DecimalsLoop is Plain { function decimals() external pure override returns (uint256) { while (true) {} return 6; } }
contract Decimals77 is Plain { function decimals() external pure override returns (uint256) { return 77; } }
contract NoSymbol is Plain { function symbol() external pure override returns (string memory) { revert(); } }
contract MarkupSymbol is Plain { function symbol() external pure override returns (string memory) { return "<script>"; } }

contract FeeOnTransfer is Plain {
    function _move(address from, address to, uint256 amount) internal override { super._move(from, to, amount); balances[to] -= amount / 100; }
}
contract FeeOnTransferFrom is Plain {
    function _moveFrom(address from, address to, uint256 amount) internal override { super._moveFrom(from, to, amount); balances[to] -= amount / 100; }
}
contract TinyFee is Plain {
    function _move(address from, address to, uint256 amount) internal override { super._move(from, to, amount); balances[to] -= 1; }
}
contract Inflates is Plain {
    function _move(address from, address to, uint256 amount) internal override { super._move(from, to, amount); balances[to] += 1; }
}
/// The sender loses more than it sends.
contract Burns is Plain {
    function _move(address from, address to, uint256 amount) internal override { super._move(from, to, amount); balances[from] -= 1; }
}

contract Rebasing is Plain {
    uint256 internal multiplier = 2;
    function balanceOf(address account) public view override returns (uint256) { return balances[account] * multiplier; }
}
/// It will rebase; today it looks like a plain token.
contract RebasingByOne is Rebasing { constructor() { multiplier = 1; } }
contract BalanceLies is Plain { function balanceOf(address) public pure override returns (uint256) { return 1e30; } }
contract BalanceReverts is Plain { function balanceOf(address) public pure override returns (uint256) { revert(); } }

contract ReturnsFalse is Plain { function transfer(address, uint256) external pure override returns (bool) { return false; } }
contract Lies is Plain { function _move(address, address, uint256) internal override {} }
contract Paused is Plain { function _move(address, address, uint256) internal pure override { revert("paused"); } }
contract NoTransferFrom is Plain { function transferFrom(address, address, uint256) external pure override returns (bool) { return false; } }
contract Expensive is Plain {
    function _move(address from, address to, uint256 amount) internal override {
        uint256 start = gasleft();
        while (start - gasleft() < 2000000) {}
        super._move(from, to, amount);
    }
}
