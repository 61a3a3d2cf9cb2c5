"""The desk, and what staff see of submissions on the pages of an entry."""

from submissions.admin.desk import SubmissionAdmin
