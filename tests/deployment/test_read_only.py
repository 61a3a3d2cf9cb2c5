"""A read-only file system is enough, with a writable TMPDIR."""

import secrets
import shutil
import subprocess
import tempfile

import pytest

from importing.models import ImportRun
from tests.admin.files import SKILL_MD, SKILLS, zip_of
from tests.factories import SkillFactory
from tests.live import LiveServer
from tests.system.staff import Staff

pytestmark = pytest.mark.servers

# In its own mount namespace, so that it is read-only for this server only.
READ_ONLY = ["unshare", "--mount", "sh", "-c", 'mount -o remount,bind,ro / && exec "$@"', "sh"]
PART = '--part\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
FILE = PART.format('file"; filename="skills.zip', "")[:-2]


@pytest.fixture
def writable():
    """A folder on another file system than the read-only one."""
    if (
        shutil.which("unshare") is None
        or subprocess.run([*READ_ONLY, "true"], check=False).returncode
    ):
        pytest.skip("nobody but root can make a file system read-only, by unshare")
    folder = tempfile.mkdtemp(dir="/dev/shm")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def server(transactional_db, tmp_path, writable):
    server = LiveServer(tmp_path / "log", {"TMPDIR": writable})
    server.command = [*READ_ONLY, *server.command]
    with server:
        yield server


def test_it_serves_agents_and_pages(server):
    assert server.request("POST", "/api/v1/agents/register", {}).status == 201
    assert server.request("GET", "/skills").status == 200
    assert server.request("GET", "/static/pages.css").status == 200


def test_it_sends_a_large_archive(server):
    SkillFactory(slug="large", files={"a.bin": bytes(200_000)})

    assert server.request("GET", "/api/v1/skills/large/archive.zip").status == 200


def test_it_takes_an_upload_that_memory_does_not_hold(server):
    # Django writes an upload of more than 2.5 MB to a file.
    data = zip_of(
        {f"{n}/SKILL.md": SKILL_MD.format(f"s{n}") + secrets.token_hex(450_000) for n in range(6)}
    )
    assert len(data) > 2_621_440
    staff, url = Staff(server), f"{SKILLS}import/"
    fields = "".join(PART.format(*field) for field in staff.form(staff.get(url)).items())
    body = f"{fields}{FILE}".encode() + data + b"\r\n--part--\r\n"

    assert staff.post(url, body, "multipart/form-data; boundary=part").status == 302
    run = ImportRun.objects.get()
    assert (run.refused, bytes(run.data) == data) == (0, True)
