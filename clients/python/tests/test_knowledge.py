"""These tests run against a real server: `scripts/with-services.sh go test -run TestClients ./e2e/api` in the top folder."""

from __future__ import annotations

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from parley_client import AsyncParley, DocumentError, ParleyError

from server import client, setting

NAME = f"python/{uuid4()}/Öffnung?"


def test_a_text_is_created_unchanged_and_replaced_by_its_external_id() -> None:
    with client() as parley:
        first = parley.add_text(f"We open at seven. {NAME}", title="Opening hours", external_id=NAME)
        same = parley.add_text(f"We open at seven. {NAME}", title="Opening hours", external_id=NAME)
        other = parley.add_text(f"We open at eight. {NAME}", title="Opening hours", external_id=NAME)
        assert [d["result"] for d in (first, same, other)] == ["created", "unchanged", "replaced"]
        assert other["id"] == first["id"] and parley.wait_until_ready(first["id"])["answered"]
        assert parley.document_by_external_id(NAME)["id"] == first["id"]
        assert [d["id"] for d in parley.documents(external_id=NAME, state="ready")] == [first["id"]]


def test_a_page_is_read() -> None:
    with client() as parley:
        added = parley.add_page(setting("PARLEY_PAGE_URL"), external_id=f"{NAME}page")
        ready = parley.wait_until_ready(added["id"], timeout=60)
    assert ready["url"] == setting("PARLEY_PAGE_URL") and ready["title"] == "Page /python"


def test_a_file_that_cannot_be_read_says_why() -> None:
    with client() as parley:
        added = parley.add_file(f"%PDF-1.4\nnothing {NAME}".encode(), name='Preis"liste.pdf', external_id=f"{NAME}pdf")
        with pytest.raises(DocumentError) as failed:
            parley.wait_until_ready(added["id"])
    assert failed.value.document["state"] == "failed" and str(failed.value) == failed.value.document["reason"]


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_names_that_would_make_another_path_are_refused(name: str) -> None:
    with client() as parley, pytest.raises(ValueError):
        parley.document_by_external_id(name)


def test_a_document_is_added_and_removed_once_on_bad_networks(tmp_path: Path) -> None:
    name = f"python/{uuid4()}"
    file = tmp_path / "hours.md"
    file.write_text(f"# Hours\nFrom seven. {name}")
    with client("PARLEY_LOSS_URL") as parley:  # the first answer to each request is lost
        added = parley.add_file(file, external_id=name)
        assert parley.wait_until_ready(added["id"])["title"] == "Hours"
        assert len(list(parley.documents(external_id=name))) == 1
        removal = parley.remove_document_by_external_id(name)
        assert removal["document_id"] == added["id"] and parley.removal(removal["id"])["title"] == "Hours"
        assert removal["id"] in [r["id"] for r in parley.removals()]
        with pytest.raises(ParleyError) as failed:
            parley.document_by_external_id(name)
    assert failed.value.status == 404


def test_async_does_the_same() -> None:
    async def all() -> None:
        async with AsyncParley(setting("PARLEY_LOSS_URL"), setting("PARLEY_TOKEN"), pause=0.01) as parley:
            added = await parley.add_file(f"# Doors\nOpen. {NAME}".encode(), name="doors.md")
            assert (await parley.wait_until_ready(added["id"]))["title"] == "Doors"
            assert (await parley.remove_document(added["id"]))["document_id"] == added["id"]

    asyncio.run(all())
