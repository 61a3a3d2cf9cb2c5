"""What staff ask of a list and do not get is no error in the log"""

import re

# Each address with the status of its response, and where that leads.
REFUSED = {
    "catalogue/skill/?status=nonsense": (200, None),
    "catalogue/skill/?nonsense=1": (302, "/admin/catalogue/skill/?e=1"),
    "catalogue/skill/?e=1&nonsense__x=1": (200, None),
    "catalogue/skill/?_to_field=content": (400, None),
    "catalogue/skill/add/?_to_field=content": (400, None),
    "agents/agent/?created_at__year=99999999999": (302, "/admin/agents/agent/?e=1"),
    "reviews/review/?persona__id__exact=x": (302, "/admin/reviews/review/?e=1"),
    "auth/user/?password__startswith=md5": (400, None),
}
ACCESS = re.compile(r'\S+ \S+ INFO gunicorn\.access \[\w+\]: 127\.0\.0\.1 "GET (\S+)" (\d+) .*')


def test_a_refused_filter_is_no_error_in_the_log(own_server_of, ada):
    server = own_server_of()
    headers = {"Cookie": "; ".join(f"{name}={it.value}" for name, it in ada.cookies.items())}
    begun = len(server.log.read_text())

    responses = {path: server.request("GET", f"/admin/{path}", headers=headers) for path in REFUSED}

    assert {
        path: (response.status, response.headers["Location"])
        for path, response in responses.items()
    } == REFUSED
    server.stop()
    lines = server.log.read_text()[begun:].splitlines()
    requests = [line for line in lines if "gunicorn.error" not in line]
    assert [ACCESS.fullmatch(line).groups() for line in requests] == [
        (f"/admin/{path.partition('?')[0]}", str(status)) for path, (status, _) in REFUSED.items()
    ]
