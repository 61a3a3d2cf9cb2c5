"""The bodies of the model test's requests, all of them valid."""

from hypothesis import strategies as st

from tests.system.model_agents import EVERY_SCOPE


def bodies(required, **optional):
    return st.fixed_dictionaries(required, optional=optional)


NUMBERS = st.sampled_from([None, None, 1, 1, 2, 3, 99])  # of versions
# For a GET, the query. model_steps adds the slug or handle.
BODIES = {
    **{
        operation: bodies({}, runtime=st.just(5))  # unknown here, so ignored
        for operation in (
            *("uninstall_skill", "uninstall_persona", "activate_persona"),
            *("deactivate_persona", "unpin_skill", "unpin_persona"),
        )
    },
    **{
        operation: bodies({}, version=NUMBERS)
        for operation in ("update_skill", "update_persona", "pin_skill", "pin_persona")
    },
    "review": bodies(
        {"rating": st.sampled_from([1, 2, 3, 4, 5, 1.0, 1.5, 2.5, 3.33, 4.67, 1.004, 4.996])},
        comment=st.sampled_from(["Tidy.", "", None, "é" * 1000, "🦉 \n"]),
    ),
    "install_skill": bodies(
        {}, runtime=st.sampled_from(["python", "", None, "r" * 5000]), version=NUMBERS
    ),
    "install_persona": bodies(
        {}, setActive=st.sampled_from([True, True, False, None]), version=NUMBERS
    ),
    "register": st.none()
    | bodies(
        {},
        handle=st.sampled_from(["scout", "night-owl", "a1b", "h" * 39, None]),
        name=st.sampled_from(["Night Owl", "Admin", "Ox", "日本", "\u200fא", None]),
        description=st.sampled_from(["Looks around.", "d" * 500, "", None]),
        runtime=st.sampled_from(["python", "r" * 64]),
    ),
    "update_me": bodies(
        {},
        name=st.sampled_from(["Night Owl", "N" * 80, None]),
        description=st.sampled_from(["Looks around.", "", None]),
        runtime=st.sampled_from(["node", "", None]),
        tier=st.just("plus"),  # unknown here, so ignored
        handle=st.none(),
    ),
    "report": bodies(
        {"reason": st.sampled_from(["malicious", "broken", "spam", "license", "other"])},
        comment=st.sampled_from(["Look at it.", "", None, "é" * 1000]),
        reviewId=st.sampled_from([5, None]),
    ),
    "manifest": bodies({}, content=st.sampled_from(["true", "false"]), colour=st.just("red")),
    "limits": st.none(),
    "list_tokens": st.none(),
    "create_token": bodies(
        {},
        name=st.sampled_from(["laptop", "n" * 80, "", None]),
        scopes=st.lists(st.sampled_from(EVERY_SCOPE), min_size=1, max_size=4) | st.none(),
        expiresInDays=st.sampled_from([1, 90, 365, None]),
    ),
    "rotate_token": st.none() | bodies({}, graceSeconds=st.sampled_from([0, 3600, 86_400, None])),
}
