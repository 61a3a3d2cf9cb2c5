"""The list of an agent's submissions (contract 29)."""

from marketplace.api.lists import KeysetList
from submissions.models import Submission


class OwnSubmissionList(KeysetList):
    def get_queryset(self, agent):
        return Submission.objects.filter(agent=agent).for_list()


own = OwnSubmissionList()
