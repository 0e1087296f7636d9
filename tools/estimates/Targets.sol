// SPDX-License-Identifier: MIT
pragma solidity 0.8.28;

/// What operations do to contracts, as far as gas tells it apart.
contract Targets {
    mapping(address => mapping(uint256 => uint256)) private _slots;
    mapping(address => uint256) public balanceOf;
    mapping(address => uint256) private _hashes;
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public nftsOf;
    uint256 private _lastNft;

    event Transfer(address indexed from, address indexed to, uint256 amount);

    /// Fills slots that were zero.
    function write(uint256 count) external {
        for (uint256 i = 1; i <= count; i++) _slots[msg.sender][i] = i;
    }

    /// Clears what `write` filled, and gets a refund.
    function clear(uint256 count) external {
        for (uint256 i = 1; i <= count; i++) _slots[msg.sender][i] = 0;
    }

    /// Calls itself; writes where it ends.
    function dive(uint256 levels) external {
        if (levels > 0) this.dive(levels - 1);
        else for (uint256 i = 1; i <= 3; i++) _slots[address(this)][i] = block.number;
    }

    /// Goes on without what ran out of gas.
    function hide(uint256 levels) external {
        try this.dive(levels) {
            _slots[msg.sender][0] = 1;
        } catch {}
    }

    function store(bytes calldata data) external {
        _hashes[msg.sender] = uint256(keccak256(data));
    }

    function mint(uint256 amount) external {
        balanceOf[msg.sender] += amount;
    }

    /// As an NFT's contract: who owns the next one, and how many he has.
    function mintNft() external {
        ownerOf[++_lastNft] = msg.sender;
        nftsOf[msg.sender]++;
        emit Transfer(address(0), msg.sender, _lastNft);
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Transfer(msg.sender, to, amount);
    }
}
