// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Tokens as they are, and as they must not be. The balance of an account is in the storage slot with the number of
/// its address, as in the code of anvil.ts; slot 0 is a switch of the test.
abstract contract Token {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function balanceOf(address account) external view returns (uint256 units) {
        assembly {
            units := sload(account)
        }
    }

    function move(address to, uint256 taken, uint256 given) internal {
        assembly {
            let own := sload(caller())
            if lt(own, taken) { revert(0, 0) }
            sstore(caller(), sub(own, taken))
            sstore(to, add(sload(to), given))
        }
        emit Transfer(msg.sender, to, given);
    }

    function isOn() internal view returns (bool on) {
        assembly {
            on := sload(0)
        }
    }
}

/// As Tether's: it returns nothing.
contract NoReturn is Token {
    function transfer(address to, uint256 amount) external {
        move(to, amount, amount);
    }
}

/// A tenth of what is sent does not arrive.
contract FeeOnTransfer is Token {
    function transfer(address to, uint256 amount) external returns (bool) {
        move(to, amount, amount - amount / 10);
        return true;
    }
}

contract Refusing is Token {
    function transfer(address to, uint256 amount) external returns (bool) {
        require(!isOn());
        move(to, amount, amount);
        return true;
    }
}

/// Uses all gas that it gets.
contract Burning is Token {
    function transfer(address to, uint256 amount) external returns (bool) {
        if (isOn()) {
            assembly {
                invalid()
            }
        }
        move(to, amount, amount);
        return true;
    }
}

/// Returns as much as its gas pays for, so that whoever copies it pays as much again.
contract Bombing is Token {
    function transfer(address to, uint256 amount) external returns (bool) {
        if (isOn()) {
            assembly {
                revert(0, 200000)
            }
        }
        move(to, amount, amount);
        return true;
    }
}
