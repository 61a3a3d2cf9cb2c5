"""The address of the client: which part of X-Forwarded-For is trusted (contract 11.9)"""

import pytest
from django.test import RequestFactory

from marketplace.ratelimits.client_address import client_address

CONNECTION = "192.0.2.1"


def address_of(forwarded, connection=CONNECTION):
    headers = {} if forwarded is None else {"X-Forwarded-For": forwarded}
    request = RequestFactory().post("/api/v1/agents/register", headers=headers)
    request.META["REMOTE_ADDR"] = connection
    return client_address(request)


@pytest.mark.contract("11.9")
@pytest.mark.parametrize("forwarded", [None, "", "203.0.113.7", "203.0.113.7, 198.51.100.2", "?"])
def test_without_a_trusted_proxy_only_the_connection_counts(settings, forwarded):
    settings.TRUSTED_PROXY_COUNT = 0

    assert address_of(forwarded) == CONNECTION


@pytest.mark.contract("11.9")
@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        (1, "203.0.113.7", "203.0.113.7"),
        (1, "198.51.100.2, 203.0.113.7", "203.0.113.7"),
        (1, "198.51.100.2,203.0.113.7 ", "203.0.113.7"),
        (2, "10.9.9.9, 203.0.113.7, 198.51.100.2", "203.0.113.7"),
        (3, "203.0.113.7, 198.51.100.2, 198.51.100.3", "203.0.113.7"),
        pytest.param(1, "garbage, 203.0.113.7", "203.0.113.7", id="garbage of the caller"),
        pytest.param(1, "1.2.3.4," * 500 + "203.0.113.7", "203.0.113.7", id="a long list"),
    ],
)
def test_each_trusted_proxy_counts_as_one_entry_from_the_right(
    settings, proxies, forwarded, address
):
    settings.TRUSTED_PROXY_COUNT = proxies

    assert address_of(forwarded) == address


@pytest.mark.parametrize(
    ("entry", "address"),
    [
        ("203.0.113.7:51234", "203.0.113.7"),
        ("203.0.113.7%eth0", "203.0.113.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("2001:DB8:1:2::4", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::4]", "2001:db8:1:2::/64"),
        ("[2001:db8:1:2::4]:51234", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("[fe80::1%25eth0]:51234", "fe80::/64"),
        ("::1", "::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("::ffff:cb00:7107", "203.0.113.7"),
        ("[::ffff:203.0.113.7]:51234", "203.0.113.7"),
    ],
)
def test_ports_brackets_zones_and_mapped_addresses_are_read(settings, entry, address):
    settings.TRUSTED_PROXY_COUNT = 1

    assert address_of(entry) == address
    assert address_of(f"198.51.100.2, {entry}") == address


@pytest.mark.parametrize(
    "entry",
    [
        *("", " ", "unknown", "_hidden", "-", "é", "\0", "1" * 5000, "for=203.0.113.7"),
        *("300.1.1.1", "1.2.3", "1.2.3.4.5", "010.0.0.1", "203.0.113.7/8", "\uff11.2.3.4"),
        *("[", "[]", "]", "[2001:db8::1::2]", "2001:db8::1::2", "2001:db8::/64", ":::"),
        *(":51234", "%eth0", "1.2.3.4,"),
    ],
)
def test_an_unreadable_entry_falls_back_to_the_connection(settings, entry):
    settings.TRUSTED_PROXY_COUNT = 1

    assert address_of(entry) == CONNECTION


@pytest.mark.parametrize(("proxies", "forwarded"), [(1, None), (2, "203.0.113.7"), (3, "a, b")])
def test_too_few_entries_fall_back_to_the_connection(settings, proxies, forwarded):
    settings.TRUSTED_PROXY_COUNT = proxies

    assert address_of(forwarded) == CONNECTION


@pytest.mark.parametrize("connection", ["", "garbage", "unix:"])
def test_it_never_raises_even_without_a_readable_connection(settings, connection):
    for settings.TRUSTED_PROXY_COUNT in (0, 1):
        assert address_of("garbage", connection) == "unknown"


@pytest.mark.parametrize("connection", ["::ffff:192.0.2.1", "192.0.2.1"])
def test_the_connection_of_a_dual_stack_socket_is_read_alike(settings, connection):
    settings.TRUSTED_PROXY_COUNT = 0

    assert address_of(None, connection) == "192.0.2.1"


def test_callers_behind_one_proxy_are_told_apart(settings, anyone, rates):
    settings.TRUSTED_PROXY_COUNT = 1
    rates(register="1/h")

    def register(caller):
        forwarded = {"X-Forwarded-For": f"198.51.100.2, {caller}"}
        return anyone.post("/api/v1/agents/register", {}, headers=forwarded).status_code

    assert [register("203.0.113.7"), register("203.0.113.8")] == [201, 201]
    assert register("[::ffff:203.0.113.7]:51234") == 429
