# Signs a PSBT as the Bitcoin Development Kit does, and prints the transaction. Input, a line each: the PSBT, and the
# private descriptors of receiving and change addresses, of a test seed.
import sys

import bdkpython as bdk

psbt, receiving, change = sys.stdin.read().split()
kind = bdk.NetworkKind.TEST
wallet = bdk.Wallet(
    bdk.Descriptor(receiving, kind), bdk.Descriptor(change, kind), bdk.Network.REGTEST, bdk.Persister.new_in_memory()
)
signed = bdk.Psbt(psbt)
if not wallet.sign(signed, None):
    sys.exit("not all inputs were signed")
print(signed.extract_tx().serialize().hex())
