"""Skills over MCP with clients that others wrote, which verify every file that they read"""

import base64
import json
import shutil
from pathlib import Path
from urllib.parse import unquote

import pytest

from catalogue.fences import FENCED
from catalogue.models import FileContent, Skill
from catalogue.yaml_fields import as_json, read_yaml
from demo.postgres import CHECKOUT
from interfaces.mcp.frontmatter import frontmatter_of
from tests.external import fetched, npm_folder, npm_program, run
from tests.factories import AgentFactory, SkillFactory, SkillInstallFactory
from tests.imports import import_skills

pytestmark = pytest.mark.external
HERE = Path(__file__).parent
DEMO = CHECKOUT / "demo" / "skills"
REAL = CHECKOUT.parent / "shared" / "data" / "skills"
# The versions that the tests were written against; look at a newer one before raising it.
CLIENT = "@modelcontextprotocol/client@2.4.0"
CONFORMANCE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
INSPECTOR = "@modelcontextprotocol/inspector@2.12.0"
# Without its server, which the same package would bring.
FASTMCP = "fastmcp-slim[client]==4.1.6"
OWN = "skill://agent-marketplace/SKILL.md"
LONG = "long-" * 15 + "slug"


# Lines for which a strict client would refuse an entry that has them as they are.
UNFIT = {
    "null": "license:\ncompatibility: ''\nmetadata:",
    "number": "metadata: {version: 1.0, tags: [a, b]}",
    "list": "allowed-tools: [Read, Bash(git:*)]\ncompatibility: [linux]\nlicense: 2.0",
    "text": "metadata: a",
    "long": f"compatibility: {'😀' * 600}",
    "prototype": "__proto__: {name: other}",
    "deep": f"hooks: {'[' * 99}{']' * 99}",
}
FIT = {
    "reserved": "metadata: {io.modelcontextprotocol/a: b}",
    "unknown": "hooks: [1, 1.50, true, {a: no, b: ~}]\ndisable-model-invocation: true",
    "shallow": f"hooks: {'[' * 31}{']' * 31}",
}


@pytest.fixture(params=["ours", "real"])
def everything(request, transactional_db):
    """An agent that has the demo's skills and odd ones, or those of other catalogues."""
    if request.param == "real":
        if not REAL.exists():
            pytest.skip(f"needs {REAL}")
        import_skills(REAL)
        return agent_with(Skill.objects.all())
    for slug, line in (UNFIT | FIT).items():
        SkillFactory(slug=slug, content=f"---\nname: {slug}\ndescription: x\n{line}\n---\nDo it.")
    import_skills(DEMO)
    SkillFactory(slug=LONG, files={"a #1/é%.md": b"\xef\xbb\xbfx\r\n", "b.bin": bytes(range(256))})
    SkillFactory(slug="odd", content='---\nname: odd\ndescription: "on"\n---\nDo it.')
    return agent_with(Skill.objects.all())


def agent_with(skills):
    agent = AgentFactory()
    for skill in skills:
        SkillInstallFactory(agent=agent, skill=skill)
    return agent


def is_fit(skill):
    """Whether its entry is its frontmatter as it is, so that clients take the file, too."""
    text = skill.file_text
    return frontmatter_of(text) == as_json(read_yaml(FENCED.match(text)[1]))


def uri_of(slug):
    name = slug[:64].rstrip("-")
    return f"skill://skills/{slug if name == slug else f'{slug}/{name}'}/SKILL.md"


def folders():
    """The bytes of every skill's folder, by its URI and path."""
    by_uri = {}
    for skill in Skill.objects.all():
        contents = FileContent.objects.of(skill.files)
        files = {file["path"]: contents[file["digest"]] for file in skill.files}
        by_uri[uri_of(skill.slug)] = {"SKILL.md": skill.file_text.encode(), **files}
    return by_uri


@pytest.fixture(scope="session")
def npm_skills(request):
    folder = npm_folder(request.config, CLIENT)
    program = Path(shutil.copy(HERE / "mcp_skills.mjs", folder))

    def read(url, uris=(), token=""):
        return json.loads(run(folder, "node", program, url, json.dumps(uris), token))

    return read


@pytest.mark.contract("22.8")
def test_the_client_of_npm_verifies_every_file(live_server_of, npm_skills, everything):
    url = f"http://127.0.0.1:{live_server_of().port}/mcp"

    read = npm_skills(url, token=everything.token.text)
    named = npm_skills(url, uris=sorted(folders()))

    assert next(iter(read)) == OWN
    assert read.pop(OWN) == named.pop(OWN)
    assert read == named
    unfit = {uri_of(skill.slug) for skill in Skill.objects.all() if not is_fit(skill)}
    assert {uri for uri, files in read.items() if files[uri] is None} == unfit
    assert {
        uri: {
            unquote(file.removeprefix(uri.removesuffix("SKILL.md"))): base64.b64decode(data)
            for file, data in files.items()
            if data is not None
        }
        for uri, files in read.items()
    } == {
        uri: {path: data for path, data in files.items() if path != "SKILL.md" or uri not in unfit}
        for uri, files in folders().items()
    }


def test_fastmcp_takes_every_entry(live_server_of, tmp_path, everything):
    python = fetched(FASTMCP, tmp_path)
    url = f"http://127.0.0.1:{live_server_of().port}/mcp"
    program = [*python, "python", HERE / "fastmcp_skills.py", url]

    listed = json.loads(run(tmp_path, *program, "[]", everything.token.text))
    named = json.loads(run(tmp_path, *program, json.dumps(sorted(folders()))))

    numbers = {uri: len(files) for uri, files in folders().items()} | {OWN: 1}
    assert listed == numbers
    assert named == numbers


@pytest.mark.parametrize(
    ("everything", "era"),
    [("ours", "modern"), ("ours", "legacy"), ("real", "modern")],
    indirect=["everything"],
)
def test_the_inspector_verifies_every_digest_and_frontmatter(
    live_server_of, tmp_path, everything, era, pytestconfig
):
    inspector = npm_program(pytestconfig, INSPECTOR, "mcp-inspector")
    url = f"http://127.0.0.1:{live_server_of().port}/mcp"
    fit = agent_with(skill for skill in Skill.objects.all() if is_fit(skill))
    uris, number = list(folders()), fit.skill_installs.count()
    uri = max(map(uri_of, fit.skill_installs.values_list("skill__slug", flat=True)), key=len)

    inspect = [*inspector, "--cli", url, "--transport", "http", "--protocol-era", era]
    verify = [*inspect, "--verify", "--require-digests"]
    listed = run(tmp_path, *inspect, *header(everything), "--method", "skills/list")
    verified = run(tmp_path, *verify, *header(fit), "--method", "skills/list")
    run(tmp_path, *verify, "--method", "skills/list")
    run(tmp_path, *verify, "--method", "skills/get", "--uri", uri)

    assert all(uri in listed for uri in uris)
    assert sum(uri in verified for uri in uris) == number > 40


def header(agent):
    return ["--header", f"Authorization: Bearer {agent.token.text}"]


@pytest.mark.parametrize("version", [[], ["--spec-version", "2025-11-25", "--force"]])
@pytest.mark.parametrize("scenario", ["enumeration", "manifest"])
def test_the_official_scenarios_pass(live_server_of, tmp_path, pytestconfig, scenario, version):
    conformance = npm_program(pytestconfig, CONFORMANCE, "conformance")
    url = f"http://127.0.0.1:{live_server_of().port}/mcp"

    run(
        tmp_path,
        *conformance,
        "server",
        "--url",
        url,
        "--scenario",
        f"sep-2640-skills-{scenario}",
        *version,
    )
