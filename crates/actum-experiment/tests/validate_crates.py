"""Validates each folder of a folder as a Process Run Crate with roc-validator, without a network.

usage: python validate_crates.py FOLDER CACHE
Prints one JSON object: the name of each crate with the issues of severity REQUIRED and RECOMMENDED.
"""

import io
import json
import multiprocessing
import os
import sys

import rocrate
import urllib3
from requests.adapters import BaseAdapter
from requests.models import Response
from requests_cache import CachedSession
from rocrate_validator import models, services

TERMS = "https://w3id.org/ro/terms/workflow-run"
# The terms that are used here; the context of RO-Crate itself comes with the package `rocrate`.
NAMES = ["environment", "resourceUsage", "containerImage", "sha256", "ContainerImage"]


class Local(BaseAdapter):
    """Answers with files of this machine."""

    def send(self, request, **_):
        if "crate/1.1" in request.url:
            path = os.path.join(os.path.dirname(rocrate.__file__), "data", "ro-crate.jsonld")
            with open(path, "rb") as file:
                body = file.read()
        else:
            body = json.dumps({"@context": {name: f"{TERMS}#{name}" for name in NAMES}}).encode()
        response = Response()
        response.status_code = 200
        response.url = request.url
        response.request = request
        response.headers["Content-Type"] = "application/ld+json"
        response.raw = urllib3.response.HTTPResponse(
            body=io.BytesIO(body), status=200, headers=dict(response.headers), preload_content=False
        )
        return response

    def close(self):
        pass


def fill(cache):
    session = CachedSession(cache_name=cache, backend="sqlite", expire_after=-1)
    session.mount("https://", Local())
    for address in ["https://w3id.org/ro/crate/1.1/context", f"{TERMS}/context"]:
        session.get(address)
        session.get(address, headers={"Accept": "application/ld+json"})


def issues(crate, cache):
    settings = services.ValidationSettings(
        rocrate_uri=crate,
        profile_identifier="process-run-crate",
        requirement_severity=models.Severity.RECOMMENDED,
        abort_on_first=False,
        offline=True,
        cache_path=cache,
    )
    result = services.validate(settings)
    return [f"{issue.severity.name}: {issue.message}" for issue in result.get_issues()]


def main():
    folder, cache = sys.argv[1:]
    fill(cache)
    names = sorted(os.listdir(folder))
    # A second for each crate, and they do not depend on each other.
    with multiprocessing.Pool() as pool:
        found = pool.starmap(issues, [(os.path.join(folder, name), cache) for name in names])
    print(json.dumps(dict(zip(names, found))))


main()
