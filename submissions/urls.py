from submissions.views import SubmissionViewSet


def register(router):
    router.register("agents/me/submissions", SubmissionViewSet, basename="submission")
