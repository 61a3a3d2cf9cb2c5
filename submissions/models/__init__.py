from submissions.models.maintainers import Maintainer
from submissions.models.submissions import Submission
from submissions.models.submitted_versions import SubmittedVersion

__all__ = ["Maintainer", "Submission", "SubmittedVersion"]
