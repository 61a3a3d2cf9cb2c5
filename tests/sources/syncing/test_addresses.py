"""Which repositories a source may have (contract 30)."""

import pytest
from django.core.exceptions import ValidationError

from marketplace.addresses import FORM
from sources.allowed import check_url
from sources.models import Source

HOSTS = ["git.example.com", "Gitlab.example.com:8443", "127.0.0.1:8000", "localhost"]
ALLOWED = [
    "https://git.example.com/team/skills.git",
    "https://git.example.com:443/skills",
    "HTTPS://GIT.example.com/skills",
    "https://gitlab.example.com:8443/skills",
    "http://127.0.0.1:8000/git/catalogue.git",
    "http://localhost/skills",
]
REFUSED = {
    "https://ada:secret@git.example.com/skills": FORM,
    "https://ada@git.example.com/skills": FORM,
    "https://git.example.com\\@evil.example/skills": FORM,
    "https://git.example.com/skills?x=1": FORM,
    "https://git.example.com/skills\n": FORM,
    "https://git.example.com": FORM,
    "https://git.example.com/": FORM,
    "http://[::1]/skills": FORM,
    "file:///etc/passwd": FORM,
    "ext::sh -c id": FORM,
    "--upload-pack=id": FORM,
    "git@git.example.com:team/skills.git": FORM,
    "http://git.example.com/skills": "Use https. Only 127.0.0.1 and localhost may have http.",
    "https://git.example.com:99999/skills": "Write a port from 1 to 65535.",
    "https://git.example.com:0/skills": "SOURCE_HOSTS does not list git.example.com:0.",
    "https://git.example.com:8443/skills": "SOURCE_HOSTS does not list git.example.com:8443.",
    "https://gitlab.example.com/skills": "SOURCE_HOSTS does not list gitlab.example.com:443.",
    "https://git.example.com.evil.example/x": (
        "SOURCE_HOSTS does not list git.example.com.evil.example:443."
    ),
    "http://127.0.0.1/skills": "SOURCE_HOSTS does not list 127.0.0.1:80.",
}


@pytest.mark.contract("30.2")
@pytest.mark.parametrize("url", ALLOWED)
def test_a_listed_host_is_allowed(settings, url):
    settings.SOURCE_HOSTS = HOSTS

    check_url(url)


@pytest.mark.contract("30.1", "30.2")
@pytest.mark.parametrize(("url", "reason"), REFUSED.items())
def test_anything_else_is_refused(settings, url, reason):
    settings.SOURCE_HOSTS = HOSTS

    with pytest.raises(ValidationError) as refusal:
        check_url(url)

    assert refusal.value.messages == [reason]


FIELDS = {
    "name": ["Team", "team skills", "git:team", "a" * 61],
    "ref": ["", "-main", "a..b", "a b", "main.lock", "a@{1}", "main\n"],
    "folder": ["/skills", "skills/", "../skills", "skills/..", "./skills", "a//b", "a\\b", "a\n"],
    "token_variable": ["SECRET_KEY", "SOURCE_TOKEN_", "SOURCE_TOKEN_A B", "SOURCE_TOKEN_A\n"],
    "kind": ["all"],
    "review": [""],
    "wait_hours": [-1, 721],
    "every_minutes": [0, 10_081],
}


@pytest.mark.contract("30.1")
@pytest.mark.parametrize("field", FIELDS)
def test_the_other_fields_are_checked(settings, field):
    settings.SOURCE_HOSTS = HOSTS
    good = {"name": "team", "url": ALLOWED[0], "ref": "feature/x", "folder": ".claude/skills"}
    good["token_variable"] = "SOURCE_TOKEN_TEAM"
    Source(**good).clean_fields()

    for value in FIELDS[field]:
        with pytest.raises(ValidationError) as refusal:
            Source(**good | {field: value}).clean_fields()
        assert list(refusal.value.message_dict) == [field]
