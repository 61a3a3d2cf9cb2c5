"""The list of an agent's submissions, and the authors of versions (contract 29)."""

from functools import partial

from infrastructure.http_cache.validators import ALWAYS_FRESH, Read, Validator
from infrastructure.replicas.reading import on_replica
from marketplace.api.lists import KeysetList
from submissions.models import Submission, SubmittedVersion


class OwnSubmissionList(KeysetList):
    def get_queryset(self, agent):
        return Submission.objects.filter(agent=agent).for_list()


own = OwnSubmissionList()


@on_replica
def authors_of(kind, entry_id, numbers):
    """`{number: "@handle (Ada Lovelace)"}` of the versions of an entry that agents submitted."""
    if not numbers:
        return Read({}, ALWAYS_FRESH)
    validator = Validator.of(partial(names_of_authors, kind, entry_id, numbers))
    return Read(validator.seen, validator)


def names_of_authors(kind, entry_id, numbers):
    rows = SubmittedVersion.objects.numbered(kind, entry_id, numbers).items()
    return {number: row.author for number, row in rows if row.submission.agent_id}
