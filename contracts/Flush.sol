// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Moves the money of many forwarders in one transaction: the transaction creates this contract, whose constructor
/// does all of it, and leaves no code behind. So nobody has to deploy or to trust a helper, and there is nothing that
/// could be called later. It holds no money and has no rights: what it calls, anybody may call. Nobody has audited it.
contract Flush {
    /// Calls that differ in one word.
    struct Group {
        /// Who is called, with the item in front of code and tail: the factory, with a salt. Zero: each item is the
        /// address of a forwarder, which is called with the tail.
        address target;
        /// The gas of each call, which is as much as one of them can waste.
        uint256 gasEach;
        bytes tail;
        bytes32[] items;
    }

    constructor(bytes memory code, Group[] memory groups) {
        // The gas of all calls, before the first: whatever some of them waste, and whoever made them do so since the gas
        // was estimated, each call behind them has its own (EIP-150). An estimate sees this alone: what a call does is
        // not looked at.
        uint256 needed = 0;
        for (uint256 g = 0; g < groups.length; ++g) {
            needed += groups[g].items.length * (groups[g].gasEach + 10_000);
        }
        uint256 left = gasleft();
        if (left - left / 64 < needed) revert();
        for (uint256 g = 0; g < groups.length; ++g) {
            callEach(code, groups[g]);
        }
        assembly ("memory-safe") {
            return(0, 0)
        }
    }

    function callEach(bytes memory code, Group memory group) private {
        bool deploys = group.target != address(0);
        bytes memory data = deploys ? bytes.concat(bytes32(0), code, group.tail) : group.tail;
        bytes32 codeHash;
        if (deploys) {
            assembly ("memory-safe") {
                codeHash := keccak256(add(data, 64), sub(mload(data), 32))
            }
        }
        for (uint256 i = 0; i < group.items.length; ++i) {
            bytes32 item = group.items[i];
            uint256 gasEach = group.gasEach;
            address target = address(uint160(uint256(item)));
            if (deploys) {
                // Somebody else has deployed it meanwhile: a second deployment would use up all of its gas.
                if (addressOf(group.target, item, codeHash).code.length != 0) continue;
                target = group.target;
            }
            // Whatever it does: the others go on. What it returns, a bomb or nothing, is not copied.
            assembly ("memory-safe") {
                if deploys { mstore(add(data, 32), item) }
                pop(call(gasEach, target, 0, add(data, 32), mload(data), 0, 0))
            }
        }
    }

    /// The address that the factory deploys to (EIP-1014).
    function addressOf(address factory, bytes32 salt, bytes32 codeHash) private pure returns (address) {
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", factory, salt, codeHash)))));
    }
}
