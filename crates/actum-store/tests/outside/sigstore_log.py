"""The checkpoint and the proof with sigstore's own code for its log."""

import base64
import functools
import hashlib
import json
import os

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_public_key
from loop import walk
from sigstore._internal.merkle import verify_merkle_inclusion
from sigstore._internal.rekor.checkpoint import SignedCheckpoint, verify_checkpoint
from sigstore._internal.trust import Keyring
from sigstore.models import TransparencyLogEntry
from sigstore_models.common.v1 import LogId, PublicKey, PublicKeyDetails
from sigstore_models.rekor.v1 import Checkpoint, InclusionProof, KindVersion
from sigstore_models.rekor.v1 import TransparencyLogEntry as Entry


def b64(data):
    return base64.b64encode(data).decode()


@functools.cache
def signer(trust):
    with open(os.path.join(trust, "signer.pem"), "rb") as file:
        key = load_pem_public_key(file.read())
    with open(os.path.join(trust, "signer.vkey"), encoding="utf-8") as file:
        name = file.read().split("+")[0]
    spki = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    raw = key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    log = hashlib.sha256(name.encode() + b"\n\x01" + raw).digest()
    return name, log, Keyring([PublicKey(raw_bytes=b64(spki), key_details=PublicKeyDetails.PKIX_ED25519)])


def check(read, trust, folder):
    name, log, keyring = signer(trust)
    note, proof = read("checkpoint").decode(), json.loads(read("inclusion.json"))
    said = SignedCheckpoint.from_text(note).checkpoint
    assert (said.origin, said.log_size) == (name, proof["tree_size"])
    inclusion = InclusionProof(
        log_index=str(proof["leaf_index"]),
        tree_size=str(proof["tree_size"]),
        root_hash=b64(bytes.fromhex(said.log_hash)),
        hashes=[b64(bytes.fromhex(one)) for one in proof["hashes"]],
        checkpoint=Checkpoint(envelope=note),
    )
    entry = Entry(
        log_index=str(proof["leaf_index"]),
        log_id=LogId(key_id=b64(log)),
        kind_version=KindVersion(kind="actum", version="1"),
        integrated_time="0",
        canonicalized_body=b64(read("record.json")),
        inclusion_proof=inclusion,
    )
    entry = TransparencyLogEntry(entry)
    verify_checkpoint(keyring, entry)
    verify_merkle_inclusion(entry)


walk(check)
