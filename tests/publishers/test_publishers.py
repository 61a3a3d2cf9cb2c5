"""The choice of the publisher for a run, and incomplete publishers (contract 31.1, 31.4)."""

import pytest
from django.db import IntegrityError, transaction

from agents.models import AgentToken
from tests.factories import AgentFactory
from tests.publishers.issuer import CI


@pytest.mark.contract("31.4")
def test_any_branch_is_any_branch_and_no_tag(issuer, exchange, assert_refused, agent):
    issuer.publisher(agent, any_branch=True, ref="", ref_type="")

    assert exchange(issuer.token(ref="refs/heads/feature")).status_code == 201
    tag = {"ref": "refs/tags/v1", "ref_type": "tag"}
    assert_refused(issuer.token(**tag), "its ref is a tag")
    assert_refused(issuer.token(ref="v1", ref_type="tag"), "ref_type is another one")
    assert_refused(issuer.token(ref="refs/tags/v1", ref_type=None), "its ref is a tag")


@pytest.mark.contract("31.4")
def test_an_issuer_that_knows_no_types_of_refs(issuer, exchange, assert_refused, agent):
    about = {"project_claim": "sub", "project": "skills", "ref": "", "ref_type": ""}
    issuer.publisher(agent, **about, any_branch=True)
    lacks = dict.fromkeys(["repository_id", "repository", "event_name", "ref_type", "ref"])

    assert exchange(issuer.token(**lacks, sub="skills")).status_code == 201
    assert AgentToken.objects.latest("pk").provenance == {
        "issuer": issuer.url,
        "project": "skills",
        "ref": None,
        "commit": "9b2f0c1d4e5a6b7c8d9e0f1a2b3c4d5e6f708192",
        "run": "15873202911",
    }
    assert_refused(issuer.token(**lacks | {"ref_type": "tag"}, sub="skills"), "ref_type")


@pytest.mark.contract("31.4")
def test_the_publisher_of_an_environment_comes_first(issuer, exchange, agent):
    issuer.publisher(agent)
    releases = AgentFactory(handle="releases")
    issuer.publisher(releases, ref="", ref_type="", environment="release")

    for environment, handle in [(None, "caller"), ("release", "releases"), ("test", "caller")]:
        assert exchange(issuer.token(environment=environment)).status_code == 201
        assert AgentToken.objects.latest("pk").agent.handle == handle


@pytest.mark.contract("31.4")
def test_an_environment_is_a_text(issuer, exchange, assert_refused, agent):
    issuer.publisher(agent, ref="", ref_type="", environment="5")

    assert_refused(issuer.token(environment=5), "environment is another one")
    assert exchange(issuer.token(environment="5")).status_code == 201


@pytest.mark.contract("31.1")
@pytest.mark.parametrize(
    "values",
    [
        {},  # the same again
        {"environment": "e", "any_branch": True},  # and a ref
        {"project": "75", "ref": "", "ref_type": ""},
        {"project": "75", "ref_type": ""},
        {"project": "75", "any_branch": True, "ref": "", "ref_type": "tag"},
        {"project": "75", "issuer": "http://ci.example"},
        {"project": "75", "issuer": "http://127.0.0.1.example"},
        {"project": "75", "issuer": "file:///etc"},
    ],
    ids=str,
)
def test_the_database_refuses_what_says_too_little(issuer, agent, values):
    issuer.publisher(agent)
    url, others = values.get("issuer", issuer.url), values.keys() - {"issuer"}

    with pytest.raises(IntegrityError), transaction.atomic():
        CI(url).publisher(agent, **{name: values[name] for name in others})
