"""Envelopes with securesystemslib, statements and predicates with in-toto-attestation."""

import hashlib
import json
import os

from cryptography.hazmat.primitives.serialization import load_pem_public_key
from google.protobuf.json_format import Parse, ParseDict
from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import TestResult
from in_toto_attestation.v1.statement import Statement
from in_toto_attestation.v1.statement_pb2 import Statement as Message
from loop import walk
from securesystemslib.dsse import Envelope
from securesystemslib.signer import Key, SSlibKey

TEST_RESULT = "https://in-toto.io/attestation/test-result/v0.1"


def signer(trust):
    """The key from PEM, whose id the library reckons itself, must be the object that we write."""
    with open(os.path.join(trust, "signer.pem"), "rb") as file:
        key = SSlibKey.from_crypto(load_pem_public_key(file.read()))
    with open(os.path.join(trust, "signer.intoto.json"), encoding="utf-8") as file:
        written = json.load(file)
    assert Key.from_dict(written.pop("keyid"), written) == key
    return key


def check(read, trust, folder):
    key = signer(trust)
    record = read("record.json")
    has_tests = os.path.exists(os.path.join(folder, "test-result.dsse.json"))
    assert has_tests == ("tests" in json.loads(record))
    for name in ["attestation.dsse.json", "test-result.dsse.json"][: 1 + has_tests]:
        envelope = Envelope.from_dict(json.loads(read(name)))
        assert envelope.payload_type == "application/vnd.in-toto+json"
        envelope.verify([key], 1)
        Statement.copy_from_pb(Parse(envelope.payload, Message())).validate()
        statement = json.loads(envelope.payload)
        digest = hashlib.sha256(record).hexdigest()
        if statement["predicateType"] == TEST_RESULT:
            result = ParseDict(statement["predicate"], TestResult())
            assert result.configuration[0].digest["sha256"] == digest
            assert result.result in ("PASSED", "WARNED", "FAILED")
        else:
            assert statement["predicateType"] == "urn:actum:record:v1"
            assert statement["predicate"]["record"]["sha256"] == digest


walk(check)
